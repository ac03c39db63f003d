// Command step is what a step of a SequentialJob runs in tests and samples: it says what it does and
// when, takes a while, and ends as its flags say. It can also use the files of the run's Workspace.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// exitStopped is what a shell makes of a program that SIGTERM has ended.
const exitStopped = 128 + int(syscall.SIGTERM)

func main() {
	step := options{}
	flag.StringVar(&step.what, "say", "working", "what to say that it does")
	flag.StringVar(&step.get, "get", "", "a file of the Workspace to fetch first, and to print")
	flag.DurationVar(&step.sleep, "sleep", 0, "how long to take")
	flag.StringVar(&step.put, "put", "", "a file of the Workspace to store at the end, with what was said")
	flag.StringVar(&step.write, "write", "", "a file to write the time of the end to")
	flag.IntVar(&step.exitCode, "exit-code", 0, "the exit code to end with")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	os.Exit(step.run(ctx))
}

// options are what a step does, in the order in which it does it.
type options struct {
	what     string
	get      string
	sleep    time.Duration
	put      string
	write    string
	exitCode int
}

// run prints a line for each thing that it does, with the time before it. It returns the exit code.
func (o options) run(ctx context.Context) int {
	say("begin: " + o.what)
	err := o.work(ctx)
	switch {
	case ctx.Err() != nil:
		say("stopped")
		return exitStopped
	case err != nil:
		say("error: " + err.Error())
		return 1
	}
	say("end")
	return o.exitCode
}

func (o options) work(ctx context.Context) error {
	if o.get != "" {
		content, err := getFile(ctx, o.get)
		if err != nil {
			return err
		}
		say("got " + o.get + ": " + content)
	}
	select {
	case <-time.After(o.sleep):
	case <-ctx.Done():
		return ctx.Err()
	}
	if o.put != "" {
		if err := putFile(ctx, o.put, o.what); err != nil {
			return err
		}
		say("put " + o.put)
	}
	if o.write != "" {
		return os.WriteFile(o.write, []byte(now()+"\n"), 0o644)
	}
	return nil
}

func say(text string) { fmt.Println(now(), text) }

func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }
