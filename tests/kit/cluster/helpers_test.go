package cluster_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"example.com/controller-course/tests/kit/cluster"
)

func makeJob(name string) *batchv1.Job {
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
			RestartPolicy: corev1.RestartPolicyNever,
			Containers:    []corev1.Container{{Name: "main", Image: "none"}},
		}}},
	}
}

func widgets(c *cluster.Cluster) dynamic.NamespaceableResourceInterface {
	return dynamic.NewForConfigOrDie(c.Config()).
		Resource(schema.GroupVersionResource{Group: "test.example.com", Version: "v1", Resource: "widgets"})
}

// processesOf returns the command lines of the processes that run out of a cluster's folder, by process id.
func processesOf(dir string) map[int]string {
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		Skip("this system has no /proc to find processes in")
	}
	found := map[int]string{}
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	Expect(err).NotTo(HaveOccurred())
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended in the meantime
		}
		commandLine := strings.ReplaceAll(string(data), "\x00", " ")
		if strings.Contains(commandLine, dir+"/") {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
			Expect(err).NotTo(HaveOccurred())
			found[pid] = commandLine
		}
	}
	return found
}

// kill kills the program, not its guard, that runs in a cluster's folder.
func kill(dir, program string) {
	GinkgoHelper()
	for pid, commandLine := range processesOf(dir) {
		if strings.HasPrefix(commandLine, filepath.Join(dir, "real", program)+" ") {
			Expect(syscall.Kill(pid, syscall.SIGKILL)).To(Succeed())
			return
		}
	}
	Fail(program + " does not run in " + dir)
}
