package assets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
)

var (
	offline = regexp.MustCompile(`GOPROXY=off|dial tcp|no such host|proxyconnect|connection refused|i/o timeout|` +
		`TLS handshake|certificate|unexpected EOF|reading https?://|Get "https?://`)
	tooOld = regexp.MustCompile(`requires go >= |invalid go version|toolchain not available|download go1`)
)

// explain turns the reason why a build failed into one that says what to do.
// Errors it knows nothing about are returned as they are.
func (b *builder) explain(err error) error {
	var output string
	if goErr := (*goError)(nil); errors.As(err, &goErr) {
		output = goErr.output
	}
	switch {
	case errors.Is(err, context.Canceled):
		return fmt.Errorf("interrupted; nothing half done is left, and what is finished is kept: %w", err)
	case errors.Is(err, exec.ErrNotFound):
		return errors.New("the command go is not on the PATH: install Go (https://go.dev/dl) or fix the PATH")
	case errors.Is(err, syscall.ENOSPC), strings.Contains(output, "no space left on device"):
		return fmt.Errorf("a disk is full: make about 3 GB free where Go's build cache (see 'go env GOCACHE'), temporary files (%s) and %s are, then try again",
			os.TempDir(), b.cache)
	case tooOld.MatchString(output):
		return fmt.Errorf("this Go is too old and could not fetch a newer one: install the version that go.mod names, or allow it with GOTOOLCHAIN=auto. Go says: %s", lastLine(output))
	case offline.MatchString(output):
		return fmt.Errorf("modules could not be downloaded from where GOPROXY points (see 'go env GOPROXY'): set GOPROXY to a proxy that can be reached, "+
			"or copy %s from a machine that has it, or, for tests alone, set %s to a folder with an etcd and a kube-apiserver. Go says: %s",
			b.cache, controlPlaneEnv, lastLine(output))
	}
	return err
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:])
}
