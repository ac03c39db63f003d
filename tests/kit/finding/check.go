package finding

import (
	"slices"

	"example.com/controller-course/tests/kit/invariants"
)

// Check names what a controller is held to: one of those below, an invariant ("I3"), a lesson's check ("3.2"), or
// a rule of the runs on a cluster ("K1").
type Check string

// About the controller as a program, whatever it is for.
const (
	CheckBuild Check = "build"
	CheckStart Check = "start"
	CheckWatch Check = "watch"
	CheckRBAC  Check = "rbac"
	CheckPanic Check = "panic"
	CheckEnd   Check = "end"
	CheckFlood Check = "flood"
	CheckStop  Check = "stop"
	CheckLog   Check = "log"
)

// About what is generated from the code's markers.
const (
	CheckMarkers Check = "markers"
	CheckCRD     Check = "crd"
)

// About a run in comparison with those without faults.
const (
	CheckLiveness   Check = "liveness"
	CheckFlapping   Check = "flapping"
	CheckEffort     Check = "effort"
	CheckSteadiness Check = "steadiness"
)

// OfProgram says whether it is about the controller as a program.
func (c Check) OfProgram() bool {
	switch c {
	case CheckBuild, CheckPanic, CheckEnd, CheckFlood, CheckStop, CheckLog:
		return true
	}
	return c.Blocks()
}

// Blocks says whether a controller that fails it does not get to work, so that no other check says anything.
func (c Check) Blocks() bool { return c == CheckStart || c == CheckWatch || c == CheckRBAC }

// Invariant says which invariant it is, if it is one.
func (c Check) Invariant() (invariants.ID, bool) {
	id := invariants.ID(c)
	return id, slices.ContainsFunc(invariants.Rules, func(rule invariants.Rule) bool { return rule.ID == id })
}
