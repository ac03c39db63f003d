package lesson02

import (
	"fmt"

	"example.com/controller-course/tests/checks/crds"
)

// controls are the fields that may be set, changed and removed at any time. Null is a value that is not set.
var controls = []struct {
	field          string
	valid, invalid []string
}{
	{"suspend", []string{"null", "true", "false"}, []string{`"yes"`}},
	{"activeDeadlineSeconds", []string{"null", "1", "3600", "2147483647"}, []string{"0", "-1", "2147483648"}},
	{"ttlSecondsAfterFinished", []string{"null", "0", "60", "2147483647"}, []string{"-1"}},
}

// changesControls changes each control from each of its values to each value, in each state of a run. An object has one value
// of each.
func changesControls(s *crds.Scene) {
	const values = 4
	for _, state := range []struct{ name, when, status string }{
		{"waits", "before it runs", ""},
		{"runs", "while it runs", half},
		{"ended", "after it has ended", done},
	} {
		for n := range values {
			layers := []string{crds.Full}
			for _, control := range controls {
				layers = append(layers, controlled(control.field, control.valid[n%len(control.valid)]))
			}
			object := there(s, fmt.Sprintf("%s-%d", state.name, n), layers...)
			if state.status != "" {
				object = withStatus(s, object, state.status)
			}
			var changes []input
			for _, control := range controls {
				before := control.valid[n%len(control.valid)]
				for _, value := range control.valid {
					changes = append(changes, input{name: turned(control.field, before, value), yaml: controlled(control.field, value)})
				}
				for _, value := range control.invalid {
					changes = append(changes, input{name: turned(control.field, before, value), yaml: controlled(control.field, value), says: control.field})
				}
			}
			tell(s, change(s, object, state.when, changes))
		}
	}
}

func controlled(field, value string) string { return fmt.Sprintf("spec: {%s: %s}", field, value) }

func turned(field, before, value string) string {
	if before == "null" {
		before = "not set"
	}
	if value == "null" {
		return fmt.Sprintf("removing %s, which was %s", field, before)
	}
	return fmt.Sprintf("setting %s to %s, which was %s", field, value, before)
}
