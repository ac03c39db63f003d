package main

import (
	"os"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/must"
)

func TestOneStepGetsWhatAnotherHasPut(t *testing.T) {
	server, err := buckets.Start(t.Context(), t.TempDir(), os.Stderr)
	must.Succeed(t, err)
	t.Cleanup(func() { _ = server.Stop() })
	connection, err := nats.Connect(server.URL())
	must.Succeed(t, err)
	t.Cleanup(connection.Close)
	stream, err := jetstream.New(connection)
	must.Succeed(t, err)
	_, err = stream.CreateObjectStore(t.Context(), jetstream.ObjectStoreConfig{Bucket: "ws-1"})
	must.Succeed(t, err)
	t.Setenv(urlVariable, server.URL())
	t.Setenv(bucketVariable, "ws-1")

	if code := (options{what: "compiling", put: "app"}).run(t.Context()); code != 0 {
		t.Errorf("the step that puts the file ended with %d", code)
	}
	if content, err := getFile(t.Context(), "app"); err != nil || content != "compiling" {
		t.Errorf("the file has %q (%v), want what the step has said", content, err)
	}
	if code := (options{get: "another"}).run(t.Context()); code != 1 {
		t.Errorf("a step that needs a file that nobody has put ended with %d, want 1", code)
	}
}

// The program spells the names out, so that it needs nothing of Kubernetes.
func TestTheVariablesAreThoseThatStepsGet(t *testing.T) {
	for entry, variable := range map[string]string{
		v1alpha1.BindingURL:         urlVariable,
		v1alpha1.BindingBucket:      bucketVariable,
		v1alpha1.BindingCredentials: credentialsVariable,
		v1alpha1.BindingInboxPrefix: inboxVariable,
	} {
		if want := v1alpha1.WorkspacePrefix + entry; variable != want {
			t.Errorf("the program reads %s, a step gets %s", variable, want)
		}
	}
}
