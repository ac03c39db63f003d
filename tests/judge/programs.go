package judge

import (
	"context"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/invariants"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/process"
	"example.com/controller-course/tests/kit/stage"
	"example.com/controller-course/tests/lesson"
	"example.com/controller-course/tests/subject"
)

// programs judges programs: controllers, and lesson 1's with client-go. Several can be judged at the same time.
type programs struct {
	ctx    context.Context
	ground plane[*stage.Ground]

	building sync.Mutex // go build uses all processors by itself

	mu         sync.Mutex
	identities map[[sha256.Size]byte]stage.Controller // by their roles; their binary is not used
	on         *stage.Ground                          // where these identities are
}

func newPrograms(ctx context.Context, dir string) *programs {
	b := &programs{ctx: ctx}
	b.ground.start = func(ctx context.Context) (*stage.Ground, error) {
		finished, err := subject.Finished("")
		if err != nil {
			return nil, err
		}
		return stage.StartGround(ctx, finished.CRDs, filepath.Join(dir, "ground"))
	}
	b.ground.ensure(ctx)
	return b
}

func (b *programs) Close() error { return b.ground.stop() }

func (b *programs) Admit(ctx context.Context, code Code, dir string) (Candidate, Took, *finding.Finding, error) {
	b.ground.ensure(b.ctx)
	began := time.Now()
	built, blocked, err := b.build(ctx, code, dir)
	took := Took{Building: time.Since(began)}
	if blocked != nil || err != nil {
		return nil, took, blocked, err
	}
	ground, waited, err := b.ground.wait()
	took.ControlPlane = waited
	if err != nil {
		return nil, took, nil, err
	}
	controller, err := b.identify(ctx, ground, built.AllRoles()...)
	controller.Binary = built.Binary
	store := subject.AsksStore(process.Unbound(built.Binary)) // a script has no build information
	if store {
		controller.Usage = process.Usage(ctx, built.Binary)
	}
	return &program{ground, controller, store}, took, nil, err
}

func (b *programs) build(ctx context.Context, code Code, dir string) (subject.Subject, *finding.Finding, error) {
	b.building.Lock()
	defer b.building.Unlock()
	return code.Build(ctx, dir)
}

// identify lets a controller act on the control plane with the roles in files. Controllers with the same roles
// are the same ServiceAccount: that saves creating one at each save.
func (b *programs) identify(ctx context.Context, ground *stage.Ground, roles ...string) (stage.Controller, error) {
	var text []byte
	for _, file := range roles {
		part, err := os.ReadFile(file)
		if err != nil {
			return stage.Controller{}, err
		}
		text = append(text, part...)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.on != ground {
		b.on, b.identities = ground, map[[sha256.Size]byte]stage.Controller{}
	}
	key := sha256.Sum256(text)
	if known, is := b.identities[key]; is {
		return known, nil
	}
	admitted, err := ground.Admit(ctx, "", roles...)
	if err == nil {
		b.identities[key] = admitted
	}
	return admitted, err
}

// program is a program that can be judged.
type program struct {
	ground     *stage.Ground
	controller stage.Controller
	asksStore  bool // so it needs one in the checks of all lessons
}

func (*program) Release() {}

// parallel is more than there are processors: checks wait most of the time.
func (*program) parallel() int { return 6 * runtime.NumCPU() }

// patience is how long a controller may take for what it has to do, after the last thing that happened to
// it: more than its longest wait before a retry.
const patience = 10 * time.Second

// playOne plays a situation of a check, on a stage of its own.
func (p *program) playOne(
	ctx context.Context, l lesson.Lesson, check lesson.Check, situation func(*scene.Scene), world worlds.World, waiting func(missing string),
) (came played, err error) {
	observed := slices.Clone(kinds.Default)
	store := l.Store || p.asksStore && l.Kind == lesson.Controller
	if store {
		observed = append([]kinds.Kind{kinds.Workspace, kinds.Secret}, observed...)
	}
	if check.Events {
		observed = append(observed, kinds.Event)
	}
	opened, err := p.ground.Open(ctx, stage.Options{
		Controller: p.controller, Patience: patience, Rules: rulesOf(l, check), Confined: true,
		Kinds: observed, WithStore: store, Others: check.Others + len(world.Namespaces), Prompt: l.Prompt, Waiting: waiting,
	})
	if err != nil {
		return played{}, err
	}
	defer func() {
		if closeErr := opened.Close(context.WithoutCancel(ctx)); err == nil {
			err = closeErr
		}
	}()
	came.Outcome, err = scene.New(ctx, opened, check.ID, world, l.Reports).Run(situation)
	run := opened.Log.Run()
	came.run = &run
	return came, err
}

// always are the invariants that hold in every check of a controller of SequentialJobs.
var always = []invariants.ID{invariants.I3, invariants.I8}

// rulesOf are the invariants of a check, which may be none; nil would stand for all.
func rulesOf(l lesson.Lesson, check lesson.Check) []invariants.ID {
	rules := append([]invariants.ID{}, check.Rules...)
	if l.Kind == lesson.Controller {
		rules = append(rules, always...)
	}
	return rules
}
