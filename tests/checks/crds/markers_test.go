package crds

import (
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/must"
)

func TestIsStrange(t *testing.T) {
	known, err := knownMarkers()
	must.Succeed(t, err)
	for marker, want := range map[string]bool{
		"+kubebuilder:validation:MinItems=1":                    false,
		"+kubebuilder:validation:MinItem=1":                     true,
		"+kubebuilder:validation:minItems=1":                    true,
		`+kubebuilder:printcolumn:name="Age",JSONPath=".a:b"`:   false,
		`+kubebuilder:printercolumn:name="Age",JSONPath=".a:b"`: true,
		"+kubebuilder:object:root=true":                         false,
		"+kubebuilder:object:rooted":                            true,
		"+kubebuilder:ac:generate=true":                         false,
		"+listType=map":                                         false,
		"+listtype=map":                                         true,
		"+listType = map":                                       true,  // its name ends with a space
		"+genclient":                                            false, // another tool's
		"+patchMergeKey=name":                                   false,
		"+default={a: {b: c}}":                                  false,
	} {
		assert.Equal(t, "whether "+marker+" is strange", isStrange(marker, known), want)
	}
}
