package checks

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"example.com/controller-course/tests/kit/cluster"
	"example.com/controller-course/tests/kit/repo"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/mutants"
	"example.com/controller-course/tests/subject"
)

// Catch is what came of a wrong version of a lesson's solution.
type Catch struct {
	Mutant   mutants.Mutant
	Verdicts []Verdict // of its own lesson's checks and of earlier ones'
}

// Failed are the checks that the mutant failed.
func (c Catch) Failed() []string {
	var failed []string
	for _, verdict := range c.Verdicts {
		if len(verdict.Findings) > 0 {
			failed = append(failed, verdict.Check.ID)
		}
	}
	return failed
}

// Wrong says what is not as the mutant says; it is empty when the check that is named has caught it, and no
// other one that isn't named.
func (c Catch) Wrong() string {
	failed := c.Failed()
	if !slices.Contains(failed, c.Mutant.CaughtBy.Check) {
		return fmt.Sprintf("check %s did not catch it", c.Mutant.CaughtBy.Check)
	}
	named := slices.Concat([]string{c.Mutant.CaughtBy.Check}, c.Mutant.AlsoBy, c.Mutant.Earlier)
	others := slices.DeleteFunc(failed, func(id string) bool { return slices.Contains(named, id) })
	if len(others) > 0 {
		return "it failed also " + strings.Join(others, ", ")
	}
	return ""
}

// Finding is what the check that is named for the mutant said; empty when it said nothing.
func (c Catch) Finding() string {
	for _, verdict := range c.Verdicts {
		if verdict.Check.ID == c.Mutant.CaughtBy.Check && len(verdict.Findings) > 0 {
			return verdict.Findings[0].What
		}
	}
	return ""
}

// Hunt holds wrong versions of solutions to the checks of their lesson and of earlier ones. What it makes is
// in dir. Done is told of each, one at a time.
func Hunt(ctx context.Context, dir string, wrong []mutants.Mutant, done func(Catch)) (catches []Catch, err error) {
	finished, err := subject.Finished(dir)
	if err != nil {
		return nil, err
	}
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	h := &hunt{dir: dir, root: root, roles: map[string]string{}}
	if h.ground, err = stage.StartGround(ctx, finished.CRDs, filepath.Join(dir, "runs")); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, h.ground.Stop()) }()

	catches = make([]Catch, len(wrong))
	var telling sync.Mutex
	one := func(ctx context.Context, i int) (err error) {
		if catches[i], err = h.judge(ctx, wrong[i]); err != nil {
			return fmt.Errorf("%s: %w", wrong[i], err)
		}
		telling.Lock()
		defer telling.Unlock()
		done(catches[i])
		return nil
	}
	// Those of lesson 2 need a control plane of their own, and those of lesson 1 the whole of one.
	err = together(ctx, wrong, func(m mutants.Mutant) bool { return m.Lesson >= firstRun }, hunters, one)
	if err == nil {
		err = together(ctx, wrong, func(m mutants.Mutant) bool { return m.Lesson == 1 }, 1, one)
	}
	if err == nil && slices.ContainsFunc(wrong, func(m mutants.Mutant) bool { return m.Lesson == 2 }) {
		h.api, err = cluster.Start(ctx, cluster.Options{Dir: filepath.Join(dir, "api")})
		if err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, h.api.Stop()) }()
		err = together(ctx, wrong, func(m mutants.Mutant) bool { return m.Lesson == 2 }, 1, one)
	}
	return catches, err
}

// hunters is how many mutants are judged at once: most of the time is spent waiting for what they don't do.
const hunters = 2

// firstRun is the lesson from which on a SequentialJob is run, and a controller has to keep the earlier
// lessons' rules too.
const firstRun = 3

func together(ctx context.Context, wrong []mutants.Mutant, meant func(mutants.Mutant) bool, atOnce int, judge func(context.Context, int) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(atOnce)
	for i := range wrong {
		if meant(wrong[i]) {
			group.Go(func() error { return judge(ctx, i) })
		}
	}
	return group.Wait()
}

type hunt struct {
	dir, root string
	ground    *stage.Ground
	api       *cluster.Cluster

	building sync.Mutex        // go build uses all cores by itself
	roles    map[string]string // files, by the folder with the code
}

func (h *hunt) judge(ctx context.Context, mutant mutants.Mutant) (Catch, error) {
	dir := filepath.Join(h.dir, fmt.Sprintf("%02d-%s", mutant.Lesson, mutant.Slug))
	defer os.RemoveAll(dir) // each program is some 40 MB
	source := filepath.Join(dir, "source")
	if err := mutant.Copy(source); err != nil {
		return Catch{}, err
	}
	lesson, err := Of(mutant.Lesson)
	if err != nil {
		return Catch{}, err
	}
	catch := Catch{Mutant: mutant}
	if mutant.Lesson == 2 {
		catch.Verdicts, err = JudgeAPI(ctx, lesson, lesson.Checks, APIOptions{Source: source, Dir: dir, Cluster: h.api})
		return catch, err
	}
	controller, err := h.admit(ctx, mutant, source, dir)
	if err != nil {
		return Catch{}, err
	}
	for number := min(firstRun, mutant.Lesson); number <= mutant.Lesson; number++ {
		if lesson, err = Of(number); err != nil {
			return Catch{}, err
		}
		verdicts, err := Judge(ctx, lesson, lesson.Checks, Options{Ground: h.ground, Controller: controller})
		if err != nil {
			return Catch{}, err
		}
		catch.Verdicts = append(catch.Verdicts, verdicts...)
	}
	return catch, nil
}

// admit builds the mutant, with the role of what it is a version of unless it asks for another.
func (h *hunt) admit(ctx context.Context, mutant mutants.Mutant, source, dir string) (stage.Controller, error) {
	h.building.Lock()
	defer h.building.Unlock()
	roles, err := h.rolesOf(ctx, mutant, source)
	if err != nil {
		return stage.Controller{}, err
	}
	built := subject.Subject{Source: source, Binary: filepath.Join(dir, "controller")}
	if err := built.Build(ctx); err != nil {
		return stage.Controller{}, err
	}
	return h.ground.Admit(ctx, built.Binary, roles)
}

func (h *hunt) rolesOf(ctx context.Context, mutant mutants.Mutant, source string) (string, error) {
	if !mutant.Permissions() {
		source = filepath.Join(h.root, mutant.Source())
	}
	if roles := h.roles[source]; roles != "" {
		return roles, nil
	}
	dir, err := os.MkdirTemp(h.dir, "roles-")
	if err != nil {
		return "", err
	}
	other, err := subject.Other(source, dir)
	h.roles[source] = other.Roles
	return other.Roles, err
}
