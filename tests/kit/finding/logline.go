package finding

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// unsaid is what a reader of one controller's log does not need. The object's own key says its name and namespace.
var unsaid = []string{"level", "ts", "msg", "error", "stacktrace", "controller", "controllerGroup", "controllerKind", "namespace", "name", "reconcileID"}

// ShortLine is a line of a controller's log for people to read. A line that is JSON, as zap writes it, becomes
// "15:04:05 ERROR what happened: the error  key=value". Other lines stay as they are.
func ShortLine(line string) string {
	var fields map[string]any
	if json.Unmarshal([]byte(line), &fields) != nil || fields["msg"] == nil {
		return line
	}
	var text strings.Builder
	if at, err := time.Parse(time.RFC3339, fmt.Sprint(fields["ts"])); err == nil {
		text.WriteString(at.Local().Format(time.TimeOnly) + " ")
	}
	fmt.Fprintf(&text, "%-5s %v", strings.ToUpper(fmt.Sprint(fields["level"])), fields["msg"])
	if problem, is := fields["error"]; is {
		fmt.Fprintf(&text, ": %v", problem)
	}
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if !slices.Contains(unsaid, key) {
			fmt.Fprintf(&text, "  %s=%s", key, value(fields[key]))
		}
	}
	if stack, is := fields["stacktrace"]; is && fields["panic"] != nil { // elsewhere it only shows how the line was logged
		fmt.Fprintf(&text, "\n%v", stack)
	}
	return text.String()
}

// value is the value of a key; an object's is its namespace and name.
func value(of any) string {
	if object, is := of.(map[string]any); is && object["name"] != nil {
		if object["namespace"] == nil {
			return fmt.Sprint(object["name"])
		}
		return fmt.Sprintf("%v/%v", object["namespace"], object["name"])
	}
	if text, is := of.(string); is {
		return text
	}
	text, err := json.Marshal(of)
	if err != nil {
		return fmt.Sprint(of)
	}
	return string(text)
}
