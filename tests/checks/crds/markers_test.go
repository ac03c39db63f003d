package crds

import "testing"

func TestIsStrange(t *testing.T) {
	known := []string{"kubebuilder:validation:MinItems", "kubebuilder:printcolumn", "kubebuilder:object:root", "listType", "default"}
	for marker, want := range map[string]bool{
		"kubebuilder:validation:MinItems=1":                    false,
		"kubebuilder:validation:MinItem=1":                     true,
		"kubebuilder:validation:minItems=1":                    true,
		`kubebuilder:printcolumn:name="Age",JSONPath=".a:b"`:   false,
		`kubebuilder:printercolumn:name="Age",JSONPath=".a:b"`: true,
		"kubebuilder:object:root=true":                         false,
		"kubebuilder:object:rooted":                            true,
		"listType=map":                                         false,
		"listtype=map":                                         true,
		"genclient":                                            false, // another tool's
		"patchMergeKey=name":                                   false,
		"default={a: {b: c}}":                                  false,
	} {
		if got := isStrange(marker, known); got != want {
			t.Errorf("+%s is strange: %t, want %t", marker, got, want)
		}
	}
}
