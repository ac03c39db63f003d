package lesson01

import "example.com/controller-course/tests/checks/scene"

// play is the scene of this lesson's checks: namespaces in which Jobs come and go, and ConfigMaps that say how many
// there are. Faults strike in Namespace only.
type play struct{ *scene.Scene }

func playing(check func(*play)) scene.Play {
	return func(s *scene.Scene) { check(&play{s}) }
}
