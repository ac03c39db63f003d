package proxy

import (
	"slices"

	"example.com/controller-course/tests/kit/history"
)

// Armed holds the faults that have not struck yet. It has no lock of its own: the caller serializes its use.
type Armed struct{ faults []Fault }

// Add adds faults. Each strikes once, those of the next writes as often as they say.
func (a *Armed) Add(faults ...Fault) {
	for _, fault := range faults {
		if !fault.Next.Reads || !slices.Contains(a.faults, fault) {
			a.faults = append(a.faults, fault)
		}
	}
}

// TakeBack removes all faults, and returns them.
func (a *Armed) TakeBack() []Fault {
	pending := a.faults
	a.faults = nil
	return pending
}

// Pending returns the faults, without those of reads, which a controller may never send.
func (a *Armed) Pending() []Fault {
	return slices.DeleteFunc(slices.Clone(a.faults), func(f Fault) bool { return f.Next.Reads })
}

// Strike lets the first fault that matches strike, and removes it unless it must strike more writes. Call is the request
// that it strikes, if any. It returns the fault with its ID in the log; 0 if none matches.
func (a *Armed) Strike(log *history.Log, call history.Call, matches func(Fault) bool) (fault Fault, id int) {
	i := slices.IndexFunc(a.faults, matches)
	if i < 0 {
		return Fault{}, 0
	}
	fault = a.faults[i]
	if a.faults[i].Next.Times--; a.faults[i].Next.Times <= 0 {
		a.faults = slices.Delete(a.faults, i, i+1)
	}
	if fault.Next.Times > 0 {
		fault = Fault{Action: fault.Action, Call: call}
	}
	return fault, log.Strike(fault)
}
