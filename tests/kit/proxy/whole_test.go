package proxy_test

import (
	"context"
	"fmt"
	"net/http"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
	"example.com/controller-course/tests/kit/proxy"
)

// others are those who see all of an object, once it is in seen.
type others struct {
	asked chan types.UID
	seen  chan string // as JSON
}

func newOthers() others { return others{make(chan types.UID, 10), make(chan string, 10)} }

func (o others) whole(ctx context.Context, _ string, uid types.UID) *unstructured.Unstructured {
	o.asked <- uid
	select {
	case text := <-o.seen:
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON([]byte(text)); err != nil {
			panic(err)
		}
		return object
	case <-ctx.Done():
		return nil
	}
}

func (b *bench) awaitAsked(o others, uid types.UID) {
	b.Helper()
	asked, _ := receive(b, o.asked, "the object is asked for")
	assert.Equal(b, "the object that is asked for", asked, uid)
}

// table is a Job as a client sees it that watches tables.
func table(step string, version int) string {
	return fmt.Sprintf(`{"apiVersion":"meta.k8s.io/v1","kind":"Table","metadata":{"resourceVersion":"%[1]d"},"rows":[{"cells":["a"],"object":%[2]s}]}`,
		version, metadata(step, version))
}

// The event of a Job that the controller has just created arrives before the response, and before anybody else's event.
func TestAnEventOfMetadataWaitsUntilTheObjectIsKnown(t *testing.T) {
	for name, form := range map[string]func(string, int) string{"metadata": metadata, "a table": table} {
		t.Run(name, func(t *testing.T) {
			o := newOthers()
			b := newBench(t, func(options *proxy.Options) { options.Whole = o.whole })
			b.inject("hold: ADDED jobs web/build #1")
			one := b.instance(1)
			w, s := one.open(jobs, fromList)
			unrelated, unrelatedServer := one.open(sequences, fromList)
			s.send(frame("ADDED", form("build", 11)), bookmark(12))
			b.awaitAsked(o, "uid-build")
			if busy, _ := b.proxy.Busy(); !busy {
				t.Error("nothing is under way, although an event waits to be named")
			}
			unrelatedServer.send(bookmark(13))
			unrelated.want("BOOKMARK @13")
			w.wantNothing()

			o.seen <- job("build", 10)
			b.awaitReceived(3)
			b.awaitQuiet()
			w.wantNothing()
			b.proxy.Heal()
			if line, _ := receive(b, w.lines, "the event"); line != frame("ADDED", form("build", 11)) {
				t.Errorf("the controller received %s", line)
			}
			w.want("BOOKMARK @12")
			b.wantOneFault("hold: ADDED jobs web/build #1")
		})
	}
}

func TestAClientDoesNotWaitForTheNameOfAnEvent(t *testing.T) {
	o := newOthers()
	b := newBench(t, func(options *proxy.Options) { options.Whole = o.whole })
	w, s := b.instance(1).open(jobs, fromList)
	s.send(frame("ADDED", metadata("build", 11)))
	b.awaitAsked(o, "uid-build")
	w.stop()
	b.eventually("the watch is over", func() bool { return b.log.Run().Streams[0].Ended > 0 })
	b.awaitQuiet()
}

// Metadata shows an owner that has changed.
func TestMetadataIsNamedAsOfItsVersion(t *testing.T) {
	o := newOthers()
	b := newBench(t, func(options *proxy.Options) { options.Whole = o.whole })
	_, s := b.instance(1).open(jobs, fromList)
	owned := `{"apiVersion":"meta.k8s.io/v1","kind":"PartialObjectMetadata","metadata":{"name":"web-build","namespace":"run",
		"uid":"uid-build","resourceVersion":"11","ownerReferences":[{"kind":"SequentialJob","name":"other"}]}}`
	o.seen <- job("build", 10)
	s.send(frame("ADDED", owned))
	b.awaitReceived(1)
	assert.Equal(b, "moments", b.moments(), []string{"ADDED jobs other/build #1"})
}

func TestNamesAreLearnedFromMetadata(t *testing.T) {
	item := `{"kind":"PartialObjectMetadata","metadata":{"name":"web-build","namespace":"run","uid":"uid-build",
		"ownerReferences":[{"kind":"SequentialJob","name":"web"}]}}`
	for name, list := range map[string]string{
		"a list":  `{"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","items":[` + item + `]}`,
		"a table": `{"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[{"cells":[],"object":` + item + `},{"cells":[],"object":null}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			o := newOthers()
			b := newBench(t, func(options *proxy.Options) { options.Whole = o.whole })
			b.server.respond("GET "+jobs, list)
			o.seen <- job("build", 7)
			one := b.instance(1)
			must.Succeed(t, one.ask(http.MethodGet, jobs, "").cut)
			one.ask(http.MethodGet, jobs+"/web-build", "")
			b.wantCalls("list jobs - #1 200 200", "get jobs web/build #1 200 200")
		})
	}
}

// Nobody has to see more of objects that are named by their names, or that are not about the run.
func TestWhatIsNamedByItselfDoesNotWait(t *testing.T) {
	o := newOthers()
	b := newBench(t, func(options *proxy.Options) { options.Whole = o.whole })
	w, s := b.instance(1).open("/api/v1/configmaps", fromList)
	s.send(frame("ADDED", metadata("build", 11)))
	w.want("ADDED web-build@11")
	w, s = b.instance(1).open(jobs, fromList)
	s.send(elsewhere("other", frame("ADDED", metadata("build", 12))))
	w.want("ADDED web-build@12")
}
