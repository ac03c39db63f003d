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

// The UID of this namespace identifies the cluster. It lives as long as the cluster does.
// +kubebuilder:rbac:groups="",resources=namespaces,resourceNames=kube-system,verbs=get

// storeOptions connects to the object store that the environment names. The store may be down: the operator goes on without
// waiting for it.
func storeOptions(ctx context.Context, live client.Reader, interval time.Duration) (workspace.Options, error) {
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
	namespace := &corev1.Namespace{}
	if err := live.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, namespace); err != nil {
		return options, fmt.Errorf("reading the namespace whose UID identifies the cluster: %w", err)
	}
	options.Cluster = string(namespace.UID)
	return options, nil
}
