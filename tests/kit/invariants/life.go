package invariants

import (
	"slices"

	"k8s.io/apimachinery/pkg/types"

	"example.com/controller-course/tests/kit/history"
)

// life is the history of one object.
type life[T any] struct {
	uid      types.UID
	name     string
	versions []version[T]    // in order; never none
	gone     *history.Change // nil while it exists
}

// version is an object as one write left it.
type version[T any] struct {
	change history.Change
	object T
}

func lifeOf[T any](change history.Change) life[T] {
	return life[T]{uid: change.Object.GetUID(), name: change.Object.GetName()}
}

func (l *life[T]) id() types.UID { return l.uid }

func (l *life[T]) born() history.Change { return l.versions[0].change }

func (l *life[T]) bornAt() uint64 { return l.born().ResourceVersion }

func (l *life[T]) last() *version[T] { return &l.versions[len(l.versions)-1] }

// record adds what a change made of the object.
func (l *life[T]) record(c *Checker, change history.Change) error {
	if change.Type == deleted {
		l.gone = &change
		return nil
	}
	object, err := decode[T](c, change)
	l.versions = append(l.versions, version[T]{change, object})
	return err
}

// at returns the object as it was at a resourceVersion; nil when it was not there.
func (l *life[T]) at(resourceVersion uint64) *version[T] {
	if l.gone != nil && l.gone.ResourceVersion <= resourceVersion {
		return nil
	}
	var last *version[T]
	for i := range l.versions {
		if l.versions[i].change.ResourceVersion <= resourceVersion {
			last = &l.versions[i]
		}
	}
	return last
}

// ever says whether the object was as asked at a resourceVersion or before.
func (l *life[T]) ever(at uint64, what func(*T) bool) bool {
	for i := range l.versions {
		if l.versions[i].change.ResourceVersion <= at && what(&l.versions[i].object) {
			return true
		}
	}
	return false
}

// find returns the life with a UID; nil where there is none.
func find[L interface{ id() types.UID }](lives []L, uid types.UID) (none L) {
	for _, life := range lives {
		if life.id() == uid {
			return life
		}
	}
	return none
}

// meant returns the lives that a request was about. Where the response does not say which, all that ever had the
// name count.
func meant[L interface{ isMeantBy(*history.Request) bool }](lives []L, request *history.Request) []L {
	return slices.DeleteFunc(slices.Clone(lives), func(l L) bool { return !l.isMeantBy(request) })
}

func (l *life[T]) isMeantBy(request *history.Request) bool {
	return types.UID(request.UID) == l.uid || request.UID == "" && request.Object.Name == l.name
}
