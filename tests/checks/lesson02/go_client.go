package lesson02

import (
	"fmt"
	"strings"

	"example.com/controller-course/tests/checks/crds"
)

// clientInputs are what a Go client may read.
var clientInputs = []struct{ name, yaml string }{
	{"an object that sets only what it must", crds.Minimal},
	{"an object that sets all there is", crds.Full},
	{"an object that goes at once when it has finished", `spec: {ttlSecondsAfterFinished: 0}`},
	{"an object with labels for a step's Job", `spec: {steps: [{jobTemplate: {metadata: {labels: {team: web}}}}]}`},
}

func survivesGoClients(s *play) {
	var mistakes []mistake
	for _, input := range clientInputs {
		read := s.Object(crds.Minimal, input.yaml).Object
		written, err := s.ThroughGo(s.Context(), read)
		s.Must(err)
		changed := changesOf(read, written)
		if len(changed) > 0 {
			mistakes = append(mistakes, mistake{input.name, "changed", fmt.Sprintf("A Go client read %s, and wrote it back with your type:\n%s\nIn what it wrote,\n%s",
				input.name, layer(input.yaml, ""), crds.Quoted(strings.Join(changed, "\n")))})
		}
	}
	s.tell(mistakes)
}

// changesOf are the differences between what a client has read and what it has written. It may leave out what
// the API server adds, and add that itself.
func changesOf(read, written map[string]any) (changed []string) {
	read, written = crds.WithoutEmpty(read), crds.WithoutEmpty(written)
	for _, d := range crds.Differences(read, written) {
		if d.Got != crds.Unset || !isDefault(d) {
			changed = append(changed, fmt.Sprintf("%s was %s and is %s", d.Path, d.Want, d.Got))
		}
	}
	for _, d := range crds.Differences(written, read) {
		if d.Got == crds.Unset && !isDefault(d) {
			changed = append(changed, fmt.Sprintf("%s was unset and is %s", d.Path, d.Want))
		}
	}
	return changed
}

// isDefault says whether a value is what the API server adds where there is none.
func isDefault(d crds.Difference) bool {
	return d.Path == "spec.suspend" && d.Want == "false" || strings.HasSuffix(d.Path, ".onFailure") && d.Want == `"Fail"`
}
