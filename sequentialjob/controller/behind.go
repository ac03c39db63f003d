package controller

import (
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// behindError says that a pass is put off because the cache is behind the API server.
type behindError struct {
	kind string // of the object that is newer than the cache shows it

	// lookAgain is when to try again should no event come; zero when one is certain to come.
	lookAgain time.Duration
}

func (e *behindError) Error() string {
	return fmt.Sprintf("the cache is behind for %s", e.kind)
}

func isBehind(err error) bool {
	behind := (*behindError)(nil)
	return errors.As(err, &behind)
}

// conflictIsBehind returns err, or where it is a conflict a *behindError: somebody has written to
// the object in the meantime, and the cache will show that soon.
func conflictIsBehind(err error, kind string) error {
	if apierrors.IsConflict(err) {
		return &behindError{kind: kind, lookAgain: cacheGrace}
	}
	return err
}
