package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// What a step's container knows of its Workspace: the entries of the Workspace's Secret.
const (
	urlVariable         = "WORKSPACE_URL"
	bucketVariable      = "WORKSPACE_BUCKET"
	credentialsVariable = "WORKSPACE_CREDENTIALS" // empty if the store asks for none
	inboxVariable       = "WORKSPACE_INBOX_PREFIX"
)

// storeTimeout is how long the store may take. A step that can't reach its files has failed.
const storeTimeout = 10 * time.Second

// getFile returns the content of a file of the Workspace.
func getFile(ctx context.Context, name string) (content string, err error) {
	err = inWorkspace(ctx, func(ctx context.Context, files jetstream.ObjectStore) error {
		content, err = files.GetString(ctx, name)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("get file %s of the Workspace: %w", name, err)
	}
	return content, nil
}

// putFile stores a file in the Workspace, in place of one of that name.
func putFile(ctx context.Context, name, content string) error {
	err := inWorkspace(ctx, func(ctx context.Context, files jetstream.ObjectStore) error {
		_, err := files.PutString(ctx, name, content)
		return err
	})
	if err != nil {
		return fmt.Errorf("put file %s into the Workspace: %w", name, err)
	}
	return nil
}

// inWorkspace connects to the bucket that the environment names.
func inWorkspace(ctx context.Context, use func(context.Context, jetstream.ObjectStore) error) error {
	url, bucket := os.Getenv(urlVariable), os.Getenv(bucketVariable)
	if url == "" || bucket == "" {
		return errors.New("there is no Workspace: WORKSPACE_URL or WORKSPACE_BUCKET is not set. Does the SequentialJob have spec.workspace?")
	}
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	// The server does not respond to what it refuses. It tells the connection why.
	refused := func(_ *nats.Conn, _ *nats.Subscription, err error) { say("the object store says: " + err.Error()) }
	options := []nats.Option{nats.Name("step"), nats.ErrorHandler(refused)}
	if prefix := os.Getenv(inboxVariable); prefix != "" {
		options = append(options, nats.CustomInboxPrefix(prefix)) // the only one on which the credentials let it receive responses
	}
	if credentials := os.Getenv(credentialsVariable); credentials != "" {
		options = append(options, nats.UserCredentialBytes([]byte(credentials)))
	}
	connection, err := nats.Connect(url, options...)
	if err != nil {
		return err
	}
	defer connection.Close()
	stream, err := jetstream.New(connection)
	if err != nil {
		return err
	}
	files, err := stream.ObjectStore(ctx, bucket)
	if err != nil {
		return err
	}
	return use(ctx, files)
}
