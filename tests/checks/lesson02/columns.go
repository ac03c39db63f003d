package lesson02

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/controller-course/tests/checks/crds"
)

// What kubectl get has to show for an object with the status half. The age can be anything but unknown.
const age = "(an age)"

var (
	wantedColumns = []string{"NAME", "SUCCEEDED", "REASON", "STEP", "PROGRESS", "AGE"}
	wantedCells   = []string{"shown", "Unknown", "Running", "test", "1/2", age}
)

func showsColumns(s *crds.Scene) {
	withStatus(s, there(s, "shown", crds.Full), half)
	columns, cells := shownOf(s.Table("shown"))
	if !slices.Equal(columns, wantedColumns) || !slices.Equal(cells, wantedCells) {
		s.Find("For a run that has finished one of two steps, \"kubectl get\" shows:\n%s\nIt should show:\n%s",
			crds.Quoted(tabled(columns, cells)), crds.Quoted(tabled(wantedColumns, wantedCells)))
	}
}

// shownOf is what kubectl shows without -o wide.
func shownOf(table *metav1.Table) (columns, cells []string) {
	for i, column := range table.ColumnDefinitions {
		if column.Priority > 0 {
			continue
		}
		cell := "<none>"
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
	return err != nil && !slices.Contains([]string{"", "<none>", "<unknown>"}, cell)
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
