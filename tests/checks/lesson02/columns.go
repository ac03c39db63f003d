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

// What kubectl get has to show of an object with the status half. The age is anything but unknown.
const age = "(an age)"

var (
	wantedColumns = []string{"NAME", "SUCCEEDED", "REASON", "STEP", "PROGRESS", "AGE"}
	wantedCells   = []string{"shown", "Unknown", "Running", "test", "1/2", age}
)

func showsColumns(s *play) {
	s.withStatus(s.there(s.Object(crds.Full, `metadata: {name: shown}`)), half)
	table, err := s.Table(s.Context(), "shown")
	s.Must(err)
	columns, cells := shownOf(table)
	if !slices.Equal(columns, wantedColumns) || !slices.Equal(cells, wantedCells) {
		s.Find("Of an object that is half way through \"kubectl get\" shows:\n%s\nIt has to show:\n%s",
			crds.Quoted(tabled(columns, cells)), crds.Quoted(tabled(wantedColumns, wantedCells)))
	}
}

// shownOf is what kubectl shows without being asked for more.
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

// isAge says whether a cell may tell how old something is. A time tells when it began.
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
