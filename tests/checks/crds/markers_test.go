package crds

import "testing"

func TestIsStrange(t *testing.T) {
	known, err := knownMarkers()
	if err != nil {
		t.Fatal(err)
	}
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
		if got := isStrange(marker, known); got != want {
			t.Errorf("%s is strange: %t, want %t", marker, got, want)
		}
	}
}
