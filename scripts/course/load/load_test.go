package load

import (
	"bytes"
	"os"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

func TestRunKeepsTheLoadAndPassesOnHowTheCommandEnds(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the load average is read as Linux reports it")
	}
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	var stdout, stderr bytes.Buffer
	code, err := Run(t.Context(), Options{
		Average: 0.2, Command: []string{"sh", "-c", "read line; echo $line; sleep 6; exit 3"},
		Stdin: strings.NewReader("hello\n"), Stdout: &stdout, Stderr: &stderr,
	})
	if err != nil || code != 3 || stdout.String() != "hello\n" {
		t.Errorf("exit code %d, error %v, output %q", code, err, &stdout)
	}
	said := regexp.MustCompile(`^Load average at the start: \d+\.\d\d\. Keeping it at 0\.20 or above\.
Load average while sh -c .* ran: at least (\d+\.\d\d), \d+\.\d\d on average, at most \d+\.\d\d\.\n$`)
	if match := said.FindStringSubmatch(stderr.String()); match == nil || match[1] < "0.20" {
		t.Errorf("it said %q", &stderr)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}

func TestNeeded(t *testing.T) {
	// after is the load average when so many processes have been busy since it was before.
	after := func(before, busy float64) float64 { return before*decay + busy*(1-decay) }
	for name, test := range map[string]struct {
		before, now, goal float64
		busy, want        int
	}{
		"at the goal by its own processes":             {8, 8, 8, 8, 8},
		"at the goal by others":                        {8, 8, 8, 0, 0},
		"others end":                                   {8, after(8, 6), 8, 6, 10},
		"others begin":                                 {8, after(8, 10), 8, 6, 3},
		"far below the goal: no more than can be used": {0, 0, 8, 0, 32},
		"far above the goal":                           {20, 20, 8, 8, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if got := needed(test.before, test.now, test.goal, test.busy); got != test.want {
				t.Errorf("needed %d, want %d", got, test.want)
			}
		})
	}
}
