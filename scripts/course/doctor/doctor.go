// Package doctor examines whether this machine has what the commands need.
package doctor

import (
	"context"
	"errors"
	"fmt"
	goversion "go/version"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/mod/modfile"

	"example.com/controller-course/tests/kit/assets"
	"example.com/controller-course/tests/kit/kind"
	"example.com/controller-course/tests/kit/repo"
)

// Command returns the command doctor.
func Command() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Show what this machine has and lacks, and how to fix it",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return examine(cmd.Context(), cmd.OutOrStdout())
		},
	}
}

// A finding is what the doctor knows about one thing.
type finding struct {
	ok   bool
	what string
	cure string // what to do if it is not ok
}

// examine prints the findings for each command. It returns an error if the lessons, which everybody needs, can't work.
func examine(ctx context.Context, out io.Writer) error {
	goFinding, err := findGo(ctx)
	if err != nil {
		return err
	}
	binaries, disk, err := findBinaries()
	if err != nil {
		return err
	}
	lessons, git := []finding{goFinding, binaries, disk}, findProgram("git", "git")
	lessonsWork := report(out, "make lesson-1, make lesson-2 and so on, make demo, make playground, make bench", lessons)
	report(out, "make lesson-4 carry, and carry in later lessons", []finding{git})
	report(out, "make test, which only changing the course needs", append(lessons, git, findCompiler(ctx)))
	docker := findDocker(ctx)
	report(out, "make image", []finding{goFinding, docker})
	if e2e := append([]finding{goFinding, disk, docker}, findKind(ctx, docker.ok)...); !report(out, "make e2e, make cluster-up, make node-image", e2e) {
		fmt.Fprintln(out, "Only make image and these three commands need Docker; everything else works without it.")
	}
	if !lessonsWork {
		return errors.New("the lessons can't work on this machine yet: see above")
	}
	return nil
}

func report(out io.Writer, command string, findings []finding) (works bool) {
	works = true
	fmt.Fprintln(out, command)
	for _, f := range findings {
		mark, cure := "✓", ""
		if !f.ok {
			mark, cure, works = "✗", "\n      "+f.cure, false
		}
		fmt.Fprintf(out, "  %s %s%s\n", mark, f.what, cure)
	}
	fmt.Fprintln(out)
	return works
}

func findGo(ctx context.Context) (finding, error) {
	root, err := repo.Root()
	if err != nil {
		return finding{}, err
	}
	data, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return finding{}, err
	}
	goMod, err := modfile.ParseLax("go.mod", data, nil)
	if err != nil {
		return finding{}, err
	}
	needs := goMod.Go.Version
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION")
	cmd.Dir = root
	version, err := cmd.Output()
	if err != nil {
		return finding{what: fmt.Sprintf("go does not run: %v", err), cure: "install Go " + needs + " or newer: https://go.dev/dl"}, nil
	}
	return judgeGo(strings.TrimSpace(string(version)), needs), nil
}

// judgeGo compares the output of "go env GOVERSION" with the version that go.mod requires.
func judgeGo(version, needs string) finding {
	number, _, _ := strings.Cut(version, " ") // experiments may follow
	return finding{
		ok:   goversion.Compare(number, "go"+needs) >= 0,
		what: fmt.Sprintf("%s (needs %s)", version, needs),
		cure: "install Go " + needs + " or newer: https://go.dev/dl",
	}
}

// The room that commands need: to build all binaries, most of it in Go's build cache; to build
// a node image; and to run what is built.
const (
	gigabyte    = 1 << 30
	roomToBuild = 3 * gigabyte
	roomForNode = 6 * gigabyte
	roomToRun   = gigabyte / 2
)

// findBinaries finds which binaries are cached, and whether there is room to build the
// others. Missing binaries are no fault: the first command that needs them builds them.
func findBinaries() (binaries, disk finding, err error) {
	missing, usually, err := assets.Missing()
	if err != nil {
		return finding{what: "the binaries of the control plane and of the object store", cure: err.Error()}, findRoom(roomToRun), nil
	}
	if len(missing) == 0 {
		return finding{ok: true, what: "the binaries of the control plane and of the object store are cached"}, findRoom(roomToRun), nil
	}
	names := make([]string, len(missing))
	for i, name := range missing {
		names[i] = string(name)
	}
	what := fmt.Sprintf("built when first needed, or by 'make assets' (usually %s on 2 cores): %s", usually, strings.Join(names, ", "))
	return finding{ok: true, what: what}, findRoom(roomToBuild), nil
}

// findRoom looks at the disk with the user's cache directory. For nearly everybody it has
// Go's build cache too.
func findRoom(needs uint64) finding {
	dir, err := os.UserCacheDir()
	if err != nil {
		return finding{what: "no cache directory", cure: "set HOME or XDG_CACHE_HOME"}
	}
	var disk syscall.Statfs_t
	for err = syscall.Statfs(dir, &disk); errors.Is(err, os.ErrNotExist); err = syscall.Statfs(dir, &disk) {
		dir = filepath.Dir(dir)
	}
	if err != nil {
		return finding{what: fmt.Sprintf("the free space in %s is unknown: %v", dir, err), cure: "make it readable"}
	}
	return judgeRoom(dir, disk.Bavail*uint64(disk.Bsize), needs)
}

func judgeRoom(dir string, free, needs uint64) finding {
	inGB := func(bytes uint64) float64 { return float64(bytes) / gigabyte }
	return finding{
		ok:   free >= needs,
		what: fmt.Sprintf("%.1f GB free in %s (needs %.1f)", inGB(free), dir, inGB(needs)),
		cure: "free some space, or point XDG_CACHE_HOME and GOCACHE to a disk that has it",
	}
}

func findProgram(name, debianPackage string) finding {
	_, err := exec.LookPath(name)
	return finding{ok: err == nil, what: name, cure: "install it; on Debian: apt-get install " + debianPackage}
}

// findCompiler looks for the C compiler that the race detector needs.
func findCompiler(ctx context.Context) finding {
	cc := "gcc"
	if configured, err := exec.CommandContext(ctx, "go", "env", "CC").Output(); err == nil {
		cc = strings.TrimSpace(string(configured))
	}
	f := findProgram(strings.Fields(cc + " ")[0], "gcc libc6-dev")
	f.what += ", the C compiler that the race detector needs"
	return f
}

func findDocker(ctx context.Context) finding {
	if err := kind.CheckDocker(ctx); err != nil {
		return finding{what: "Docker", cure: err.Error()}
	}
	version, _ := exec.CommandContext(ctx, "docker", "info", "--format", "{{.ServerVersion}}").Output()
	return finding{ok: true, what: strings.TrimSpace("Docker " + string(version))}
}

// findKind looks for what a cluster in Docker needs besides Docker.
func findKind(ctx context.Context, docker bool) []finding {
	if !docker {
		return nil
	}
	privileged := finding{ok: true, what: "privileged containers"}
	if err := kind.CheckPrivileged(ctx); err != nil {
		privileged = finding{what: "privileged containers", cure: err.Error()}
	}
	name, err := kind.HaveNodeImage(ctx)
	if err != nil {
		return []finding{privileged, {what: "the node image", cure: err.Error()}}
	}
	if name != "" {
		return []finding{privileged, {ok: true, what: "the node image " + name}}
	}
	image := finding{ok: true, what: "a node image is pulled when first needed, or built (a few minutes)"}
	if cannot := kind.CanBuildNodeImage(); cannot != nil {
		image.what = "a node image is pulled when first needed; where that is not possible, " + cannot.Error()
	}
	return []finding{privileged, image, findRoom(roomForNode)}
}
