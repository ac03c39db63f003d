// Package road knows how far each controller of the course comes in the campaign, from the first solution to the finished
// operator.
package road

import (
	"slices"

	"example.com/controller-course/tests/campaign"
)

// Result is how far a controller comes.
type Result struct {
	Code  string                     `json:"code"`  // the hash of what was run
	Unfit []string                   `json:"unfit"` // the scenarios that it does not complete without faults, so there are no plans for them
	Plans map[string]map[Fault]Count `json:"plans"` // of the other scenarios, without those whose fault struck nothing
}

// Count is how many plans a controller survives, and of how many.
type Count struct {
	Survived int `json:"survived"`
	Of       int `json:"of"`
}

// ResultOf is what a campaign shows. A plan that was run several times is survived if it was survived each time: some depend on which of two things comes
// first.
func ResultOf(code string, report campaign.Report) (Result, error) {
	result := Result{Code: code, Plans: map[string]map[Fault]Count{}}
	for _, one := range report.Results {
		if scenario := one.Plan.Scenario; one.Plan.Kind == campaign.NoFault && len(one.Findings) > 0 && !slices.Contains(result.Unfit, scenario) {
			result.Unfit = append(result.Unfit, scenario)
		}
	}
	plans, survived := map[string]campaign.Plan{}, map[string]bool{}
	for _, one := range report.Results {
		struckNothing := len(one.Missed) > 0 && len(one.Findings) == 0 // a run that failed may have ended before its second fault
		if struckNothing || slices.Contains(result.Unfit, one.Plan.Scenario) {
			continue
		}
		id := one.Plan.String()
		_, again := plans[id]
		plans[id], survived[id] = one.Plan, len(one.Findings) == 0 && (survived[id] || !again)
	}
	for id, plan := range plans {
		fault, err := faultOf(plan)
		if err != nil {
			return result, err
		}
		if result.Plans[plan.Scenario] == nil {
			result.Plans[plan.Scenario] = map[Fault]Count{}
		}
		result.Plans[plan.Scenario][fault] = result.Plans[plan.Scenario][fault].and(survived[id])
	}
	return result, nil
}

func (c Count) and(survived bool) Count {
	if survived {
		c.Survived++
	}
	return Count{c.Survived, c.Of + 1}
}

func (c Count) plus(more Count) Count { return Count{c.Survived + more.Survived, c.Of + more.Of} }

// percent is rounded down, so that 100 means all.
func (c Count) percent() int {
	if c.Of == 0 {
		return 0
	}
	return 100 * c.Survived / c.Of
}

// against counts a controller's plans by fault. In a scenario that it does not complete without faults, it survives none of
// the operator's plans.
func (r Result) against(operator Result) map[Fault]Count {
	counts := map[Fault]Count{}
	for _, byFault := range r.Plans {
		for fault, count := range byFault {
			counts[fault] = counts[fault].plus(count)
		}
	}
	for _, scenario := range r.Unfit {
		for fault, count := range operator.Plans[scenario] {
			counts[fault] = counts[fault].plus(Count{Of: count.Of})
		}
	}
	return counts
}
