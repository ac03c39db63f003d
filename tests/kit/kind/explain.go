package kind

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"

	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// RuntimeScript lets Docker run privileged containers on a restricted host.
const RuntimeScript = "tests/kit/kind/docker-runtime.sh"

// A cause is a reason for failures that a program's output reveals.
type cause struct {
	says     []string // any of it
	sentence string
}

var causes = []cause{
	{
		[]string{"permission denied while trying to connect to the Docker daemon", "permission denied while trying to connect to the docker API"},
		"you may not use Docker: 'sudo usermod -aG docker \"$USER\"' and log in again",
	},
	{
		[]string{"Cannot connect to the Docker daemon", "failed to connect to the docker API", "error during connect"},
		"Docker does not run: start it ('sudo systemctl start docker', or Docker Desktop) and try again",
	},
	{
		[]string{"no space left on device", "No space left on device", "ENOSPC"},
		"a disk is full: 'docker system prune' removes what Docker doesn't use; building a node image takes about 6 GB, a cluster 2",
	},
	{
		[]string{"unable to apply caps"},
		"Docker can't run privileged containers, as root lacks the capability SYS_RESOURCE on this host. To run Docker without it: sudo " + RuntimeScript +
			" install. To undo that: sudo " + RuntimeScript + " remove",
	},
}

// explain turns the reason why something failed into one that says what to do. Errors it knows nothing about are
// returned as they are, with what the program said that failed.
func explain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted; nothing half done is in the way of the next try: %w", err)
	case errors.Is(err, exec.ErrNotFound):
		return fmt.Errorf("%w: install what is missing ('make doctor' says how)", err)
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s", causes[2].sentence)
	}
	said := err.Error()
	if failed := kindexec.RunErrorForError(err); failed != nil {
		said += "\n" + strings.TrimSpace(string(failed.Output))
	}
	for _, cause := range causes {
		for _, words := range cause.says {
			if strings.Contains(said, words) {
				return errors.New(cause.sentence)
			}
		}
	}
	return err
}

// CheckPrivileged says why Docker can't run the privileged container that a node
// is, if it can't. It tries it with the step program.
func CheckPrivileged(ctx context.Context) error {
	if err := buildImage(ctx, stepSource); err != nil {
		return explain(err)
	}
	_, err := docker(ctx, "run", "--rm", "--privileged", "--user", "0", "--network", "none", StepImage)
	return explain(err)
}

// CheckDocker says why Docker can't be used, if it can't.
func CheckDocker(ctx context.Context) error {
	if _, err := exec.LookPath("docker"); err != nil {
		return errors.New("there is no Docker on this machine: install it (on Debian: apt-get install docker.io); 'make test' does without")
	}
	_, err := docker(ctx, "version", "--format", "{{.Server.Version}}")
	return explain(err)
}
