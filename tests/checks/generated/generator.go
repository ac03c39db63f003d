package generated

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/lesson"
)

// least and most are how many acts a run has, besides those that create the first SequentialJobs.
const least, most = 4, 16

// Of is the run of a seed, of what has been taught. The same seed makes the same run, as long as the lessons teach the same.
//
// Libraries of property-based testing prefer small values and the first of several choices, so that what fails is short.
// Here every act must be as likely as another, and package explore shortens what fails.
func Of(taught lesson.Taught, seed int) Run {
	g := &generator{
		Rand: rand.New(rand.NewPCG(uint64(seed), 0)), taught: taught, steps: map[string][]string{}, done: map[string]int{}, spent: map[string]bool{}, spaces: map[string]bool{},
	}
	run := Run{g.act("create")}
	if g.IntN(2) == 0 {
		run = append(run, g.act("create"))
	}
	if g.knows("provide") {
		run = append(run, g.act("provide"))
	}
	for range least + g.IntN(most-least+1) {
		run = append(run, g.act(g.one(g.verbs()...)))
	}
	return run
}

// generator knows about what the acts so far have brought about, unless something kept them from it. So most acts that it
// makes up are possible.
type generator struct {
	*rand.Rand
	taught lesson.Taught
	steps  map[string][]string // of the SequentialJobs that were created
	done   map[string]int      // how many of their steps have ended
	spent  map[string]bool     // names that the Jobs of an orphaned SequentialJob may bear
	spaces map[string]bool     // names that a Workspace may have
	down   bool                // the object store is
}

// knows says whether an act has been taught.
func (g *generator) knows(act string) bool { return slices.Contains(g.taught.Acts, act) }

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
	if isEnd := word == "complete" || word == "fail" || word == "announce"; isEnd && g.isDone(name) {
		word = "replace"
	}
	if word == "outage" || word == "recover" {
		word = "outage"
		if g.down {
			word = "recover"
		}
		g.down = !g.down
	}
	var act string
	switch word {
	case "create", "replace":
		act = word + " " + g.object(name)
	case "quota":
		act = word + " " + g.one("on", "off")
	case "restart", "heal", "outage", "recover":
		act = word
	case "provide":
		act = word + " " + g.one(shared, shared, shared+" "+retain)
		g.spaces[shared] = true
	case "abandon", "force":
		act = word + " " + shared
	case "resize", "tamper":
		act = word + " " + g.space()
	case "delete":
		act = strings.TrimSpace(word + " " + name + " " + how)
		delete(g.steps, name)
		g.spent[name] = how == "orphan"
	case "fault":
		act = word + " " + g.fault(name)
	case "complete", "fail":
		g.done[name]++
		if word == "fail" {
			g.done[name] = len(g.steps[name])
		}
		act = word + " " + name
	default:
		act = word + " " + name
	}
	if verbs[word].byUser && g.IntN(4) == 0 {
		act = quickly + act
	}
	return Act(act)
}

// isDone says whether all steps of a SequentialJob have ended.
func (g *generator) isDone(name string) bool { return g.done[name] >= len(g.steps[name]) }

// names are those that SequentialJobs may have. One is named as a step's Job of another may be.
var names = []string{sample.Web, sample.Web + "-" + sample.Ship, "app"}

// name is that of a SequentialJob that exists, or of one to be created. Most acts are about the first one, so that
// something becomes of it.
func (g *generator) name(fresh bool) string {
	there := slices.Sorted(maps.Keys(g.steps))
	free := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return g.spent[name] || slices.Contains(there, name) })
	switch {
	case (fresh || len(there) == 0) && len(free) > 0:
		return free[0]
	case len(there) == 0:
		return sample.Web
	case slices.Contains(there, sample.Web) && g.IntN(2) == 0:
		return sample.Web
	default:
		return g.one(there...)
	}
}

// object makes up a SequentialJob: "web fetch,build suspended".
func (g *generator) object(name string) string {
	steps := strings.Split(g.one("fetch", "fetch,build", "fetch,build,ship", "build-image,build", "build,build-image,build-image-2"), ",")
	first := len(g.steps) == 0
	g.steps[name], g.done[name] = steps, 0
	words := []string{name, strings.Join(steps, ",")}
	for _, option := range []string{suspended, managedBy, startAt, onward} {
		if option == managedBy && first { // nothing would become of it
			continue
		}
		if !slices.Contains(g.taught.Acts, "create "+option) || g.IntN(8) > 0 {
			continue
		}
		if strings.HasSuffix(option, "=") {
			option += g.one(steps...)
		}
		words = append(words, option)
	}
	if g.knows("create " + ownWorkspace) {
		g.spaces[name] = false
		switch g.IntN(3) {
		case 0:
			words = append(words, ownWorkspace)
			g.spaces[name] = true
		case 1:
			words = append(words, usesWorkspace)
		}
	}
	return strings.Join(words, " ")
}

// fault makes up a fault that can strike soon: "answer 500: writes jobs" becomes "answer 500: next 2 writes jobs web/build".
func (g *generator) fault(name string) string {
	faults := g.taught.Faults
	if g.knows("provide") && g.IntN(2) == 0 {
		faults = Outside()
	}
	action, target, _ := strings.Cut(g.one(faults...), ": ")
	kind, resource, _ := strings.Cut(target, " ")
	object := name
	if resource == "jobs" {
		steps := g.steps[name]
		next := min(g.done[name], len(steps)-1)
		object += "/" + steps[min(next+g.IntN(2), len(steps)-1)]
	}
	if resource == buckets.Resource || strings.HasPrefix(resource, kinds.Workspace.Resource) {
		object = g.space()
	}
	many := 1 + g.IntN(3)
	switch kind {
	case "writes":
		return fmt.Sprintf("%s: next %d writes %s %s", action, many, resource, object)
	case "reads":
		return fmt.Sprintf("%s: next %d reads %s", action, many, resource)
	default: // an event
		return fmt.Sprintf("%s: %s %s %s #%d", action, kind, resource, object, many)
	}
}

// space is the name of a Workspace that may exist.
func (g *generator) space() string {
	all := []string{shared}
	for _, name := range slices.Sorted(maps.Keys(g.spaces)) {
		if g.spaces[name] {
			all = append(all, name)
		}
	}
	return g.one(all...)
}

func (g *generator) one(of ...string) string { return of[g.IntN(len(of))] }
