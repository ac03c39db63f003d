package kind

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	kindexec "sigs.k8s.io/kind/pkg/exec"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestExplain(t *testing.T) {
	said := func(output string) error {
		return fmt.Errorf("do it: %w", &commandError{command: "docker x", output: output, err: errors.New("exit status 1")})
	}
	for name, test := range map[string]struct {
		err  error
		want string
	}{
		"Docker does not run": {
			said("Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?"), "Docker does not run: start it"},
		"the socket is not for us": {
			said("permission denied while trying to connect to the Docker daemon socket at unix:///var/run/docker.sock"), "usermod -aG docker"},
		"a disk is full":       {said("write /var/lib/docker/tmp/x: no space left on device"), "docker system prune"},
		"our own disk is full": {fmt.Errorf("write: %w", syscall.ENOSPC), "docker system prune"},
		"a capability is withheld": {
			said("OCI runtime create failed: container_linux.go:380: unable to apply caps: operation not permitted: unknown"), RuntimeScript + " install"},
		"kind says it": {
			&kindexec.RunError{Command: []string{"docker", "run"}, Output: []byte("unable to apply caps"), Inner: errors.New("exit status 125")},
			RuntimeScript + " install"},
		"interrupted":     {fmt.Errorf("docker: %w", context.Canceled), "interrupted; nothing half done"},
		"nothing special": {said("no such image"), "do it: docker x: exit status 1: no such image"},
		"no program":      {fmt.Errorf("docker: %w", exec.ErrNotFound), "make doctor"},
	} {
		t.Run(name, func(t *testing.T) { assert.Error(t, explain(test.err), test.want) })
	}
	must.Succeed(t, explain(nil))
}

func TestEveryCauseIsASentence(t *testing.T) {
	for _, cause := range causes {
		if strings.Contains(cause.sentence, "\n") {
			t.Errorf("%q is more than a line", cause.sentence)
		}
	}
}
