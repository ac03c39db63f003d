package subject

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/controller-course/tests/kit/repo"
)

// A RoleError tells that there is no role for a controller, for a reason that lies in its markers.
type RoleError struct {
	Dir  string // with the controller
	Said string // each marker that is wrong, with file:line, and what is wrong with it; empty where there is none at all
}

func (e *RoleError) Error() string {
	if e.Said == "" {
		return fmt.Sprintf("%s has no +kubebuilder:rbac markers: a controller may do only what its role allows, "+
			"so it would be refused everything; say above its code what it needs, as in\n%s", e.Dir, Marker)
	}
	return fmt.Sprintf("make a role out of the +kubebuilder:rbac markers in %s:\n%s", e.Dir, e.Said)
}

// Marker is one as it should be.
const Marker = "// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;list;watch;create"

// roleError quotes the markers that something is said about. Paths are shown from the repository's root.
func roleError(source string, about []complaint) error {
	var lines []string
	for i, one := range about {
		if i == 0 || one.file != about[i-1].file || one.line != about[i-1].line {
			lines = append(lines, fmt.Sprintf("%s:%d:\n  %s", repo.Short(one.file), one.line, one.marker()))
		}
		lines = append(lines, "    "+one.what)
	}
	return &RoleError{Dir: repo.Short(source), Said: strings.Join(lines, "\n")}
}

// A complaint is something that is wrong with the marker in a line of a file.
type complaint struct {
	file string
	line int
	what string
}

// marker is that line; empty when the file has changed meanwhile.
func (c complaint) marker() string {
	text, _ := os.ReadFile(c.file)
	if lines := strings.Split(string(text), "\n"); c.line <= len(lines) {
		return strings.TrimSpace(lines[c.line-1])
	}
	return ""
}

// complained is a line of controller-gen's, which ends with a place within the marker.
var complained = regexp.MustCompile(`(?m)^(.+\.go):(\d+):\d+: (.*?)(?: \(at <input>.*\))?$`)

// complaints are those in controller-gen's output.
func complaints(output string) []complaint {
	var all []complaint
	for _, found := range complained.FindAllStringSubmatch(output, -1) {
		if line, err := strconv.Atoi(found[2]); err == nil && line > 0 {
			all = append(all, complaint{found[1], line, found[3]})
		}
	}
	return all
}

// incomplete are the markers that controller-gen takes, and the API server refuses in a role.
func incomplete(source string) ([]complaint, error) {
	files, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err != nil {
		return nil, err
	}
	var all []complaint
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(string(text), "\n") {
			for _, name := range missing(line) {
				all = append(all, complaint{file, i + 1, fmt.Sprintf("missing argument %q", name)})
			}
		}
	}
	return all, nil
}

var (
	marker   = regexp.MustCompile(`^\s*//\s*\+kubebuilder:rbac:`)
	argument = regexp.MustCompile(`[:,]\s*(\w+)=[^,]`)
)

// missing are the arguments without which the marker in a line, if it is one, allows nothing.
func missing(line string) []string {
	if !marker.MatchString(line) {
		return nil
	}
	given := map[string]bool{}
	for _, found := range argument.FindAllStringSubmatch(line, -1) {
		given[found[1]] = true
	}
	needed := []string{"groups", "resources", "verbs"}
	if given["urls"] {
		needed = []string{"verbs"}
	}
	return slices.DeleteFunc(needed, func(name string) bool { return given[name] })
}
