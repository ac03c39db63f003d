package history

import "testing"

func TestScopeInWords(t *testing.T) {
	t.Parallel()
	for want, scope := range map[string]Scope{
		"of all namespaces, without a selector":                                         {},
		"of the namespace team, with the labels app=web, metadata only":                 {Namespace: "team", Labels: "app=web", Metadata: true},
		"of all namespaces, with the labels app=web, with the fields metadata.name=web": {Labels: "app=web", Fields: "metadata.name=web"},
	} {
		if got := scope.String(); got != want {
			t.Errorf("%#v is %q, want %q", scope, got, want)
		}
	}
}
