package audit_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/audit"
	"example.com/controller-course/tests/kit/must"
)

const log = `{"verb":"create","requestURI":"/apis/batch/v1/namespaces/a/jobs","user":{"username":"robot"},"objectRef":{"resource":"jobs","namespace":"a","name":"j"},"responseStatus":{"code":409},"requestReceivedTimestamp":"2026-01-02T03:04:05.600000Z"}
{"verb":"create","requestURI":"/x","user":{"username":"another user"},"objectRef":{"resource":"jobs"},"responseStatus":{"code":201}}
{"verb":"get","requestURI":"/apis","user":{"username":"robot"},"responseStatus":{"code":200}}
{"verb":"patch","requestURI":"/y","user":{"username":"robot"},"objectRef":{"resource":"jobs","subresource":"status"},"responseStatus":{"code":200}}
{"verb":"patch","requestURI":"/y","user":{"us`

func TestRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.log")
	must.Succeed(t, os.WriteFile(path, []byte(log), 0o600))
	requests, err := audit.Read(path, "robot")
	must.Succeed(t, err)
	want := []audit.Request{
		{Received: time.Date(2026, 1, 2, 3, 4, 5, 600_000_000, time.UTC), Verb: "create", Resource: "jobs",
			Namespace: "a", Name: "j", URI: "/apis/batch/v1/namespaces/a/jobs", Code: 409},
		{Verb: "patch", Resource: "jobs/status", URI: "/y", Code: 200},
	}
	assert.Equal(t, "requests", requests, want)
	wantCounts := audit.Counts{
		ByKind: map[string]int{"create jobs": 1, "patch jobs/status": 1},
		Failed: map[string]int{"create jobs: 409": 1},
	}
	assert.Equal(t, "counts", audit.Count(requests), wantCounts)
}
