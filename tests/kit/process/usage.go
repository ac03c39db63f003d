package process

import (
	"context"
	"os/exec"
	"time"
)

// Usage returns what a program prints for --help; what it has printed so far if it does not end soon.
func Usage(ctx context.Context, binary string) string {
	const limit = 10 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	printed, _ := exec.CommandContext(ctx, binary, "--help").CombinedOutput() // by Go's package flag, it is printed to stderr
	return string(printed)
}
