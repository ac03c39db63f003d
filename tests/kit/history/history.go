// Package history records one run of a controller: its requests, the events that its watches delivered and when,
// how the objects changed, and what was done to the controller. The proxy, the
// observer and the runner write it; the invariants and the picture read it.
package history

import (
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Run is the whole record. Times are since the start of the run; zero means never.
type Run struct {
	Requests  []Request  // in the order in which they were received
	Streams   []Stream   // watches, in the order in which they were opened
	Frames    []Frame    // in the order in which they were received
	Changes   []Change   // in the order of their resourceVersions
	Faults    []Strike   // in the order in which they struck
	Processes []Process  // in the order in which they were started
	Stimuli   []Stimulus // in the order in which they happened
	Printed   []Line     // in the order in which they came; no more than MostPrinted
}

// Request is one request of a controller, watches excepted.
type Request struct {
	ID       int // from 1, the place in Run.Requests
	Instance int // which process sent it, from 1
	Call     Call
	Group    string
	Object   Name   // the object that the request names or creates
	UID      string // of the object in the API server's response, if any

	Received  time.Duration // by the proxy
	Committed time.Duration // when the API server had responded
	Answered  time.Duration // when the controller had received the response

	Code     int    // of the API server's response; 0 when it was not asked
	Returned int    // the code that the controller received; 0 when the connection was cut
	Reason   string // the API server's reason, if it refused ("AlreadyExists")
	// Message is the API server's message, if it refused, at most 300 characters of it. It distinguishes
	// a missing permission from a quota or a policy, which have the same reason.
	Message string

	ResourceVersion uint64 // of the object in the API server's response; 0 when there was none
	// Metadata is that of the bucket in the object store's response; nil when there was none.
	Metadata map[string]string
	// Listed are the names in the object store's list of all buckets: nil if the request was another one, or if it returned a part of the
	// list only.
	Listed []string
	Fault  int // which of Run.Faults struck it, from 1; 0 for none
}

// Write says whether the request is one that changes something if it succeeds.
func (r Request) Write() bool { return IsWrite(r.Call.Verb) }

// Succeeded says whether the API server did what was asked, whatever response the controller received.
func (r Request) Succeeded() bool { return r.Code >= 200 && r.Code < 300 }

// Stream is one watch of a controller.
type Stream struct {
	ID       int // from 1, the place in Run.Streams
	Instance int
	Resource string // "jobs"
	Scope    Scope
	Opened   time.Duration
	UpToDate time.Duration // when the initial state had been delivered
	Ended    time.Duration
	Code     int // of the response; 200 for a watch that was established
}

// Scope is what a watch asks for.
type Scope struct {
	Namespace string // empty for all
	Labels    string // the label selector; empty for none
	Fields    string // the field selector; empty for none
	Metadata  bool   // the objects' metadata only
}

// String says it in words: "of all namespaces, with the labels app=web, metadata only".
func (s Scope) String() string {
	words := []string{"of all namespaces"}
	if s.Namespace != "" {
		words[0] = "of the namespace " + s.Namespace
	}
	if s.Labels != "" {
		words = append(words, "with the labels "+s.Labels)
	}
	if s.Fields != "" {
		words = append(words, "with the fields "+s.Fields)
	}
	if s.Labels == "" && s.Fields == "" {
		words = append(words, "without a selector")
	}
	if s.Metadata {
		words = append(words, "metadata only")
	}
	return strings.Join(words, ", ")
}

// Frame is one event on a stream.
type Frame struct {
	Stream int
	Moment Moment // zero for bookmarks and errors
	Type   string // ADDED, MODIFIED, DELETED, BOOKMARK, ERROR
	Object Name
	UID    string

	ResourceVersion uint64
	Initial         bool // part of the watch's initial state

	Received  time.Duration // from the API server
	Delivered time.Duration // to the controller
	Fault     int           // which of Run.Faults held it, from 1; 0 for none
}

// Change is what one resourceVersion made of one object, as an observer with a watch of its own saw it.
type Change struct {
	ResourceVersion uint64
	// Seen is when the first sign of it was there: the observer's event, an event of the controller's watches, or the
	// API server's response to the write that made it. So a cause comes before its effects.
	Seen     time.Duration
	Type     string // ADDED, MODIFIED, DELETED
	Resource string // "jobs", "sequentialjobs"
	Object   *unstructured.Unstructured
	Initial  bool // part of the observation's initial state
}

// Process is one run of the controller's program.
type Process struct {
	Instance int // from 1
	Started  time.Duration
	UpToDate time.Duration // when its watches had delivered their initial state
	Ended    time.Duration
	How      string // "killed", "stopped", "exit code 1"
}

// Stimulus is what others did meanwhile: a user, the Job controller, the garbage collector.
type Stimulus struct {
	At    time.Duration
	Actor string // "user", "job controller", "garbage collector"
	What  string // "completes Job web-build"
}

// Line is what a controller has printed.
type Line struct {
	At       time.Duration
	Instance int
	Text     string
}

// MostPrinted is how many of a run's first lines are kept here. A process's log file has more of them.
const MostPrinted = 5000

// Log collects a run. It may be used from many goroutines.
type Log struct {
	start time.Time

	mu     sync.Mutex
	run    Run
	writes int // how often the run was changed

	dated   Run // the run when it was looked at last
	datedAt int // how many writes that has
}

// NewLog starts the record of a run.
func NewLog() *Log { return &Log{start: time.Now()} }

// Now is the time since the start of the run. It is never zero, which means never.
func (l *Log) Now() time.Duration { return max(time.Since(l.start), 1) }

// When is the moment on the clock that a time since the start of the run stands for.
func (l *Log) When(since time.Duration) time.Time { return l.start.Add(since) }

// Write changes the run under the log's lock. It must not block, nor use the log.
func (l *Log) Write(change func(*Run)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes++
	change(&l.run)
}

// Strike records that a fault struck, and returns its ID.
func (l *Log) Strike(fault Fault) int {
	now := l.Now()
	var id int
	l.Write(func(run *Run) {
		id = len(run.Faults) + 1
		run.Faults = append(run.Faults, Strike{ID: id, Fault: fault, Struck: now})
	})
	return id
}

// Heal records that a fault is over.
func (l *Log) Heal(id int) {
	now := l.Now()
	l.Write(func(run *Run) {
		if run.Faults[id-1].Healed == 0 {
			run.Faults[id-1].Healed = now
		}
	})
}

// Stimulate records what others did.
func (l *Log) Stimulate(who, what string) {
	now := l.Now()
	l.Write(func(run *Run) { run.Stimuli = append(run.Stimuli, Stimulus{At: now, Actor: who, What: what}) })
}

// Print records a line that a controller has printed.
func (l *Log) Print(instance int, text string) {
	now := l.Now()
	l.Write(func(run *Run) {
		if len(run.Printed) < MostPrinted {
			run.Printed = append(run.Printed, Line{At: now, Instance: instance, Text: text})
		}
	})
}

// Run returns the record up to now. Its objects are shared and must not be changed.
func (l *Log) Run() Run {
	return l.current().copied()
}

// LastChange is when an object was changed last; 0 for never.
func (l *Log) LastChange() (last time.Duration) {
	for _, change := range l.current().Changes {
		last = max(last, change.Seen)
	}
	return last
}

// UpToDate is when an instance was up to date; 0 for not yet.
func (l *Log) UpToDate(instance int) time.Duration {
	return l.current().Processes[instance-1].UpToDate
}

// current returns the record up to now, which must not be changed. Many ask for it while nothing happens.
func (l *Log) current() Run {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.datedAt < l.writes {
		l.dated, l.datedAt = l.run.copied(), l.writes
		l.dated.dateChanges()
	}
	return l.dated
}

func (r Run) copied() Run {
	return Run{
		Requests:  slices.Clone(r.Requests),
		Streams:   slices.Clone(r.Streams),
		Frames:    slices.Clone(r.Frames),
		Changes:   slices.Clone(r.Changes),
		Faults:    slices.Clone(r.Faults),
		Processes: slices.Clone(r.Processes),
		Stimuli:   slices.Clone(r.Stimuli),
		Printed:   slices.Clip(r.Printed), // lines never change
	}
}

// dateChanges moves each change to the first sign of it. Until then it is dated by the observer's event, which may come
// after the controller has acted on the change.
func (r *Run) dateChanges() {
	first := map[uint64]time.Duration{} // by resourceVersion
	note := func(version uint64, at time.Duration) {
		if known, is := first[version]; !is || at < known {
			first[version] = at
		}
	}
	for _, frame := range r.Frames {
		note(frame.ResourceVersion, frame.Received)
	}
	for _, request := range r.Requests {
		if request.Write() && request.Succeeded() {
			note(request.ResourceVersion, request.Committed)
		}
	}
	for i, change := range r.Changes {
		if at, is := first[change.ResourceVersion]; is {
			r.Changes[i].Seen = min(change.Seen, at)
		}
	}
}
