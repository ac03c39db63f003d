package finding

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/process"
)

// contract is where it stands what a controller has to do as a process.
const contract = "docs/design.md#5-the-contract-of-a-controller-under-test"

// Program is what is known of a controller's process. A *process.Process is one.
type Program interface {
	Outcome() process.Outcome
}

// NotCompiled is the finding for a controller that does not compile.
func NotCompiled(err *process.BuildError) Finding {
	if err.NotMain() {
		return Finding{
			Check: CheckBuild, Title: "The controller is a program",
			What: fmt.Sprintf("The package in %s is not a package main, so no program comes of it.", err.Dir),
			Why: "A controller is judged as a process. So what is judged has to be a folder with a main package, as lessons/03-reconcile is, " +
				"or a program (BIN=file).",
		}
	}
	what := fmt.Sprintf("The controller in %s does not compile. The compiler says, with file:line:column:\n%s",
		err.Dir, quoted(strings.Split(err.Output, "\n")...))
	switch {
	case marked.MatchString(err.Output):
		what += "\nMarks of carry (<<<<<<<, =======, >>>>>>>) are left there" + bringTogether
	case perhapsMarked.MatchString(err.Output):
		what += "\nIf such a line begins with <<<<<<<, ======= or >>>>>>>, it is a mark that carry has left" + bringTogether
	}
	return Finding{
		Check: CheckBuild, Title: "The controller compiles",
		What: what,
		Why: "Without a program there is nothing to judge, so no other check says anything yet. Begin with the first " +
			"line: the others often follow from it.",
	}
}

// What the compiler says of the marks of carry: within functions and types, and between declarations, where
// it says the same of other things.
var (
	marked        = regexp.MustCompile(`:1: syntax error: unexpected (<<|>>|==)`)
	perhapsMarked = regexp.MustCompile(`:1: (syntax error: non-declaration statement outside function body|missing import path)`)
)

const bringTogether = ": above ======= is your code, which you keep; below it is our code, of which you add what is new in the " +
	"lesson. Then remove the marks. make lesson-4 names them all, for lesson 4."

// Ended is the finding for a controller that has ended by itself, before or after its watches were up
// to date.
func Ended(p Program, upToDate bool) Finding {
	o := p.Outcome()
	switch {
	case o.Panic != nil && !o.Panic.Recovered && strings.HasPrefix(o.Panic.Message, o.How):
		return Panicked(*o.Panic)
	case upToDate:
		return Finding{
			Check: CheckEnd, Title: "The controller runs until it is asked to end",
			What: fmt.Sprintf("Your controller ended by itself, in the middle of its work (%s). %s", o.How, printed(o)),
			Why: "A pod whose program ends is started again, after a pause that grows each time. Meanwhile nobody looks " +
				"after the objects. What goes wrong with one of them is an error to return to whoever tries it again.",
			Read: contract,
		}
	}
	what := fmt.Sprintf("Your controller ended by itself before its watches were up (%s). %s", o.How, printed(o))
	if o.ExitCode == 0 {
		what += "\nCode 0 says that its main function came to its end: it has to wait there until it is asked to end."
	}
	return Finding{
		Check: CheckStart, Title: "The controller starts, and stays up",
		What: what,
		Why: "A pod whose program ends at once is started again and again, with longer and longer pauses " +
			"(CrashLoopBackOff), and looks after nothing. It is started with KUBECONFIG in its environment and the flags " +
			"--metrics-bind-address and --health-probe-bind-address.",
		Read: contract,
	}
}

// Panicked is the finding for a controller that has panicked, whether it ended by that or not.
func Panicked(p process.Panic) Finding {
	where := ""
	if p.Where != "" {
		where = " in " + p.Where
	}
	ending := "and that ended it:"
	if p.Recovered {
		ending = "in Reconcile. controller-runtime caught that and tries again; what comes after that line is never done:"
	}
	return Finding{
		Check: CheckPanic, Title: "The controller does not panic",
		What: fmt.Sprintf("Your controller panicked%s, %s\n%s", where, ending, quoted(strings.Split(p.Message, "\n")...)),
		Why: "A panic cuts the work short wherever it is. The next attempt meets the same object, and panics again: " +
			"it is never finished, and when the whole process ends, all the others wait too.",
	}
}

// NoWatch is the finding for a controller whose watches did not come up: for want of permissions, if
// it was refused any.
func NoWatch(run history.Run, p Program) Finding {
	if refused, is := Refused(run); is {
		return refused
	}
	instance := len(run.Processes)
	var waiting []string
	opened := false
	for _, stream := range run.Streams {
		if stream.Instance != instance {
			continue
		}
		opened = true
		if what := fmt.Sprintf("%s (answered %d)", stream.Resource, stream.Code); stream.UpToDate == 0 && !slices.Contains(waiting, what) {
			waiting = append(waiting, what)
		}
	}
	what := "Your controller runs, but has opened no watch."
	if opened {
		what = "Your controller runs, but not all of its watches have been told the state that they begin with"
		if len(waiting) > 0 {
			what += ": " + strings.Join(waiting, ", ")
		}
		what += "."
	}
	return Finding{
		Check: CheckWatch, Title: "The controller watches what it looks after",
		What: what + " " + printed(p.Outcome()),
		Why: "A controller learns by its watches that something is to be done. Until they have told it the state of the " +
			"cluster, it must not act, as it would act on what it does not know.",
		Read: contract,
	}
}

// IgnoresSigterm is the finding for a controller that did not end in time, with the error of Stop.
func IgnoresSigterm(err error) Finding {
	what := err.Error()
	var ignored *process.SigtermError
	if errors.As(err, &ignored) {
		what = fmt.Sprintf("Your controller was sent SIGTERM, had not ended %g s later, and was killed.", ignored.Patience.Seconds())
	}
	return Finding{
		Check: CheckStop, Title: "The controller ends when it is asked to",
		What: what,
		Why: "SIGTERM is how a pod is asked to end, with every rollout and every node that is drained. Who does not listen " +
			"is killed in the middle of whatever it does, and its successor waits until its lease has run out. In Go: a ctx " +
			"that ends with the signal, from signal.NotifyContext or ctrl.SetupSignalHandler, is passed to every call and every wait.",
		Read: contract,
	}
}

// LogFull is the finding for a controller that prints too much.
func LogFull(p Program) Finding {
	return Finding{
		Check: CheckLog, Title: "The controller's log can be read",
		What: "Your controller printed so much that its log was cut. " + printed(p.Outcome()),
		Why: "Logs are kept, searched and paid for. A line for each pass hides the one that matters, and " +
			"who prints in a loop fills the node's disk.",
	}
}

// printed is what a program said last.
func printed(o process.Outcome) string {
	if strings.Join(o.LastLines, "") == "" {
		return "It printed nothing."
	}
	return "The last that it printed:\n" + quoted(o.LastLines...)
}
