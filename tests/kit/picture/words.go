package picture

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.com/controller-course/tests/kit/history"
)

func seconds(t time.Duration) string { return fmt.Sprintf("%.3f s", t.Seconds()) }

// took is how long something lasted.
func took(t time.Duration) string {
	if t >= time.Second {
		return fmt.Sprintf("%.2f s", t.Seconds())
	}
	return fmt.Sprintf("%.1f ms", float64(t.Microseconds())/1000)
}

// code is a response's status, with the reason if there is one.
func code(status int, reason string) string {
	if reason == "" && status >= http.StatusBadRequest {
		reason = http.StatusText(status)
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", status, reason))
}

// moment is a time that may be never: no words then.
func moment(t time.Duration) string {
	if t == 0 {
		return ""
	}
	return seconds(t)
}

// version is a resourceVersion; no words for none.
func version(resourceVersion uint64) string {
	if resourceVersion == 0 {
		return ""
	}
	return strconv.FormatUint(resourceVersion, 10)
}

// called is an object's name; no words for none.
func called(name history.Name) string {
	if name == (history.Name{}) {
		return ""
	}
	return name.String()
}

// known leaves out the details of which nothing is known.
func known(details ...detail) []detail {
	return slices.DeleteFunc(details, func(d detail) bool { return d.Value == "" })
}

// plain is a resource without its subresource.
func plain(resource string) string {
	resource, _, _ = strings.Cut(resource, "/")
	return resource
}

// same is the text that all marks of a resourceVersion have in common.
func same(resource string, resourceVersion uint64) string {
	if resourceVersion == 0 {
		return ""
	}
	return resource + " " + version(resourceVersion)
}
