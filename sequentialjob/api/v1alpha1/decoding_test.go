package v1alpha1

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAStepIsDecoded(t *testing.T) {
	const container = `{"name": "one", "onFailure": "Continue", "jobTemplate": {"spec": {"template": {"spec": {"containers": [%]}}}}}`
	for name, test := range map[string]struct {
		step      string
		want      Step // without its template
		wantError string
	}{
		"as usual":        {strings.Replace(container, "%", `{"name": "main", "ports": [{"containerPort": 80}]}`, 1), Step{Name: "one", OnFailure: "Continue"}, ""},
		"a port too long": {strings.Replace(container, "%", `{"name": "main", "startupProbe": {"httpGet": {"port": 8080808080}}}`, 1), Step{Name: "one", OnFailure: "Continue"}, "port"},
		"a quantity that isn't one": {strings.Replace(container, "%", `{"name": "main", "resources": {"limits": {"cpu": "1e1.5"}}}`, 1),
			Step{Name: "one", OnFailure: "Continue"}, "quantities must match"},
	} {
		t.Run(name, func(t *testing.T) {
			var got struct{ Steps []Step }
			if err := json.Unmarshal([]byte(`{"steps": [`+test.step+`]}`), &got); err != nil {
				t.Fatal(err)
			}
			step := got.Steps[0]
			if containers := step.JobTemplate.Spec.Template.Spec.Containers; (len(containers) == 1) != (test.wantError == "") {
				t.Errorf("the template has %d containers", len(containers))
			}
			if !strings.Contains(step.TemplateError, test.wantError) || (step.TemplateError == "") != (test.wantError == "") {
				t.Errorf("TemplateError = %q, want something with %q", step.TemplateError, test.wantError)
			}
			step.TemplateError, step.JobTemplate = "", test.want.JobTemplate
			if diff := cmp.Diff(test.want, step); diff != "" {
				t.Errorf("the rest of the step (-want +got):\n%s", diff)
			}
		})
	}
	if err := json.Unmarshal([]byte(`{"name": 1}`), &Step{}); err == nil {
		t.Error("a step whose name is a number is decoded")
	}
}
