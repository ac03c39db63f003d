package lesson03

import "example.com/controller-course/tests/checks/scene"

// play is the scene of this lesson's checks: what all lessons can do on one, and what only this lesson does.
type play struct{ *scene.Scene }

func playing(check func(*play)) scene.Play {
	return func(s *scene.Scene) { check(&play{s}) }
}
