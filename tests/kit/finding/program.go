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

// contract is the text about what a controller has to do as a process.
const contract = "docs/design.md#5-the-contract-of-a-controller-under-test"

// Program is what is known about a controller's process. A *process.Process is one.
type Program interface {
	Outcome() process.Outcome
}

// NotCompiled is the finding for a controller that does not compile.
func NotCompiled(err *process.BuildError) Finding {
	if err.NotMain() {
		return Finding{
			Check: CheckBuild, Title: "The controller is a program",
			What: fmt.Sprintf("The package in %s is not a package main, so it can't be built as a program.", err.Dir),
			Why: "The judge runs a controller as a process. Give it a folder with a main package, such as lessons/03-reconcile, " +
				"or a program (BIN=file).",
		}
	}
	what := fmt.Sprintf("The controller in %s does not compile. The compiler says, with file:line:column:\n%s",
		err.Dir, quoted(strings.Split(err.Output, "\n")...))
	switch {
	case marked.MatchString(err.Output):
		what += "\nMarks of carry (<<<<<<<, =======, >>>>>>>) are still there" + bringTogether
	case perhapsMarked.MatchString(err.Output):
		what += "\nIf such a line starts with <<<<<<<, ======= or >>>>>>>, it is a mark that carry left" + bringTogether
	}
	return Finding{
		Check: CheckBuild, Title: "The controller compiles",
		What: what,
		Why: "Without a program there is nothing to judge, so no other check ran. Start with the first line: the others " +
			"are often consequences of it.",
	}
}

// What the compiler says of the marks of carry: within functions and types, and between declarations, where
// it says the same of other things.
var (
	marked        = regexp.MustCompile(`:1: syntax error: unexpected (<<|>>|==)`)
	perhapsMarked = regexp.MustCompile(`:1: (syntax error: non-declaration statement outside function body|missing import path)`)
)

const bringTogether = ". Above ======= is your code, below it our code for the lesson. It may have new lines without a TODO: keep " +
	"whatever your code doesn't do yet, and remove the marks. make lesson-4 lists all of them, for lesson 4."

// Ended is the finding for a controller that has ended by itself, before or after its watches were up
// to date.
func Ended(p Program, upToDate bool) Finding {
	o := p.Outcome()
	switch {
	case o.Panic != nil && !o.Panic.Recovered && strings.HasPrefix(o.Panic.Message, o.How):
		return Panicked(*o.Panic)
	case upToDate:
		return Finding{
			Check: CheckEnd, Title: "The controller runs until it is asked to stop",
			What: fmt.Sprintf("Your controller exited by itself while it was working (%s). %s", o.How, printed(o)),
			Why: "Kubernetes restarts a container that exits, with a pause that grows each time (CrashLoopBackOff). Meanwhile " +
				"nothing reconciles the objects. If one object causes an error, return the error: the queue retries that object.",
			Read: contract,
		}
	}
	what := fmt.Sprintf("Your controller exited by itself before its watches had synced (%s). %s", o.How, printed(o))
	if o.ExitCode == 0 {
		what += "\nExit code 0 means that main returned. It has to wait there until the process is asked to stop."
	}
	return Finding{
		Check: CheckStart, Title: "The controller starts and keeps running",
		What: what,
		Why: "Kubernetes restarts a container that exits, with longer and longer pauses (CrashLoopBackOff), and it reconciles " +
			"nothing. The judge starts a controller with KUBECONFIG in its environment and with the flags " +
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
	ending := "and the process exited:"
	if p.Recovered {
		ending = "in Reconcile. controller-runtime recovered it and retries; the code after that line never runs:"
	}
	return Finding{
		Check: CheckPanic, Title: "The controller does not panic",
		What: fmt.Sprintf("Your controller panicked%s, %s\n%s", where, ending, quoted(strings.Split(p.Message, "\n")...)),
		Why: "A panic stops the work at that line. The next attempt reads the same object and panics again, so the object is " +
			"never finished. If the process exits, all other objects wait too.",
	}
}

// NoWatch is the finding for a controller whose watches did not sync: for lack of permissions, if it was refused any.
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
		if what := fmt.Sprintf("%s (response %d)", stream.Resource, stream.Code); stream.UpToDate == 0 && !slices.Contains(waiting, what) {
			waiting = append(waiting, what)
		}
	}
	what := "Your controller runs, but it has opened no watch."
	if opened {
		what = "Your controller runs, but not all of its watches have received their initial state"
		if len(waiting) > 0 {
			what += ": " + strings.Join(waiting, ", ")
		}
		what += "."
	}
	return Finding{
		Check: CheckWatch, Title: "The controller watches the objects that it reconciles",
		What: what + " " + printed(p.Outcome()),
		Why: "Watch events tell a controller that there is something to do. Until its caches have synced it must not act: " +
			"an object that has not arrived yet looks like one that does not exist.",
		Read: contract,
	}
}

// IgnoresSigterm is the finding for a controller that did not end in time, with the error of Stop.
func IgnoresSigterm(err error) Finding {
	what := err.Error()
	var ignored *process.SigtermError
	if errors.As(err, &ignored) {
		what = fmt.Sprintf("Your controller received SIGTERM, was still running %g s later, and was killed.", ignored.Patience.Seconds())
	}
	return Finding{
		Check: CheckStop, Title: "The controller stops when it is asked to",
		What: what,
		Why: "Every rollout and every drained node stops pods with SIGTERM. A process that ignores it is killed in the middle " +
			"of an operation, and its successor waits until the lease has expired. In Go: pass a context that the signal " +
			"cancels, from signal.NotifyContext or ctrl.SetupSignalHandler, to every call and every wait.",
		Read: contract,
	}
}

// LogFull is the finding for a controller that prints too much.
func LogFull(p Program) Finding {
	return Finding{
		Check: CheckLog, Title: "The controller's log can be read",
		What: "Your controller printed so much that its log was cut. " + printed(p.Outcome()),
		Why: "Logs are stored, searched and paid for. A line for each reconcile hides the line that matters, and a program " +
			"that prints in a loop fills the node's disk.",
	}
}

// printed is what a program printed last.
func printed(o process.Outcome) string {
	if strings.Join(o.LastLines, "") == "" {
		return "It printed nothing."
	}
	return "Its last output:\n" + quoted(o.LastLines...)
}
