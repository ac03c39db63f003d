package lesson02

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/checks/crds"
	"example.com/controller-course/tests/kit/finding"
)

// done is the status of a run that has finished all steps. Another program's condition is where the
// summary is in half.
const done = `
status:
  observedGeneration: 1
  startTime: "2030-01-01T00:00:00Z"
  completionTime: "2030-01-01T01:00:00Z"
  progress: 2/2
  steps:
  - {name: build, state: Succeeded, jobName: web-build}
  - {name: test, state: Succeeded, jobName: web-test}
  conditions:
  - {type: Accepted, status: "True", reason: Accepted, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}
  - {type: example.com/Paid, status: Unknown, reason: Waiting, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}
  - {type: Succeeded, status: "True", reason: Completed, message: "", lastTransitionTime: "2030-01-01T01:00:00Z"}
`

// between is the status of a run whose next step has not started.
const between = `
status:
  observedGeneration: 1
  startTime: "2030-01-01T00:00:00Z"
  currentStep: test
  progress: 1/2
  steps:
  - {name: build, state: Succeeded, jobName: web-build}
  - {name: test, state: Pending}
  conditions:
  - {type: Succeeded, status: Unknown, reason: Suspended, message: Step test is next., lastTransitionTime: "2030-01-01T00:00:00Z"}
`

// What kubectl get has to show. The age can be anything but unknown.
const (
	age  = "(an age)"
	none = "<none>"
)

var wantedColumns = []string{"NAME", "SUCCEEDED", "REASON", "STEP", "PROGRESS", "AGE"}

func showsColumns(s *crds.Scene) {
	for _, run := range []struct {
		what, status string
		cells        []string
	}{
		{"a run that has finished one of two steps", half, []string{"half", "Unknown", "Running", "test", "1/2", age}},
		{"a run whose next step has not started", between, []string{"between", "Unknown", "Suspended", "test", "1/2", age}},
		{"a finished run, to which another program has added a condition", done, []string{"done", "True", "Completed", none, "2/2", age}},
	} {
		name := run.cells[0]
		withStatus(s, there(s, name, crds.Full), run.status)
		columns, cells := shownOf(s.Table(name))
		if !slices.Equal(columns, wantedColumns) || !slices.Equal(cells, run.cells) {
			s.Find("For %s, \"kubectl get\" shows:\n%s\nIt should show:\n%s",
				run.what, finding.Kept(tabled(columns, cells)), finding.Kept(tabled(wantedColumns, run.cells)))
		}
	}
}

// shownOf is what kubectl shows without -o wide.
func shownOf(table *metav1.Table) (columns, cells []string) {
	for i, column := range table.ColumnDefinitions {
		if column.Priority > 0 {
			continue
		}
		cell := none
		if value := table.Rows[0].Cells[i]; value != nil {
			cell = fmt.Sprint(value)
		}
		name := strings.ToUpper(column.Name)
		if name == "AGE" && isAge(cell) {
			cell = age
		}
		columns, cells = append(columns, name), append(cells, cell)
	}
	return columns, cells
}

// isAge says whether a cell may be an age, not a point in time.
func isAge(cell string) bool {
	_, err := time.Parse(time.RFC3339, cell)
	return err != nil && !slices.Contains([]string{"", none, "<unknown>"}, cell)
}

func tabled(rows ...[]string) string {
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 0, 3, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(table, strings.Join(row, "\t"))
	}
	_ = table.Flush() // to memory, which takes it
	return text.String()
}
