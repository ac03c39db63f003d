package lesson02

import "example.com/controller-course/tests/checks/crds"

// play is the scene of this lesson's checks: what can be done with an API, and what this lesson finds out by it.
type play struct{ *crds.Scene }

func playing(check func(*play)) crds.Play {
	return func(s *crds.Scene) { check(&play{s}) }
}
