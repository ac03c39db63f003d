// Command natskeys prints the keys for a NATS server that has the buckets of Workspaces, as a manifest for config/nats:
//
//	go run ./sequentialjob/natskeys | kubectl create -f -
//
// Each call makes new keys, and with new ones nobody gets at the buckets of the old ones. That is why the command above is
// create, not apply: it doesn't replace keys that exist.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/sequentialjob/internal/identities"
)

// The namespaces of the programs that use the keys, as in config/nats.
const (
	serverNamespace   = "nats"
	operatorNamespace = "sequentialjob-system"
)

func main() {
	storage := flag.String("storage", "1Gi", "how much all buckets together may hold, as a quantity; at most the server's max_file_store, or the server does not start; each bucket reserves its capacity")
	most := flag.Int64("buckets", 1000, "how many buckets there may be")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Prints the keys for sequentialjob/config/nats, new ones each time:\n\n"+
			"    go run ./sequentialjob/natskeys | kubectl create -f -\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(os.Stdout, flag.Args(), *storage, *most); err != nil {
		fmt.Fprintln(os.Stderr, "natskeys:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, args []string, storage string, most int64) error {
	if len(args) > 0 {
		return fmt.Errorf("there are arguments that it doesn't know: %s", strings.Join(args, " "))
	}
	quantity, err := resource.ParseQuantity(storage)
	if err != nil {
		return fmt.Errorf("--storage is %q, which is no quantity: it must look like 500Mi or 1Gi", storage)
	}
	if quantity.Sign() <= 0 || most <= 0 {
		return fmt.Errorf("--storage is %s and --buckets is %d; both have to be positive", storage, most)
	}
	objects, err := manifest(identities.Limits{Storage: quantity.Value(), Buckets: most})
	if err != nil {
		return err
	}
	for _, object := range objects {
		document, err := yaml.Marshal(object)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(out, "---\n%s", document); err != nil {
			return err
		}
	}
	return nil
}

// manifest returns new keys: a Secret for each who uses them.
func manifest(limits identities.Limits) ([]*corev1.Secret, error) {
	made, err := identities.New()
	if err != nil {
		return nil, err
	}
	config, err := made.ServerConfig(limits)
	if err != nil {
		return nil, err
	}
	account, err := made.Account()
	if err != nil {
		return nil, err
	}
	signingKey, err := made.SigningKey()
	if err != nil {
		return nil, err
	}
	credentials, err := made.Credentials()
	if err != nil {
		return nil, err
	}
	seeds, err := made.Seeds()
	if err != nil {
		return nil, err
	}
	return []*corev1.Secret{
		secret(serverNamespace, "nats-accounts", "Which accounts the server has.",
			map[string][]byte{"accounts.conf": []byte(config)}),
		secret(operatorNamespace, "sequentialjob-object-store", "How the operator signs in, and the key with which it signs the credentials of Workspaces.",
			map[string][]byte{"operator.creds": credentials, "signing-key": signingKey, "account": []byte(account)}),
		secret(serverNamespace, "nats-identities", "The keys with which the accounts can be changed. No program needs them: move them to a safe place, and delete this Secret.",
			seeds),
	}, nil
}

func secret(namespace, name, about string, data map[string][]byte) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name,
			Labels:      map[string]string{"app.kubernetes.io/part-of": "sequentialjob"},
			Annotations: map[string]string{"batch.example.com/about": about},
		},
		Data: data,
	}
}
