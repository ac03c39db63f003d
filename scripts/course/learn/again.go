package learn

import (
	"time"

	"example.com/controller-course/scripts/course/report"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/judge"
	"example.com/controller-course/tests/lesson"
)

// A chooser chooses where a check is played.
type chooser = func(lesson.Check) worlds.World

// A repetition is the checks of a lesson that failed last time, and where.
type repetition struct {
	lesson lesson.Lesson
	checks []lesson.Check
	worlds map[lesson.ID]worlds.World
}

func (r repetition) world(check lesson.Check) worlds.World { return r.worlds[check.ID] }

// again is what failed last time, by lesson, with the judged lesson first. It is empty if all of the lesson's many checks
// failed: then the next judging plays them anyway.
func (j judging) again(many int) []repetition {
	if len(j.failed) == many {
		return nil
	}
	var all []repetition
	for _, l := range j.lesson.AndEarlier() {
		one := repetition{lesson: l, worlds: map[lesson.ID]worlds.World{}}
		for _, verdict := range j.failed {
			if verdict.Check.ID.Lesson() == l.Number {
				one.checks = append(one.checks, verdict.Check)
				one.worlds[verdict.Check.ID] = verdict.World
			}
		}
		if len(one.checks) > 0 {
			all = append(all, one)
		}
	}
	return all
}

// tryAgain plays what failed last time, and says whether something of it fails again. Only then is it part of the result.
func tryAgain(
	came *report.Result, again []repetition, play func(lesson.Lesson, []lesson.Check, chooser) ([]judge.Verdict, error),
) (failing bool, err error) {
	began := time.Now()
	var verdicts []judge.Verdict
	for _, one := range again {
		some, err := play(one.lesson, one.checks, one.world)
		if err != nil || came.Blocked != nil {
			return true, err
		}
		verdicts = append(verdicts, some...)
	}
	if len(report.Failing(verdicts)) == 0 {
		return false, nil
	}
	for _, verdict := range verdicts {
		if verdict.Check.ID.Lesson() == came.Lesson.Number {
			came.Own = append(came.Own, verdict)
		} else {
			came.Earlier = append(came.Earlier, verdict)
		}
	}
	came.Partial, came.Took.Own = true, time.Since(began)
	return true, nil
}
