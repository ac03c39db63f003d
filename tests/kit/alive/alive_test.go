package alive

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestItIsALineNowAndThenWithoutATerminal(t *testing.T) {
	var out lockedBuffer
	seen := make(chan struct{})
	go func() {
		for !strings.Contains(out.String(), "at it for") {
			time.Sleep(time.Millisecond) // go test's own timeout bounds it
		}
		close(seen)
	}()
	err := Sign{Out: &out, Every: time.Millisecond}.During("etcd", time.Minute, func() error { <-seen; return nil })
	if err != nil || !strings.HasPrefix(out.String(), "etcd (usually 1m0s) ...\n") {
		t.Errorf("error %v, output:\n%s", err, out.String())
	}
}

// lockedBuffer is a buffer that may be read while it is written.
type lockedBuffer struct {
	mu sync.Mutex
	bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.Buffer.String()
}
