package alive

import (
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega/gbytes"
)

func TestItIsALineNowAndThenWithoutATerminal(t *testing.T) {
	out := gbytes.NewBuffer()
	seen := out.Detect("at it for") // go test's own timeout bounds it
	err := Sign{Out: out, Every: time.Millisecond}.During("etcd", time.Minute, func() error { <-seen; return nil })
	if said := string(out.Contents()); err != nil || !strings.HasPrefix(said, "etcd (usually 1m0s) ...\n") {
		t.Errorf("error %v, output:\n%s", err, said)
	}
}
