// Package explore plays generated runs with a controller until one fails, or the user has seen enough.
package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/scripts/course/runs"
	"example.com/controller-course/scripts/course/usage"
	"example.com/controller-course/tests/checks"
	"example.com/controller-course/tests/checks/generated"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/explore"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/lesson"
)

// flags are what a user chooses.
type flags struct {
	usage.Code
	choose usage.Flags
	seed   int
	plan   string
	limit  time.Duration
}

func (f *flags) addTo(command *cobra.Command, limit time.Duration) {
	command.Flags().IntVar(&f.seed, "seed", 1, "begin with the run of this seed")
	command.Flags().StringVar(&f.plan, "plan", "", "play this run alone, as a finding names it")
	command.Flags().DurationVar(&f.limit, "for", limit, "stop after this time, such as 5m; 0 for never")
	command.Flags().StringVar(&f.choose.World, "world", "", "play in this world alone, not in all of them in turn")
	command.MarkFlagsMutuallyExclusive("plan", "seed")
	command.MarkFlagsMutuallyExclusive("plan", "for")
}

// LessonCommand returns the command that explores the code of a lesson.
func LessonCommand() *cobra.Command {
	var flags flags
	command := usage.Command("explore N", "Play generated runs with your controller until one fails", func(cmd *cobra.Command, l usage.Lesson) error {
		if err := l.MustRunSequences("so there are no generated runs for it"); err != nil {
			return err
		}
		var err error
		if flags.Code, err = flags.choose.Code(l); err != nil {
			return err
		}
		if err := l.MustHave(flags.Code); err != nil {
			return err
		}
		check, err := l.Choose(l.Taught.Check)
		if err != nil {
			return err
		}
		return flags.run(cmd, fmt.Sprintf("explore-%02d", l.Number), usage.Goal(l.Number)+" explore", explore.Options{
			Lesson: l.Lesson, Check: check[0], Taught: l.AllTaught(),
		})
	})
	flags.addTo(command, 0)
	flags.choose.AddTo(command, "impl", "bin", "wrong")
	return command
}

// Command returns the command that explores the finished operator.
func Command() *cobra.Command {
	var flags flags
	command := &cobra.Command{
		Use:   "explore",
		Short: "Play generated runs with the finished operator until one fails",
		Long: "Plays generated runs with the finished operator, in all worlds in turn, until one fails or the time is up. After 30\n" +
			"minutes or more without a finding it writes what happened into docs/reliability.md, unless it was interrupted, or a\n" +
			"seed, a plan or a world was chosen.",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if flags.Code, err = operator(); err != nil {
				return err
			}
			return flags.run(cmd, "explore", "make explore", explore.Options{
				Lesson: complete, Check: operatorsRule, Taught: lesson.TaughtBy(checks.Lessons()),
			})
		},
	}
	flags.addTo(command, time.Hour)
	return command
}

// run explores, and reports what it has found.
func (f *flags) run(cmd *cobra.Command, name, command string, options explore.Options) error {
	if f.seed < 1 {
		return usage.Errorf("a seed is a number from 1 on, not %d", f.seed)
	}
	world, err := f.world(options.Lesson.Kind)
	if err != nil {
		return err
	}
	if f.plan != "" {
		run, err := generated.Parse(f.plan)
		if err != nil {
			return usage.Errorf("PLAN: %w", err)
		}
		options.Run = &run
	}
	folder, release, err := runs.Prepare(cmd.Context(), name, cmd.ErrOrStderr())
	if err != nil {
		return err
	}
	defer release()
	tally := &tally{out: cmd.ErrOrStderr(), first: f.seed, began: time.Now(), covered: map[string]int{}}
	options.Seed, options.World, options.Pictures, options.Tally = f.seed, world, folder, tally
	options.Again = func(run generated.Run, in worlds.World) string {
		return fmt.Sprintf("%s WORLD=%s PLAN='%s'%s", command, in.Name, run, f.Typed)
	}
	failed, err := f.explore(cmd.Context(), filepath.Join(folder, "work"), options)
	if err != nil {
		return err
	}
	if err := tally.conclude(cmd.OutOrStdout(), failed); err != nil {
		return err
	}
	if options.Check.ID == operatorsRule.ID && f.whole() && cmd.Context().Err() == nil {
		return tally.writeScoreboard()
	}
	return nil
}

// enough is how long the finished operator must be explored for docs/reliability.md to have the result.
const enough = 30 * time.Minute

