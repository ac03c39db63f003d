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

// Stale are the faults that make a cache stale, or leave open whether a write has happened.
func Stale() (faults []string) {
	for _, action := range []proxy.Action{proxy.LoseReply, proxy.AnswerGateway, proxy.CommitLate} {
		for _, target := range []string{"writes jobs", "writes sequentialjobs/status"} {
			faults = append(faults, fmt.Sprintf("%s: %s", action, target))
		}
	}
	for _, event := range []string{"ADDED jobs", "MODIFIED jobs", "DELETED jobs", "MODIFIED sequentialjobs"} {
		for _, action := range []proxy.Action{proxy.Hold, proxy.HoldAll, proxy.CrashAtEvent, proxy.StaleStart, proxy.StaleKind} {
			faults = append(faults, fmt.Sprintf("%s: %s", action, event))
		}
	}
	return append(faults, "hold, cut, 410: DELETED jobs", "hold, cut, 410: DELETED sequentialjobs")
}

// Outside are the faults of the object store, and of what a controller writes about it.
func Outside() []string {
	return []string{
		"answer 503: writes buckets", "lose reply: writes buckets", "lose request: writes buckets", "cut after commit: writes buckets",
		"crash before: writes buckets", "crash after commit: writes buckets", "crash after reply: writes buckets", "answer 503: reads buckets",
		"answer 500: writes workspaces", "lose reply: writes workspaces", "crash before: writes workspaces", "crash after commit: writes workspaces",
		"answer 500: writes workspaces/status", "lose reply: writes workspaces/status", "crash after commit: writes workspaces/status",
		"hold: MODIFIED workspaces", "hold: ADDED workspaces", "write first: writes workspaces",
	}
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
