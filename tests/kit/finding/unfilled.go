package finding

import (
	"fmt"
	"net/http"
	"slices"

	"example.com/controller-course/tests/kit/history"
)

// Unfilled is the finding for a controller that makes no progress because a read through its cache has started a watch that
// its role forbids, if it is so. Watches that it opens when it starts are another matter: see NoWatch.
func Unfilled(run history.Run, instance int) (Finding, bool) {
	upToDate := run.Processes[instance-1].UpToDate
	of := func(resource string) func(history.Stream) bool {
		return func(s history.Stream) bool { return s.Instance == instance && s.Resource == resource }
	}
	for _, stream := range run.Streams {
		late := upToDate > 0 && stream.Opened > upToDate
		if stream.Instance != instance || !late || stream.Code != http.StatusForbidden {
			continue
		}
		tries := 0
		if slices.ContainsFunc(run.Streams, func(s history.Stream) bool {
			if of(stream.Resource)(s) {
				tries++
			}
			return of(stream.Resource)(s) && s.Code == http.StatusOK
		}) {
			continue
		}
		return Finding{
			What: fmt.Sprintf("A worker of your controller has been waiting since %s. It read %s through the cache, and nobody had declared that kind. "+
				"So the cache started a watch of %s (%s). Your controller's role does not allow list and watch of them, and the API server refused %s. "+
				"The read returns only when the watch has delivered everything, which never happens.",
				seconds(stream.Opened), stream.Resource, stream.Resource, stream.Scope, count(tries)),
			At: stream.Opened,
		}, true
	}
	return Finding{}, false
}
