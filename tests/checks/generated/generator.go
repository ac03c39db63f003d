package generated

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/lesson"
)

// most is how many acts a run has at most, besides the one that creates the first SequentialJob.
const most = 16

// Of is the run of a seed. The same seed makes the same run, as long as the lessons teach the same.
func Of(taught lesson.Taught, seed int) Run { return Runs(taught).Example(seed) }

// Runs generates runs of what has been taught.
func Runs(taught lesson.Taught) *rapid.Generator[Run] {
	return rapid.Custom(func(t *rapid.T) Run {
		g := &generator{T: t, taught: taught, steps: map[string][]string{}, done: map[string]int{}}
		run := Run{g.act("create")}
		for range rapid.IntRange(4, most).Draw(t, "acts") {
			run = append(run, g.act(rapid.SampledFrom(g.verbs()).Draw(t, "verb")))
		}
		return run
	})
}

// generator knows about what the acts so far have brought about, unless something kept them from it. So most acts that it
// makes up are possible.
type generator struct {
	*rapid.T
	taught lesson.Taught
	steps  map[string][]string // of the SequentialJobs that were created
	done   map[string]int      // how many of their steps have ended
}

// often are the acts that are more frequent than others, because not much happens without them.
var often = map[string]int{"complete": 8, "fault": 4}

// verbs are the acts that may come next, each as often as it is likely.
func (g *generator) verbs() (all []string) {
	if len(g.steps) == 0 {
		return []string{"create"}
	}
	acts := slices.DeleteFunc(slices.Clone(g.taught.Acts), func(act string) bool { return strings.HasPrefix(act, "create ") })
	if len(g.taught.Faults) > 0 {
		acts = append(acts, "fault")
	}
	for _, act := range acts {
		all = append(all, slices.Repeat([]string{act}, max(1, often[act]))...)
	}
	return all
}

// act makes up an act with a verb, which may have a word after it: "delete foreground".
func (g *generator) act(verb string) Act {
	word, how, _ := strings.Cut(verb, " ")
	name := g.name(word == "create")
	var act string
	switch word {
	case "create", "replace":
		act = word + " " + g.object(name)
	case "quota":
		act = word + " " + g.one("quota", "on", "off")
	case "restart", "heal":
		act = word
	case "delete":
		act = strings.TrimSpace(word + " " + name + " " + how)
		delete(g.steps, name)
	case "fault":
		act = word + " " + g.fault(name)
	case "complete", "fail":
		g.done[name]++
		act = word + " " + name
	default:
		act = word + " " + name
	}
	if verbs[word].byUser && g.likely(1, 4) {
		act = quickly + act
	}
	return Act(act)
}

// names are those that SequentialJobs may have. One is named as a step's Job of another may be.
var names = []string{sample.Web, sample.Web + "-" + sample.Ship, "app"}

// name is that of a SequentialJob that exists, or of one to be created. Most acts are about the first one, so that
// something becomes of it.
func (g *generator) name(fresh bool) string {
	there := slices.Sorted(maps.Keys(g.steps))
	switch {
	case len(there) == 0:
		return sample.Web
	case fresh:
		return g.one("name", names...)
	case slices.Contains(there, sample.Web) && g.likely(1, 2):
		return sample.Web
	default:
		return g.one("name", there...)
	}
}

// object makes up a SequentialJob: "web fetch,build suspended".
func (g *generator) object(name string) string {
	steps := rapid.SampledFrom([][]string{
		{sample.Fetch, sample.Build}, {sample.Fetch}, {sample.Fetch, sample.Build, sample.Ship}, {"build-image", sample.Build}, {sample.Build, "build-image", "build-image-2"},
	}).Draw(g.T, "steps")
	g.steps[name], g.done[name] = steps, 0
	words := []string{name, strings.Join(steps, ",")}
	for _, option := range []string{suspended, managedBy, startAt, onward} {
		if !slices.Contains(g.taught.Acts, "create "+option) || !g.likely(1, 8) {
			continue
		}
		if strings.HasSuffix(option, "=") {
			option += g.one("of", steps...)
		}
		words = append(words, option)
	}
	return strings.Join(words, " ")
}

// fault makes up a fault that can strike soon: "answer 500: writes jobs" becomes "answer 500: next 2 writes jobs web/build".
func (g *generator) fault(name string) string {
	action, target, _ := strings.Cut(g.one("fault", g.taught.Faults...), ": ")
	kind, resource, _ := strings.Cut(target, " ")
	object := name
	if resource == "jobs" {
		steps := g.steps[name]
		next := min(g.done[name], len(steps)-1)
		object += "/" + steps[min(next+rapid.IntRange(0, 1).Draw(g.T, "ahead"), len(steps)-1)]
	}
	many := rapid.IntRange(1, 3).Draw(g.T, "many")
	switch kind {
	case "writes":
		return fmt.Sprintf("%s: next %d writes %s %s", action, many, resource, object)
	case "reads":
		return fmt.Sprintf("%s: next %d reads %s", action, many, resource)
	default: // an event
		return fmt.Sprintf("%s: %s %s %s #%d", action, kind, resource, object, many)
	}
}

func (g *generator) one(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(g.T, label)
}

// likely says yes in so many of so many cases.
func (g *generator) likely(yes, of int) bool {
	return rapid.IntRange(1, of).Draw(g.T, "likely") > of-yes
}
