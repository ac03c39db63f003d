package proxy

import (
	"net/http"
	"strconv"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"example.com/controller-course/tests/kit/history"
)

// messageLength is how much is kept of what the API server said where it refused.
const messageLength = 300

// request is one that is recorded.
type request struct {
	door   *door
	target target
	id     int // in the log
	named  bool
	fault  Fault
	struck int           // the fault's ID; 0 for none
	kept   chan struct{} // closed when a request that is delayed may continue; nil for others
	stale  *staleStart   // which serves an old state to a list

	uid     string // of the object in the API server's response
	version uint64 // which a write has made of it
}

// request serves a request. It continues even if the client gives up: the API server still does what it
// was asked, as it usually does.
func (d *door) request(w http.ResponseWriter, r *http.Request, t target, body []byte) {
	q := d.receive(t, decode(r.Header.Get("Content-Type"), body))
	if q == nil {
		park(r)
	}
	defer q.finish()

	if status, refuses := refusals[q.fault.Action]; refuses {
		if q.fault.Action == AnswerDeniedWithID {
			status.Message += " (request " + strconv.Itoa(q.id) + ")"
		}
		q.reply(w, statusResponse(status))
		return
	}
	switch q.fault.Action {
	case LoseRequest:
		lose(w, q, nil)
	case AnswerForbidden:
		q.reply(w, forbidden(t))
		return
	case Conflict:
		d.proxy.writeFirst(t, q.struck)
	case ConditionFirst:
		d.proxy.addCondition(t)
	case ReplaceFirst:
		d.proxy.replaceFirst(t)
	case CrashBefore:
		d.crash()
	case CommitLate:
		d.kill()
		q.awaitHeal()
	case ArriveLate:
		q.awaitHeal()
	}
	response, err := d.proxy.server.ask(d.proxy.ctx, r.Method, q.stale.list(t), r.Header, body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	response = d.proxy.confined(t, response)
	q.commit(response)
	switch q.fault.Action {
	case LoseReply:
		lose(w, q, response.body)
	case AnswerGateway:
		response = gateway()
	case CrashAfterCommit:
		d.crash()
	case CommitLate:
		panic(http.ErrAbortHandler)
	case AnswerLate:
		q.awaitHeal()
	}
	dying := q.fault.Action == CrashAfterReply // its watches deliver nothing any more
	if d.proxy.options.Prompt && history.IsWrite(t.verb) && !dying {
		q.showFirst(response)
	}
	q.reply(w, response)
	if dying {
		d.crash()
	}
}

// receive names and records a request and lets a fault strike it. It returns nil for a request of a process
// that is being killed.
func (d *door) receive(t target, body *unstructured.Unstructured) *request {
	p := d.lock()
	defer p.mu.Unlock()
	if d.dead {
		return nil
	}
	call := p.names.call(t, body)
	q := &request{door: d, target: t, named: call.Nth > 0}
	if t.verb == "list" {
		q.stale = d.staleList(t)
	}
	if q.named {
		p.inFlight++
		p.touch()
		q.strike(call)
	}
	record := history.Request{
		Instance: d.instance, Call: call, Group: t.group,
		Object:   history.Name{Namespace: t.namespace, Name: t.name},
		Received: p.options.Log.Now(), Fault: q.struck,
	}
	if t.name == "" && body != nil && t.verb == "create" {
		record.Object.Name = body.GetName()
	}
	p.options.Log.Write(func(run *history.Run) {
		q.id = len(run.Requests) + 1
		record.ID = q.id
		run.Requests = append(run.Requests, record)
	})
	return q
}

// strike finds the fault of a request. A process that is about to be killed counts as dead from now on, so that
// nothing that it does in its last moments makes a difference. The proxy is locked.
func (q *request) strike(call history.Call) {
	d := q.door
	counted := history.IsWrite(call.Verb) && q.target.resource != events
	if counted {
		d.writes++
	}
	q.fault, q.struck = d.proxy.take(call, func(f Fault) bool {
		if f.Write > 0 {
			return counted && f.Write == d.writes && f.Instance == d.instance
		}
		return f.Call == call || f.Next.Covers(call)
	})
	switch q.fault.Action {
	case CrashBefore, CrashAfterCommit, CrashAfterReply:
		d.dead = true
	case CommitLate:
		d.dead = true
		q.delay()
	case ArriveLate, AnswerLate:
		q.delay()
	}
}

// delay makes the request wait for Heal, at one point or another. The proxy is locked.
func (q *request) delay() {
	p := q.door.proxy
	q.kept = p.kept.Keep()
	p.inFlight-- // until Heal
}

func (q *request) awaitHeal() {
	if !AwaitRelease(q.door.proxy.ctx, q.kept) {
		panic(http.ErrAbortHandler)
	}
}

// commit records the API server's response and remembers its objects.
func (q *request) commit(r response) {
	p := q.door.proxy
	now := p.options.Log.Now()
	object := decode(r.header.Get("Content-Type"), r.body)
	objects := q.objectsOf(r, object)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.options.Log.Write(func(run *history.Run) {
		record := &run.Requests[q.id-1]
		record.Committed, record.Code = now, r.code
		if object != nil {
			describe(record, object)
		}
		q.uid, q.version = record.UID, record.ResourceVersion
	})
	if q.version == 0 {
		q.version = deleted
	}
	if q.stale != nil && r.code == http.StatusOK {
		q.stale.strike()
	}
	for _, object := range objects {
		p.names.remember(q.target, object)
	}
}

// objectsOf are the objects in a response, with the fields that say what they represent.
func (q *request) objectsOf(r response, body *unstructured.Unstructured) (objects []*unstructured.Unstructured) {
	if body == nil || r.code >= http.StatusMultipleChoices || q.target.subresource != "" && q.target.subresource != "status" {
		return nil
	}
	p := q.door.proxy
	for _, object := range objectsIn(body) {
		objects = append(objects, p.whole(p.ctx, q.target, object))
	}
	return objects
}

// describe records the object, or the refusal, in the API server's response.
func describe(record *history.Request, object *unstructured.Unstructured) {
	switch {
	case object.IsList():
	case object.GetKind() == "Status":
		record.Reason, _, _ = unstructured.NestedString(object.Object, "reason")
		record.Message, _, _ = unstructured.NestedString(object.Object, "message")
		record.UID, _, _ = unstructured.NestedString(object.Object, "details", "uid")
		if runes := []rune(record.Message); len(runes) > messageLength {
			record.Message = string(runes[:messageLength])
		}
	default:
		record.UID = string(object.GetUID())
		record.ResourceVersion, _ = strconv.ParseUint(object.GetResourceVersion(), 10, 64)
		if record.Object.Name == "" {
			record.Object.Name = object.GetName()
		}
	}
}

// reply sends the response to the controller. The time is taken first, so that what the controller does
// next comes later in the history too.
func (q *request) reply(w http.ResponseWriter, r response) {
	log := q.door.proxy.options.Log
	now := log.Now()
	log.Write(func(run *history.Run) { run.Requests[q.id-1].Answered, run.Requests[q.id-1].Returned = now, r.code })
	if r.write(w) != nil {
		log.Write(func(run *history.Run) { run.Requests[q.id-1].Answered, run.Requests[q.id-1].Returned = 0, 0 })
		panic(http.ErrAbortHandler)
	}
}

func (q *request) finish() {
	p := q.door.lock()
	defer p.mu.Unlock()
	if q.struck > 0 {
		p.options.Log.Heal(q.struck)
	}
	if q.named {
		p.inFlight--
		p.touch()
	}
}
