package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
)

var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

// keepOnFailure has a spec that fails leave what there is to look at, in a folder that its message names.
func keepOnFailure(namespace string) {
	DeferCleanup(func(ctx SpecContext) {
		report := CurrentSpecReport()
		if !report.Failed() {
			return
		}
		dir := filepath.Join(logsFolder, strings.Trim(unfit.ReplaceAllString(report.FullText(), "-"), "-"))
		keep(ctx, dir, namespace)
		AddReportEntry("Logs of the operator and the steps, objects and events are in " + dir)
	}, NodeTimeout(time.Minute))
}

// keep writes logs, objects and events of a namespace and of the operator's to files.
func keep(ctx context.Context, dir, namespace string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		fmt.Fprintln(GinkgoWriter, err)
		return
	}
	for _, part := range []struct{ file, args string }{
		{"operator.log", "-n " + operatorNamespace + " logs --selector " + operatorLabel + " --tail=-1 --prefix"},
		{"operator-before.log", "-n " + operatorNamespace + " logs --selector " + operatorLabel + " --tail=-1 --prefix --previous"},
		{"operator.txt", "-n " + operatorNamespace + " get deployments,pods,leases,events -o wide"},
		{"steps.log", "-n " + namespace + " logs --selector batch.example.com/sequentialjob --tail=-1 --prefix"},
		{"sequentialjobs.yaml", "-n " + namespace + " get sequentialjobs -o yaml"},
		{"jobs.yaml", "-n " + namespace + " get jobs -o yaml"},
		{"pods.yaml", "-n " + namespace + " get pods -o yaml"},
		{"events.txt", "-n " + namespace + " events"},
	} {
		output, err := tryKubectl(ctx, strings.Fields(part.args)...)
		if err != nil {
			output = err.Error()
		}
		if err := os.WriteFile(filepath.Join(dir, part.file), []byte(output), 0o644); err != nil {
			fmt.Fprintln(GinkgoWriter, err)
		}
	}
}
