package generated

import (
	"fmt"
	"slices"
	"strings"

	"pgregory.net/rapid"

	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/lesson"
)

// most is how many acts a run has at most, besides the one that creates the first SequentialJob.
const most = 16

// Runs generates runs of what has been taught.
func Runs(taught lesson.Taught) *rapid.Generator[Run] {
	act := acts(taught)
	return rapid.Custom(func(t *rapid.T) Run {
		first := creation(taught, sample.Web).Draw(t, "first")
		return append(Run{first}, rapid.SliceOfN(act, 0, most).Draw(t, "acts")...)
	})
}

// Of is the run of a seed. The same seed makes the same run, as long as the lessons teach the same.
func Of(taught lesson.Taught, seed int) Run { return Runs(taught).Example(seed) }

// names are those of the SequentialJobs. One is named as a step's Job of another may be.
var names = []string{sample.Web, sample.Web + "-" + sample.Ship, "app"}

// often are the acts without which nothing happens in a run.
var often = map[string]int{"create": 2, "complete": 6, "fault": 3}

// acts generates acts of what has been taught.
func acts(taught lesson.Taught) *rapid.Generator[Act] {
	var all []*rapid.Generator[Act]
	for _, verb := range taught.Acts {
		all = append(all, slices.Repeat([]*rapid.Generator[Act]{actsOf(taught, verb)}, max(1, often[verb]))...)
	}
	if len(taught.Faults) > 0 {
		all = append(all, slices.Repeat([]*rapid.Generator[Act]{faults(taught)}, often["fault"])...)
	}
	return rapid.OneOf(all...)
}

func actsOf(taught lesson.Taught, verb string) *rapid.Generator[Act] {
	return rapid.Custom(func(t *rapid.T) Act {
		name := oftenWeb().Draw(t, "name")
		act := Act(verb + " " + name)
		switch word, qualifier, _ := strings.Cut(verb, " "); {
		case word == "create", word == "replace":
			act = Act(word) + creation(taught, name).Draw(t, "object")[len("create"):]
		case word == "delete" && qualifier != "":
			act = Act(word + " " + name + " " + qualifier)
		case word == "quota":
			act = Act(word + " " + rapid.SampledFrom([]string{"on", "off"}).Draw(t, "quota"))
		case word == "restart", word == "heal":
			act = Act(word)
		}
		if name, _ := act.verb(); verbs[name].byUser && rapid.IntRange(0, 3).Draw(t, "quickly") == 3 {
			return quickly + act
		}
		return act
	})
}

// oftenWeb generates names. Most acts are about the first SequentialJob, so that something becomes of it.
func oftenWeb() *rapid.Generator[string] {
	return rapid.SampledFrom(append([]string{sample.Web, sample.Web}, names...))
}

// creation generates the creation of a SequentialJob.
func creation(taught lesson.Taught, name string) *rapid.Generator[Act] {
	steps := rapid.SampledFrom([][]string{
		{sample.Fetch, sample.Build}, {sample.Fetch}, {sample.Fetch, sample.Build, sample.Ship},
		{"build-image", sample.Build}, {sample.Build, "build-image", "build-image-2"},
	})
	return rapid.Custom(func(t *rapid.T) Act {
		names := steps.Draw(t, "steps")
		act := fmt.Sprintf("create %s %s", name, strings.Join(names, ","))
		for _, option := range []string{suspended, managedBy, startAt, onward} {
			if !slices.Contains(taught.Acts, "create "+option) || rapid.IntRange(0, 7).Draw(t, option) < 7 {
				continue
			}
			if strings.HasSuffix(option, "=") {
				option += rapid.SampledFrom(names).Draw(t, "of")
			}
			act += " " + option
		}
		return Act(act)
	})
}

// faults generates faults: "answer 500: writes jobs" becomes "fault answer 500: next 2 writes jobs web/build".
func faults(taught lesson.Taught) *rapid.Generator[Act] {
	return rapid.Custom(func(t *rapid.T) Act {
		line := rapid.SampledFrom(taught.Faults).Draw(t, "fault")
		action, target, _ := strings.Cut(line, ": ")
		kind, resource, _ := strings.Cut(target, " ")
		object := oftenWeb().Draw(t, "name")
		if resource == "jobs" {
			object += "/" + rapid.SampledFrom([]string{sample.Fetch, sample.Build, sample.Ship, "build-image"}).Draw(t, "step")
		}
		many := rapid.IntRange(1, 3).Draw(t, "many")
		switch kind {
		case "writes":
			return Act(fmt.Sprintf("fault %s: next %d writes %s %s", action, many, resource, object))
		case "reads":
			return Act(fmt.Sprintf("fault %s: next %d reads %s", action, many, resource))
		default: // an event
			return Act(fmt.Sprintf("fault %s: %s %s %s #%d", action, kind, resource, object, many))
		}
	})
}
