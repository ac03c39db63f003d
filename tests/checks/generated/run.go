// Package generated has runs that nobody has thought of: a generator makes them up, from what a lesson has taught. They
// are judged by general rules: the invariants at every moment, and at the end what must have become of each
// SequentialJob.
package generated

import (
	"fmt"
	"slices"
	"strings"
)

// Run is what users, the Job controller and the cluster do, in this order. An act that is not possible when its turn
// comes is left out. So each part of a run is a run too.
type Run []Act

// Act is one thing that happens, in words: "suspend web", "fault answer 500: next 2 writes jobs web/build". The first word
// is the verb. Users may act quickly, which means that they do not wait until the controller has done what it has to do:
// "quickly delete web".
type Act string

const (
	quickly   = "quickly "
	separator = "; "
)

// String is what Parse reads.
func (r Run) String() string {
	var acts []string
	for _, act := range r {
		acts = append(acts, string(act))
	}
	return strings.Join(acts, separator)
}

// Parse reads a run. The error says what can't be understood, and what could be.
func Parse(text string) (Run, error) {
	var run Run
	for part := range strings.SplitSeq(text, strings.TrimSpace(separator)) {
		act := Act(strings.TrimSpace(part))
		if act == "" {
			continue
		}
		if err := act.verify(); err != nil {
			return nil, err
		}
		run = append(run, act)
	}
	if len(run) == 0 {
		return nil, fmt.Errorf("a run needs at least one act, such as %q", verbs["create"].example)
	}
	return run, nil
}

// verb is the first word; words are the others.
func (a Act) verb() (verb string, words []string) {
	all := strings.Fields(strings.TrimPrefix(string(a), quickly))
	if len(all) == 0 {
		return "", nil
	}
	return all[0], all[1:]
}

func (a Act) quick() bool { return strings.HasPrefix(string(a), quickly) }

// verify says what is wrong with an act.
func (a Act) verify() error {
	name, words := a.verb()
	verb, known := verbs[name]
	switch {
	case !known:
		return fmt.Errorf("%q is no act; the first word has to be one of %s", a, strings.Join(Verbs(), ", "))
	case a.quick() && !verb.byUser:
		return fmt.Errorf("%q: only what users do can be done quickly", a)
	}
	if err := verb.reads(words); err != nil {
		return fmt.Errorf("%q can't be understood: %w; an example: %q", a, err, verb.example)
	}
	return nil
}

// Verbs are all verbs.
func Verbs() []string {
	var names []string
	for name := range verbs {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
