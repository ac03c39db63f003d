package main

import (
	"context"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/buckets"
	"example.com/controller-course/sequentialjob/workspace"
)

// The environment says where the object store is. Without NATS_URL there is none, and Workspaces are not ready.
const (
	storeURL         = "NATS_URL"         // nats://host:port
	storeCredentials = "NATS_CREDENTIALS" // file with the operator's own credentials; not needed if the store asks for none
	signingKey       = "NATS_SIGNING_KEY" // file with the seed of a scoped signing key; without it bindings have no credentials
	accountKey       = "NATS_ACCOUNT"     // public key of the account to which the signing key belongs
)

// Without a store, the status of each Workspace says so. With one, the operator needs the role in config/store too.
// +kubebuilder:rbac:groups=batch.example.com,resources=workspaces/status,verbs=patch

// storeOptions connects to the object store that the environment names. The store may be down: the operator goes on without
// waiting for it.
func storeOptions(interval time.Duration) (workspace.Options, error) {
	options := workspace.Options{Interval: interval}
	url := os.Getenv(storeURL)
	if url == "" {
		return options, nil
	}
	store, err := buckets.Connect(buckets.Options{URL: url, Credentials: os.Getenv(storeCredentials)})
	if err != nil {
		return options, fmt.Errorf("setting up the object store that %s and %s name: %w", storeURL, storeCredentials, err)
	}
	options.Store = store
	if path := os.Getenv(signingKey); path != "" {
		seed, err := os.ReadFile(path)
		if err != nil {
			return options, fmt.Errorf("reading the file that %s names: %w", signingKey, err)
		}
		issuer, err := buckets.NewIssuer(seed, os.Getenv(accountKey))
		if err != nil {
			return options, fmt.Errorf("setting up the issuer of credentials from %s and %s: %w", signingKey, accountKey, err)
		}
		options.Issuer = issuer
	}
	return options, nil
}

// clusterUID identifies the cluster: the UID of a namespace that lives as long as it does.
func clusterUID(ctx context.Context, live client.Reader) (string, error) {
	namespace := &corev1.Namespace{}
	if err := live.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, namespace); err != nil {
		return "", fmt.Errorf("reading the namespace whose UID identifies the cluster: %w", err)
	}
	return string(namespace.UID), nil
}
