// Command control-loop keeps a ConfigMap with the number of Jobs in each namespace that has any.
package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// The controller's role is generated from these markers. It allows nothing else.
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=list;watch;create;update

// workers is how many namespaces are reconciled at the same time.
const workers = 4

func main() {
	if err := run(); err != nil {
		slog.Error("The controller failed", "error", err)
		os.Exit(1)
	}
}

// run runs the controller until the process receives a signal to stop.
func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return fmt.Errorf("read KUBECONFIG: %w", err)
	}
	config.QPS = -1 // no limit here: the API server limits its clients itself, and fairly
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("create a client: %w", err)
	}
	controller, err := newController(client)
	if err != nil {
		return err
	}
	controller.run(ctx)
	return nil
}
