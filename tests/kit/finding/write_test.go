package finding_test

import (
	"errors"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/must"
)

func TestWrite(t *testing.T) {
	whole := finding.Finding{
		Check: "8.2", Title: "One Job per step, even while the cache is stale",
		What: `Two Jobs were created for step "build": web-build-x7k2p and web-build-9c4tq.`,
		When: "0.380 s: create jobs web-build-x7k2p → 201 Created.\n0.412 s: create jobs web-build-9c4tq → 201 Created. The event of " +
			"web-build-x7k2p (0.395 s) had not reached your controller yet; its watch on jobs was held from 0.390 s on.",
		Why:     "A cached client does not see its own writes. In production the cache is stale whenever the API server is busy.",
		Read:    "lessons/08-expectations/README.md#stale-reads",
		Picture: ".cache/runs/lesson-08/8.2.html",
		Again:   "make campaign PLAN='three-steps | hold: ADDED jobs web/build #1 | crash after commit: update sequentialjobs/status web #4'",
	}
	for name, test := range map[string]struct {
		finding finding.Finding
		want    string
	}{
		"all parts": {whole, `✗ 8.2  One Job per step, even while the cache is stale

   What happened   Two Jobs were created for step "build": web-build-x7k2p and
                   web-build-9c4tq.
   When            0.380 s: create jobs web-build-x7k2p → 201 Created.
                   0.412 s: create jobs web-build-9c4tq → 201 Created. The event
                   of web-build-x7k2p (0.395 s) had not reached your controller
                   yet; its watch on jobs was held from 0.390 s on.
   Why it matters  A cached client does not see its own writes. In production
                   the cache is stale whenever the API server is busy.
   Read            lessons/08-expectations/README.md#stale-reads
   Picture         .cache/runs/lesson-08/8.2.html
   Again           make campaign PLAN='three-steps | hold: ADDED jobs web/build #1 | crash after commit: update sequentialjobs/status web #4'
`},
		"lines of their own": {finding.Finding{Check: "build", Title: "It compiles", What: "Look:\n  main.go:4:2: x\n\n+ y\n", Why: " "},
			`✗ build  It compiles

   What happened   Look:
                     main.go:4:2: x

                   + y
`},
		"a long title": {finding.Finding{Check: "4.9", Title: "The status is written through /status, and nothing else of the object is touched"},
			`✗ 4.9  The status is written through /status, and nothing else of the object is
       touched

`},
		"indented lines, and a word that is too long": {finding.Finding{Check: "log", Title: "It is short", What: "  " +
			strings.Repeat("word ", 20) + "\n" + strings.Repeat("x", 90) + " y"},
			`✗ log  It is short

   What happened     word word word word word word word word word word word
                         word word word word word word word word word
                   ` + strings.Repeat("x", 90) + `
                   y
`},
		"a table": {finding.Finding{Check: "2.8", Title: "It is shown", What: "It shows:\n" +
			finding.Kept("NAME   REASON   A COLUMN WITH A LONG TITLE                                  AGE\nweb    -        -\n")},
			`✗ 2.8  It is shown

   What happened   It shows:
                     NAME   REASON   A COLUMN WITH A LONG TITLE                                  AGE
                     web    -        -
`},
	} {
		t.Run(name, func(t *testing.T) {
			var got strings.Builder
			must.Succeed(t, finding.Write(&got, test.finding, false))
			assert.Equal(t, "Write", got.String(), test.want)
		})
	}
}

func TestWriteInColor(t *testing.T) {
	var got strings.Builder
	must.Succeed(t, finding.Write(&got, finding.Finding{Check: "I3", Title: "One Job"}, true))
	assert.Contains(t, "the colored finding", got.String(), "\x1b[")
}

func TestWriteThatFails(t *testing.T) {
	if err := finding.Write(brokenPipe{}, finding.Finding{}, false); !errors.Is(err, errBroken) {
		t.Errorf("Write: %v", err)
	}
}

var errBroken = errors.New("broken pipe")

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errBroken }