// whole says whether the user has chosen nothing but how long to explore, and that is long enough.
func (f *flags) whole() bool {
	return f.plan == "" && f.seed == 1 && f.choose.World == "" && f.limit >= enough
}

// world says where the run of a seed takes place: in all worlds in turn, unless the user has chosen one.
func (f *flags) world(kind lesson.Kind) (func(seed int) worlds.World, error) {
	all := worlds.Of(kind)
	if f.choose.World == "" {
		return func(seed int) worlds.World { return all[seed%len(all)] }, nil
	}
	chosen, err := worlds.Find(kind, f.choose.World)
	if err != nil {
		return nil, usage.Errorf("%w", err)
	}
	return func(int) worlds.World { return chosen }, nil
}

// explore builds the code and explores it. The control plane stays up for runs that have begun when the user stops it.
func (f *flags) explore(ctx context.Context, dir string, options explore.Options) (_ *explore.Failure, err error) {
	stop := ctx
	if f.limit > 0 {
		var cancel context.CancelFunc
		stop, cancel = context.WithTimeout(ctx, f.limit)
		defer cancel()
	}
	playing, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer os.RemoveAll(dir)
	bench := judge.Open(playing, options.Lesson.Kind, dir)
	defer func() {
		if err != nil {
			cancel() // the control plane may still be starting
		}
		err = errors.Join(err, bench.Close())
	}()
	candidate, _, blocked, err := bench.Admit(ctx, f.Code.Code, filepath.Join(dir, "code"))
	if err != nil || blocked != nil {
		return &explore.Failure{Blocked: blocked}, err
	}
	defer candidate.Release()
	return explore.Explore(ctx, candidate, options, stop.Done())
}

// tally counts runs, and says every now and then how many there are.
type tally struct {
	out     io.Writer
	first   int // seed
	began   time.Time
	said    time.Time
	runs    int
	unclear int    // not judged
	why     string // the last of them was not
	covered map[string]int
}

func (t *tally) Done(verdict judge.Verdict) {
	t.runs++
	if verdict.NotJudged != "" {
		t.unclear++
		t.why = verdict.NotJudged
	}
	const every = 5 * time.Second
	if time.Since(t.said) >= every {
		t.said = time.Now()
		fmt.Fprintf(t.out, "  %s after %s\n", scene.Counted(t.runs, "run", "runs"), time.Since(t.began).Round(time.Second))
	}
}

func (t *tally) Covered(kind string) { t.covered[kind]++ }

func (t *tally) Shrinking(failed generated.Run) {
	fmt.Fprintf(t.out, "A run of %s has failed. Looking for the shortest one that fails in the same way\n", scene.Counted(len(failed), "act", "acts"))
}

func (t *tally) Shrunk(shorter generated.Run) {
	fmt.Fprintf(t.out, "  %s\n", scene.Counted(len(shorter), "act", "acts"))
}

// conclude reports the result.
func (t *tally) conclude(out io.Writer, failed *explore.Failure) error {
	if failed != nil {
		found := failed.Blocked
		if found == nil {
			found = &failed.Verdict.Findings[0]
		}
		if found.Read != "" && failed.Verdict.Check.ID == operatorsRule.ID {
			found.Read = "docs/design.md#7-invariants"
		}
		if err := report.Finding(out, *found); err != nil {
			return err
		}
		return fmt.Errorf("a generated run has failed, of %s", scene.Counted(t.runs, "run", "runs"))
	}
	switch {
	case t.runs == 0:
		return usage.NotJudgedf("no run was played in %s; building takes a part of that", t.took())
	case t.runs == t.unclear:
		return usage.NotJudgedf("no finding in %s, but none could be judged: %s", scene.Counted(t.runs, "run", "runs"), t.why)
	}
	fmt.Fprintf(out, "No finding in %s. What happened in them:\n%s", t.judged(), t.coverage())
	return nil
}

func (t *tally) took() time.Duration { return time.Since(t.began).Round(time.Second) }

// judged says how many runs were judged, and how many could not be.
func (t *tally) judged() string {
	says := fmt.Sprintf("%s in %s, from seed %d on", scene.Counted(t.runs-t.unclear, "run", "runs"), t.took(), t.first)
	if t.unclear > 0 {
		says += fmt.Sprintf(" (%d more could not be judged)", t.unclear)
	}
	return says
}
