package scene

import (
	"fmt"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/tests/checks/worlds"
)

// ConfigMap is the one that a program keeps in a namespace; nil where there is none.
func (s *Scene) ConfigMap(namespace string) *corev1.ConfigMap {
	there := &corev1.ConfigMap{}
	err := s.Client.Get(s.Context(), client.ObjectKey{Namespace: namespace, Name: worlds.JobCount}, there)
	if apierrors.IsNotFound(err) {
		return nil
	}
	s.Must(err)
	return there
}

// Miscounted says what is wrong with the ConfigMap of a namespace with this number of Jobs; empty when nothing is. When
// says what happened before, for a finding; it may be empty.
func (s *Scene) Miscounted(namespace string, jobs int, when string) string {
	if when != "" {
		when = ", " + when
	}
	has := fmt.Sprintf("namespace %s has %s", namespace, Counted(jobs, "Job", "Jobs"))
	there := s.ConfigMap(namespace)
	if there == nil {
		return fmt.Sprintf("%s but no ConfigMap %s%s", has, worlds.JobCount, when)
	}
	switch number, found := there.Data[worlds.CountKey]; {
	case !found:
		return fmt.Sprintf("%s, but its ConfigMap %s has nothing under the key %q%s", has, worlds.JobCount, worlds.CountKey, when)
	case number != strconv.Itoa(jobs):
		return fmt.Sprintf("%s, but its ConfigMap %s says %s: %q%s", has, worlds.JobCount, worlds.CountKey, number, when)
	}
	return ""
}
