package scene

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"
	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/controller-course/tests/checks/script"
)

func TestWhatACheckDoesNotExpectIsNotJudged(t *testing.T) {
	t.Parallel()
	s := script.New(t.Context())
	for name, test := range map[string]struct {
		play func()
		want string // a part of what is said; empty for an error of the judge
	}{
		"an object that is gone":   {func() { s.Must(apierrors.NewNotFound(batchv1.Resource("jobs"), "web-build")) }, `jobs.batch "web-build" not found`},
		"a name that is taken":     {func() { s.Must(apierrors.NewAlreadyExists(batchv1.Resource("jobs"), "web-build")) }, "already exists"},
		"a bucket that is gone":    {func() { s.Must(fmt.Errorf("store report.txt: %w", jetstream.ErrBucketNotFound)) }, "bucket not found"},
		"a panic":                  {func() { var none *Scene; none.told = "unreachable" }, "nil pointer"},
		"an API server that fails": {func() { s.Must(apierrors.NewInternalError(errors.New("etcd"))) }, ""},
		"any other error":          {func() { s.Must(errors.New("no space left on device")) }, ""},
	} {
		_, err := script.Play(test.play)
		got := surprise(err)
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) || strings.Contains(got, "\n") {
			t.Errorf("%s: %q, want a line with %q", name, got, test.want)
		}
	}
}
