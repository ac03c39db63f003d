package generated

import (
	"fmt"
	"slices"
	"strings"

	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/lesson"
)

// Complete is what the finished operator has to survive: what some lessons teach, and more.
func Complete(lessons []lesson.Lesson) lesson.Taught {
	taught := lesson.Taught{Acts: []string{"delete orphan", "heal"}}
	for _, action := range []proxy.Action{proxy.LoseReply, proxy.AnswerGateway, proxy.CommitLate} {
		for _, target := range []string{"writes jobs", "writes sequentialjobs/status"} {
			taught.Faults = append(taught.Faults, fmt.Sprintf("%s: %s", action, target))
		}
	}
	for _, event := range []string{"ADDED jobs", "MODIFIED jobs", "DELETED jobs", "MODIFIED sequentialjobs"} {
		for _, action := range []proxy.Action{proxy.Hold, proxy.HoldAll, proxy.CrashAtEvent, proxy.StaleStart, proxy.StaleKind} {
			taught.Faults = append(taught.Faults, fmt.Sprintf("%s: %s", action, event))
		}
	}
	taught.Faults = append(taught.Faults, "hold, cut, 410: DELETED jobs", "hold, cut, 410: DELETED sequentialjobs")
	for _, l := range lessons {
		taught.Acts = append(taught.Acts, l.Taught.Acts...)
		taught.Faults = append(taught.Faults, l.Taught.Faults...)
	}
	return taught
}

// Verify says what is wrong with what lessons teach, in a sentence each.
func Verify(lessons []lesson.Lesson) (mistakes []string) {
	for _, l := range lessons {
		for _, act := range l.Taught.Acts {
			if name, _, _ := strings.Cut(act, " "); !slices.Contains(Verbs(), name) {
				mistakes = append(mistakes, fmt.Sprintf("lesson %d teaches %q; there is %s", l.Number, act, strings.Join(Verbs(), ", ")))
			}
		}
	}
	return mistakes
}

// Check makes a check one that plays a generated run of what its lesson has taught: in each world that of the next seed.
func Check(check lesson.Check, seeds ...int) lesson.Check {
	check.Play = scene.Play(func(s *scene.Scene) {
		l, err := lesson.Find(lesson.All(), check.ID.Lesson())
		s.Must(err)
		in := slices.IndexFunc(worlds.Of(l.Kind), func(w worlds.World) bool { return w.Name == s.In().Name })
		Of(l.AllTaught(), seeds[in%len(seeds)]).Play(s, func(string) {})
	})
	return check
}
