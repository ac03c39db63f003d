package picture

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

// wicked is what a name, a message or a title might be.
const wicked = `</script><script>document.title="run"</script><img src=x onerror="document.title='run'">`

// wickedRun is a run in which everything that can be wicked is.
func wickedRun() (history.Run, []finding.Finding) {
	run, findings := doubleCreation()
	run.Faults[0].Action = wicked
	run.Processes[0].How = wicked
	run.Stimuli[0].Actor, run.Stimuli[0].What = wicked, wicked
	run.Requests[0].Call.Resource, run.Requests[0].Call.Object = wicked, wicked
	run.Requests[1].Reason, run.Requests[1].Object.Name, run.Requests[1].Message = wicked, wicked, wicked
	run.Streams[0].Resource = wicked
	run.Frames[0].Type, run.Frames[0].UID = wicked, wicked
	run.Changes[0].Object.SetName(wicked)
	run.Changes[0].Object.SetAnnotations(map[string]string{"note": wicked})
	findings[0] = finding.Finding{
		Check: wicked, Title: wicked, What: wicked, When: wicked, Why: wicked, Read: wicked, Again: wicked,
		At: findings[0].At, Changes: []uint64{run.Changes[0].ResourceVersion},
	}
	return run, findings
}

func write(t *testing.T, run history.Run, findings []finding.Finding, title string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs", "picture.html")
	must.Succeed(t, Write(path, run, findings, title))
	return path
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	return string(text)
}

func TestWhatComesFromARunIsNoMarkup(t *testing.T) {
	run, findings := wickedRun()
	page := read(t, write(t, run, findings, wicked))
	if strings.Contains(page, wicked) || strings.Contains(page, "<img") {
		t.Error("the page has what came from the run as markup")
	}
	assert.Equal(t, "number of scripts' ends, of the data and of the script", strings.Count(page, "</script>"), 2)
}

func TestTheSameRunMakesTheSamePage(t *testing.T) {
	var pages []string
	for range 2 {
		run, findings := doubleCreation()
		pages = append(pages, read(t, write(t, run, findings, "twice")))
	}
	assert.Equal(t, "the second page of the same run", pages[1], pages[0])
}

func TestARunInWhichNothingHappened(t *testing.T) {
	page := read(t, write(t, history.Run{}, nil, "nothing"))
	if !strings.Contains(page, "No rule was broken") {
		t.Error("the page does not say that nothing is wrong")
	}
}
