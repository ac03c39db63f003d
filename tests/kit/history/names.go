package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Name is what the API server calls an object.
type Name struct {
	Namespace, Name string
}

func (n Name) String() string { return n.Namespace + "/" + n.Name }

// Logical is what an object represents, however the controller named it: "web" for a SequentialJob,
// "web/build" for the Job of its step build, "-" where there is no object.
type Logical string

// None represents no object.
const None Logical = "-"

// Family is the object that an object belongs to, or is: "web" of "web/build".
func (l Logical) Family() string {
	name, _, _ := strings.Cut(string(l), "/")
	return name
}

// Call names one request of a run, so that the same request can be found in the next run:
// "create jobs web/build #1".
type Call struct {
	Verb     string // create, get, list, update, patch, delete, deletecollection; purge only in the object store
	Resource string // with the subresource: "sequentialjobs/status"
	Object   Logical
	Nth      int // from 1, among the calls that are otherwise equal, over all instances
}

func (c Call) String() string {
	return fmt.Sprintf("%s %s %s #%d", c.Verb, c.Resource, c.Object, c.Nth)
}

// Moment names one event of a run, so that the same event can be found in the next run:
// "MODIFIED jobs web/build #2". The same resourceVersion on another stream is the same moment.
type Moment struct {
	Type     string // ADDED, MODIFIED, DELETED
	Resource string
	Object   Logical
	Nth      int // from 1, among the moments that are otherwise equal
}

func (m Moment) String() string {
	return fmt.Sprintf("%s %s %s #%d", m.Type, m.Resource, m.Object, m.Nth)
}

// ParseCall reads what Call.String wrote.
func ParseCall(text string) (Call, error) {
	fields, nth, err := parseName(text)
	if err != nil {
		return Call{}, fmt.Errorf("%q is no call such as %q: %w", text, "create jobs web/build #1", err)
	}
	return Call{Verb: fields[0], Resource: fields[1], Object: Logical(fields[2]), Nth: nth}, nil
}

// ParseMoment reads what Moment.String wrote.
func ParseMoment(text string) (Moment, error) {
	fields, nth, err := parseName(text)
	if err != nil {
		return Moment{}, fmt.Errorf("%q is no moment such as %q: %w", text, "MODIFIED jobs web/build #2", err)
	}
	return Moment{Type: fields[0], Resource: fields[1], Object: Logical(fields[2]), Nth: nth}, nil
}

func parseName(text string) ([]string, int, error) {
	fields := strings.Fields(text)
	if len(fields) != 4 || !strings.HasPrefix(fields[3], "#") {
		return nil, 0, fmt.Errorf("it takes four words, of which the last is a number after a #")
	}
	nth, err := strconv.Atoi(fields[3][1:])
	if err != nil || nth < 1 {
		return nil, 0, fmt.Errorf("%q is no number from 1 on", fields[3][1:])
	}
	return fields, nth, nil
}

// IsWrite says whether requests with this verb change something.
func IsWrite(verb string) bool {
	return slices.Contains([]string{"create", "update", "patch", "delete", "deletecollection", "purge"}, verb)
}
