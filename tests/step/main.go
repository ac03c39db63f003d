// Command step is what a step of a SequentialJob runs in tests and samples: it says what it does and
// when, takes a while, and ends as its flags say.
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
	what := flag.String("say", "working", "what to say that it does")
	sleep := flag.Duration("sleep", 0, "how long to take")
	exitCode := flag.Int("exit-code", 0, "the exit code to end with")
	file := flag.String("write", "", "a file to write the time of the end to")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	os.Exit(run(ctx, *what, *sleep, *exitCode, *file))
}

// run prints a line at the beginning and one at the end, each with the time before it.
func run(ctx context.Context, what string, sleep time.Duration, exitCode int, file string) int {
	say("begin: " + what)
	select {
	case <-time.After(sleep):
	case <-ctx.Done():
		say("stopped")
		return exitStopped
	}
	if file != "" {
		if err := os.WriteFile(file, []byte(now()+"\n"), 0o644); err != nil {
			say("error: " + err.Error())
			return 1
		}
	}
	say("end")
	return exitCode
}

func say(text string) { fmt.Println(now(), text) }

func now() string { return time.Now().UTC().Format(time.RFC3339Nano) }
