package lesson02

import (
	"fmt"
	"strings"

	"example.com/controller-course/tests/checks/crds"
)

// clientInputs are objects that a Go client may read.
var clientInputs = []input{
	{name: "an object that sets only required fields", yaml: crds.Minimal},
	{name: "an object that sets all fields", yaml: crds.Full},
	{name: "an object that is deleted as soon as it has finished", yaml: `spec: {ttlSecondsAfterFinished: 0}`},
	{name: "an object that has a status", yaml: whole},
	{name: "an object with labels for a step's Job", yaml: `spec: {steps: [{jobTemplate: {metadata: {labels: {team: web}}}}]}`},
}

func survivesGoClients(s *crds.Scene) {
	var mistakes []mistake
	for _, input := range clientInputs {
		read := s.Object(crds.Minimal, input.yaml).Object
		written, problem, err := s.ThroughGo(s.Context(), read)
		s.Must(err)
		if problem != "" {
			mistakes = append(mistakes, mistake{input.name, "can't be read", fmt.Sprintf("A Go client with your types can't read %s, and write it back:\n%s\n"+
				"It says:\n%s", input.name, crds.Quoted(input.yaml), crds.Quoted(problem))})
			continue
		}
		if changed := changesOf(read, written); len(changed) > 0 {
			mistakes = append(mistakes, mistake{input.name, "changed", fmt.Sprintf("A Go client with your types read %s, and wrote it back:\n%s\n"+
				"What it wrote is different:\n%s", input.name, crds.Quoted(input.yaml), crds.Quoted(strings.Join(changed, "\n")))})
		}
	}
	tell(s, mistakes)
}

// changesOf are the differences between what a client has read and what it has written. It may add or omit the API
// server's defaults.
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

// isDefault says whether a value is a default of the API server.
func isDefault(d crds.Difference) bool {
	return d.Path == "spec.suspend" && d.Want == "false" || strings.HasSuffix(d.Path, ".onFailure") && d.Want == `"Fail"`
}
