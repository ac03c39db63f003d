package crds

import (
	"errors"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/repo"
)

func TestARefusedCRD(t *testing.T) {
	const schema = "spec.validation.openAPIV3Schema."
	for name, test := range map[string]struct{ cause, said, read string }{
		"a rule that does not compile": {
			schema + `properties[spec].x-kubernetes-validations[0].rule: Invalid value: {"Rule":"size(self.nam) \u003c 3 \u0026\u0026 self.x == ''","Message":"m"}: ` +
				"compilation failed: ERROR: <input>:1:10: undefined field 'nam'\n | size(self.nam) < 3\n | .........^\nERROR: <input>:1:30: no x\n | size\n | ...^",
			"  spec.x-kubernetes-validations[0].rule:\n    size(self.nam) < 3 && self.x == ''\n" +
				"    compilation failed: character 10: undefined field 'nam'\n    character 30: no x",
			"lessons/02-api/README.md#writing-rules",
		},
		"a rule that costs too much": {
			schema + "x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 3.1x",
			"  x-kubernetes-validations[0].rule: Forbidden: estimated rule cost exceeds budget by factor of 3.1x",
			"docs/cel-cost.md",
		},
		"oldSelf in a plain list": {
			schema + `x-kubernetes-validations[0].rule: Invalid value: "oldSelf == self": oldSelf cannot be used on the uncorrelatable portion of the schema within x`,
			`  x-kubernetes-validations[0].rule: Invalid value: "oldSelf == self": oldSelf cannot be used on the uncorrelatable portion of the schema within x`,
			"lessons/02-api/README.md#embed-what-is-there",
		},
	} {
		t.Run(name, func(t *testing.T) {
			unjudgeable, is := errors.AsType[*UnjudgeableError](refused("api", Refusal{Causes: []string{test.cause}}))
			assert.Equal(t, "whether it is a finding", is, true)
			assert.Equal(t, "what it says", unjudgeable.Finding.What, "controller-gen makes a CRD from the package in "+repo.Short("api")+", but the API server refuses it:\n"+test.said)
			assert.Equal(t, "what to read", unjudgeable.Finding.Read, test.read)
		})
	}
}
