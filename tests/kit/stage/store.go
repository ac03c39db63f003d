package stage

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/buckets"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
)

// URLOfStore is the environment variable that tells a controller where the object store is.
const URLOfStore = "NATS_URL"

// Store is the object store of a run, outside the cluster: a server, a proxy between the controller and it, and a client of others
// past the proxy.
type Store struct {
	Server *buckets.Server
	Proxy  *buckets.Proxy
	Admin  *buckets.Admin

	url     string
	outages []interval // in which it was down
}

func (s *Stage) openStore(ctx context.Context) error {
	server, err := buckets.Start(ctx, filepath.Join(s.dir, "nats"), io.Discard)
	if err != nil {
		return err
	}
	admin, err := server.Administer()
	if err != nil {
		return errors.Join(err, server.Stop())
	}
	proxy := buckets.New(buckets.Options{Server: server.Address(), Log: s.Log, Logical: s.WorkspaceOf, Kill: s.kill})
	s.Store = &Store{Server: server, Proxy: proxy, Admin: admin}
	return nil
}

// interval is a part of a run; until is 0 while it lasts.
type interval struct {
	from, until time.Duration
}

// URL is what controllers connect to; empty before the first has started.
func (s *Store) URL() string { return s.url }

// EndStore has the object store go down as in a crash.
func (s *Stage) EndStore() error {
	s.Store.outages = append(s.Store.outages, interval{from: s.Log.Now()})
	s.Log.Stimulate(actorStore, "goes down")
	return s.Store.Server.Kill()
}

// ResumeStore starts the object store again, with all that it has stored.
func (s *Stage) ResumeStore(ctx context.Context) error {
	if err := s.Store.Server.Resume(ctx); err != nil {
		return err
	}
	s.Store.outages[len(s.Store.outages)-1].until = s.Log.Now()
	s.Log.Stimulate(actorStore, "is up again")
	return nil
}

// actorStore is what the history calls the object store when something happens to it.
const actorStore = "object store"

// AfterOutage is how long a controller may pause after the object store was down, until its next attempt to reach it. Attempts to reach
// it are not in the history.
func (s *Stage) AfterOutage() (longest time.Duration) {
	instance, _, _ := s.Current()
	for _, p := range s.afterOutages(s.Log.Run(), instance) {
		longest = max(longest, p.length)
	}
	return longest
}

// afterOutages has the pauses of an instance after the times in which the object store was down.
func (s *Stage) afterOutages(run history.Run, instance int) (pauses []pause) {
	if !s.HadOutage() {
		return nil
	}
	for _, o := range s.Store.outages {
		if o.until > 0 {
			pauses = append(pauses, pause{o.until, pauseAfter(o.from, o.until, attempts(run, instance, o.from, o.until, ofBuckets))})
		}
	}
	return pauses
}

// pauseAfter is how long a backoff may pause after attempts that failed for a while. One that doubles has the next pause take about as
// long as all earlier ones together. An attempt that an event triggers fails too: it doubles the next pause, and takes no time.
func pauseAfter(from, until time.Duration, events int) time.Duration {
	pause := 2 * (until - from)
	for ; events > 0 && pause < longestByEvents; events-- {
		pause = min(2*pause, longestByEvents)
	}
	return pause
}

// HadOutage says whether the object store has been down at all.
func (s *Stage) HadOutage() bool { return s.Store != nil && len(s.Store.outages) > 0 }

// ofBuckets says whether an event has a controller look for a bucket.
func ofBuckets(m history.Moment) bool {
	return m.Resource == kinds.Workspace.Resource || m.Resource == kinds.Secret.Resource
}

func (s *Stage) closeStore() error {
	if s.Store == nil {
		return nil
	}
	s.Store.Proxy.Close()
	s.Store.Admin.Close()
	return s.Store.Server.Stop()
}

// WorkspaceOf returns what a bucket represents: the Workspace that it is for, or itself. Its name has the Workspace's UID. A controller
// may know a Workspace that the observer has not seen yet, so this has the observer catch up, once for each name.
func (s *Stage) WorkspaceOf(bucket string) history.Logical {
	if !strings.HasPrefix(bucket, v1alpha1.BucketName("")) {
		return history.Logical(bucket)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.learns(bucket) {
		const patience = 5 * time.Second
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		_, _ = s.Observer.Sync(ctx) // its error ends the check, when the next one waits for the observer
		if !s.learns(bucket) {
			s.workspaces[bucket] = history.Logical(bucket)
		}
	}
	return s.workspaces[bucket]
}

// learns says whether it is known what a bucket represents, as far as the observer has seen. The stage is locked.
func (s *Stage) learns(bucket string) bool {
	if s.workspaces[bucket] == "" {
		for name, workspace := range s.Observer.Objects()[kinds.Workspace.Resource] {
			s.workspaces[v1alpha1.BucketName(workspace.GetUID())] = history.Logical(name)
		}
	}
	return s.workspaces[bucket] != ""
}

// OfStore says whether a fault strikes what the object store is asked or tells.
func OfStore(fault history.Fault) bool {
	return slices.Contains([]string{fault.Call.Resource, fault.Moment.Resource, fault.Next.Resource}, buckets.Resource)
}

// ParseFault reads a fault of the API server or of the object store, as Fault.String wrote it.
func ParseFault(line string) (history.Fault, error) {
	if strings.Contains(line+" ", " "+buckets.Resource+" ") {
		return buckets.ParseFault(line)
	}
	return proxy.ParseFault(line)
}

// Inject adds faults, of the API server or the object store. Each strikes once.
func (s *Stage) Inject(faults ...history.Fault) {
	for _, fault := range faults {
		if OfStore(fault) {
			s.Store.Proxy.Inject(fault)
		} else {
			s.Proxy.Inject(fault)
		}
	}
}

// Pending returns the faults that have not struck yet.
func (s *Stage) Pending() []proxy.Fault {
	pending := s.Proxy.Pending()
	if s.Store != nil {
		pending = slices.Concat(pending, s.Store.Proxy.Pending())
	}
	return pending
}

// Disarm takes back the faults that have not struck yet, and returns them.
func (s *Stage) Disarm() []proxy.Fault {
	pending := s.Proxy.Disarm()
	if s.Store != nil {
		pending = slices.Concat(pending, s.Store.Proxy.Disarm())
	}
	return pending
}

// Heal ends all active faults.
func (s *Stage) Heal() {
	s.Proxy.Heal()
	if s.Store != nil {
		s.Store.Proxy.Heal()
	}
}

// busy says whether a request or an event is under way, and when one last was.
func (s *Stage) busy() (busy bool, last time.Time) {
	busy, last = s.Proxy.Busy()
	if s.Store == nil {
		return busy, last
	}
	outside, lastOutside := s.Store.Proxy.Busy()
	if lastOutside.After(last) {
		last = lastOutside
	}
	return busy || outside, last
}
