// Command control-loop keeps in each namespace that has Jobs a ConfigMap that says how many there are.
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

// The role that the controller runs with is made out of these lines. It may do nothing else.
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch
// +kubebuilder:rbac:groups="",resources=configmaps,verbs=list;watch;create;update

// workers is how many namespaces are worked on at once.
const workers = 4

func main() {
	if err := run(); err != nil {
		slog.Error("The controller can't run", "error", err)
		os.Exit(1)
	}
}

// run runs the controller until the process is asked to end.
func run() error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return fmt.Errorf("read KUBECONFIG: %w", err)
	}
	config.QPS = -1 // the API server limits by itself, and fairly
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return fmt.Errorf("make a client: %w", err)
	}
	controller, err := newController(client)
	if err != nil {
		return err
	}
	controller.run(ctx)
	return nil
}
