package controller

import (
	"math"
	"testing"
	"time"
)

func TestTimeToLive(t *testing.T) {
	for name, test := range map[string]struct {
		object      *objectBuilder
		after       time.Duration
		want        time.Duration
		wantLimited bool
		reason      string
	}{
		"no limit": {
			object: makeObject("web").completed(noon), after: 1000 * time.Hour,
			reason: "kept for good when ttlSecondsAfterFinished isn't set",
		},
		"not finished": {
			object: makeObject("web").ttl(60), after: time.Hour,
			reason: "the time counts from status.completionTime",
		},
		"some left": {
			object: makeObject("web").ttl(60).completed(noon), after: 20 * time.Second,
			want: 40 * time.Second, wantLimited: true,
			reason: "this is when to requeue",
		},
		"immediately": {
			object: makeObject("web").ttl(0).completed(noon),
			want:   0, wantLimited: true,
			reason: "0 is a limit, and a different thing from none",
		},
		"over": {
			object: makeObject("web").ttl(60).completed(noon), after: 90 * time.Second,
			want: -30 * time.Second, wantLimited: true,
			reason: "the controller may have been down when it ended",
		},
		"as long as int32 allows": {
			object: makeObject("web").ttl(math.MaxInt32).completed(noon),
			want:   math.MaxInt32 * time.Second, wantLimited: true,
			reason: "\"practically never\" must not overflow into \"immediately\"",
		},
	} {
		t.Run(name, func(t *testing.T) {
			object := test.object.obj()
			got, limited := timeToLive(object, &object.Status, noon.Add(test.after))
			if got != test.want || limited != test.wantLimited {
				t.Errorf("timeToLive() = %v, %t, want %v, %t: %s", got, limited, test.want, test.wantLimited, test.reason)
			}
		})
	}
}
