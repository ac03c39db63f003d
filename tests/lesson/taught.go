package lesson

// Taught is what a lesson adds to generated runs: of its code, and of the code of all lessons that are held to its checks.
type Taught struct {
	Check ID // the check of the lesson that plays generated runs
	// Acts are what users, the Job controller and the cluster may do, as package generated names it: "suspend".
	Acts []string
	// Faults are what may happen to requests and events, as package generated names it: "answer 500: writes jobs".
	Faults []string
}

// AllTaught is what a lesson and the earlier ones that its code is held to add together.
func (l Lesson) AllTaught() Taught { return TaughtBy(append(l.Earlier(), l)) }

// TaughtBy is what these lessons add together.
func TaughtBy(lessons []Lesson) (all Taught) {
	for _, one := range lessons {
		all.Acts = append(all.Acts, one.Taught.Acts...)
		all.Faults = append(all.Faults, one.Taught.Faults...)
	}
	return all
}
