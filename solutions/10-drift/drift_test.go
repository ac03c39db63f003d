package main

import (
	"testing"
	"time"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

func TestParseDrift(t *testing.T) {
	for _, test := range []struct {
		way      string
		interval time.Duration
		wantErr  string
	}{
		{way: "reapply", interval: time.Second},
		{way: "poll", interval: time.Second},
		{way: "poller", interval: time.Second},
		{way: "notify", interval: time.Second},
		{way: "watch", interval: time.Second, wantErr: `--drift is "watch"; it has to be one of ["reapply" "poll" "poller" "notify"]`},
		{way: "poll", interval: 0, wantErr: "--drift-interval is 0s; it has to be positive"},
	} {
		got, err := parseDrift(test.way, test.interval)
		if err != nil && err.Error() != test.wantErr || err == nil && (test.wantErr != "" || got != drift{way(test.way), test.interval}) {
			t.Errorf("%s, %s: got %v, error %v, want the error %q", test.way, test.interval, got, err, test.wantErr)
		}
	}
}

func TestLookAgainAfter(t *testing.T) {
	gone := makeWorkspace(ready)
	gone.Status = assessWorkspace(workspaceFacts{now: noon, object: gone, looked: true})
	for name, test := range map[string]struct {
		seen workspaceFacts
		want time.Duration // or up to a tenth more
	}{
		"polls":                   {seen: workspaceFacts{object: makeWorkspace(ready), drift: drift{poll, time.Hour}}, want: time.Hour},
		"reapplies":               {seen: workspaceFacts{object: makeWorkspace(ready), drift: drift{reapply, time.Hour}}, want: time.Hour},
		"the watcher looks":       {seen: workspaceFacts{object: makeWorkspace(ready), drift: drift{poller, time.Hour}}},
		"files are lost":          {seen: workspaceFacts{object: gone, drift: drift{poll, time.Hour}}},
		"is being deleted":        {seen: workspaceFacts{object: makeWorkspace(ready, going), drift: drift{poll, time.Hour}}},
		"another owner's bucket":  {seen: workspaceFacts{object: makeWorkspace(), looked: true, bucket: own(ofAnother), drift: drift{poll, time.Hour}}, want: nameTakenRetry},
		"disputed, with a truce":  {seen: workspaceFacts{object: makeWorkspace(ready), looked: true, bucket: own(shrunk), truce: noon.Add(time.Second), drift: drift{notify, time.Hour}}, want: time.Second},
		"disputed, with no truce": {seen: workspaceFacts{object: makeWorkspace(ready), looked: true, bucket: own(shrunk), drift: drift{notify, time.Hour}}},
	} {
		t.Run(name, func(t *testing.T) {
			test.seen.now, test.seen.cluster = noon, here
			if got := lookAgainAfter(test.seen); got < test.want || got > test.want+test.want/10 {
				t.Errorf("it looks again after %s, want %s", got, test.want)
			}
		})
	}
}

func TestTruce(t *testing.T) {
	for times, want := range map[int]time.Duration{0: 0, 2: 0, 3: 2 * time.Second, 4: 4 * time.Second, 12: 10 * time.Minute, 1000: 10 * time.Minute} {
		entry := dispute{times: times, last: noon.Time}
		got := truceOf(entry)
		if want == 0 && !got.IsZero() || want > 0 && got.Sub(noon.Time) != want {
			t.Errorf("after %d times, the truce ends at %s, want %s after noon", times, got, want)
		}
	}
}

// A dispute that has been calm for long is over.
func TestDisputesEnd(t *testing.T) {
	var all disputes
	for i := range 5 {
		all.restored("1", noon.Add(time.Duration(i)*time.Second))
	}
	if all.truce("1").IsZero() {
		t.Error("there is no truce, although the settings were put back five times")
	}
	all.restored("1", noon.Add(5*time.Second+calm+time.Second))
	if !all.truce("1").IsZero() || !all.truce("2").IsZero() {
		t.Error("there is a truce, although the dispute was over, or never was")
	}
}

// What the server or others add to a bucket is no difference.
func TestDiffers(t *testing.T) {
	found := own()
	found.settings.Metadata["team"] = "red"
	found.settings.Duplicates = 2 * time.Minute
	seen := workspaceFacts{object: makeWorkspace(ready), cluster: here, bucket: found}
	if got := differs(seen); len(got) > 0 {
		t.Errorf("%q differ, want nothing", got)
	}
	found.settings.MaxAge = time.Hour
	found.settings.Metadata[markCluster] = "elsewhere"
	if got := differs(seen); len(got) != 2 || got[0] != "max_age" || got[1] != "metadata" {
		t.Errorf("%q differ, want max_age and metadata", got)
	}
}

func TestMayBeOrphan(t *testing.T) {
	w := &watcher{workspaceReconciler: &workspaceReconciler{cluster: here}}
	elsewhere := own()
	elsewhere.settings.Metadata[markCluster] = "elsewhere"
	copied := own()
	copied.name = "copy"
	foreign := own()
	foreign.settings.Metadata = nil
	for name, test := range map[string]struct {
		found *bucket
		want  bool
	}{
		"ours":              {own(), true},
		"to be kept":        {own(keptLater), false},
		"another cluster's": {elsewhere, false},
		"a copy":            {copied, false},
		"somebody's":        {foreign, false},
	} {
		if got := w.mayBeOrphan(test.found); got != test.want {
			t.Errorf("%s: got %t, want %t", name, got, test.want)
		}
	}
	if v1alpha1.BucketName("1") != own().name {
		t.Errorf("the bucket of these tests has another name than the Workspace's: %s", own().name)
	}
}
