package campaign

import (
	"fmt"
	"strings"

	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/stage"
)

// Plan is one run: a scenario, and what happens to the controller in it.
type Plan struct {
	Scenario string
	Faults   []proxy.Fault // in the order in which they are expected; none for a run without faults
	Kind     string        // what the plans of this kind have in common: "crash after commit"
}

// The kinds of plans without faults.
const (
	NoFault = "no fault"
	// native lets the controller and the API server speak the form that they prefer, protobuf. What they
	// say can't be read then, so only the end is judged, and the Jobs on the way there: it shows that
	// nothing depends on the JSON that the controller gets in all other runs.
	native = "native protobuf"
)

// String is the plan's line, from which ParsePlan makes the plan again:
// "three-steps: lose reply: create jobs web/build #1".
func (p Plan) String() string {
	if len(p.Faults) == 0 {
		return p.Scenario + ": " + p.Kind
	}
	var faults []string
	for _, fault := range p.Faults {
		faults = append(faults, fault.String())
	}
	return p.Scenario + ": " + strings.Join(faults, "; ")
}

// ParsePlan reads what Plan.String wrote.
func ParsePlan(line string) (Plan, error) {
	name, rest, found := strings.Cut(strings.TrimSpace(line), ": ")
	if !found {
		return Plan{}, fmt.Errorf("%q is no plan such as %q", line, "three-steps: lose reply: create jobs web/build #1")
	}
	scenario, err := scenarioNamed(name)
	if err != nil {
		return Plan{}, err
	}
	plan := Plan{Scenario: scenario.name}
	if rest == NoFault || rest == native {
		plan.Kind = rest
		return plan, nil
	}
	var kinds []string
	for part := range strings.SplitSeq(rest, "; ") {
		fault, err := stage.ParseFault(part)
		if err != nil {
			return Plan{}, err
		}
		plan.Faults = append(plan.Faults, fault)
		kinds = append(kinds, string(fault.Action))
	}
	plan.Kind = strings.Join(kinds, ", ")
	return plan, nil
}
