package cluster_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"example.com/controller-course/tests/kit/cluster"
)

// ownerDir makes the test binary a process that owns a full cluster in the
// folder that the variable names, and does nothing else.
const ownerDir = "CLUSTER_TEST_OWNER_DIR"

// eventually ends what hangs, and decides nothing else: what is waited for usually takes a second or two.
const eventually = 3 * time.Minute

func TestMain(m *testing.M) {
	if dir := os.Getenv(ownerDir); dir != "" {
		own(dir)
	}
	os.Exit(m.Run())
}

func own(dir string) {
	_, err := cluster.Start(context.Background(), cluster.Options{Dir: dir, Full: true})
	fmt.Println("started:", err)
	select {}
}

func TestCluster(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Cluster")
}
