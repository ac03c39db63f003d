package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// What lesson 2's API is held to, by what kubectl says. No controller runs.
var _ = Describe("An API, on a real cluster:", func() {
	BeforeEach(func(ctx SpecContext) {
		enter(ctx)
		serveTheAPI(ctx)
	}, NodeTimeout(3*time.Minute))

	rule("K13", func(ctx SpecContext) {
		apply := []string{"apply", "--kustomize", operatorConfig("samples")}
		versions := []string{"get", "sequentialjobs", "--output=custom-columns=NAME:.metadata.name,VERSION:.metadata.resourceVersion"}
		on.mustKubectl(ctx, "", apply...)
		before := on.mustKubectl(ctx, "", versions...)
		on.mustKubectl(ctx, "", apply...)
		if after := on.mustKubectl(ctx, "", versions...); after != before {
			Fail("The samples in sequentialjob/config/samples were applied twice. The second time nothing must change. Before it there were\n" +
				before + "and after it\n" + after)
		}
	})

	rule("K14", func(ctx SpecContext) {
		for _, mistake := range []struct{ what, right, wrong, field string }{
			{"a start at a step that does not exist", "startAt: test", "startAt: deploy", "startAt"},
			{"a misspelt field", "onFailure: Fail", "onFailur: Fail", "onFailur"},
			{"an onFailure that does not exist", "onFailure: Fail", "onFailure: Ignore", "onFailure"},
			{"two steps of the same name", "name: test", "name: build", "steps"},
			{"a capital in a step's name", "name: build", "name: Build", "name"},
			{"a pod that always restarts", "restartPolicy: Never", "restartPolicy: Always", "restartPolicy"},
			{"a text for suspend", "suspend: false", `suspend: "yes"`, "suspend"},
		} {
			said, err := on.kubectl(ctx, strings.Replace(release, mistake.right, mistake.wrong, 1), "apply", "--filename=-")
			applied := fmt.Sprintf("A manifest with %s (%s) was applied. ", mistake.what, mistake.wrong)
			switch {
			case err == nil:
				Fail(applied + "The API server accepted it.")
			case !strings.Contains(said, mistake.field):
				Fail(applied + "What kubectl says does not name the field " + mistake.field + ":\n" + said)
			case strings.Contains(said, failedRule):
				Fail(applied + "What kubectl says is the rule that failed, and not what is allowed:\n" + said)
			}
		}
		on.mustKubectl(ctx, release, "apply", "--filename=-")
	})

	rule("K15", func(ctx SpecContext) {
		for _, part := range []struct{ path, fields string }{
			{"sequentialjob.spec", "activeDeadlineSeconds managedBy startAt steps suspend ttlSecondsAfterFinished"},
			{"sequentialjob.spec.steps", "jobTemplate name onFailure"},
			{"sequentialjob.status", "conditions currentStep observedGeneration progress steps"},
			{"sequentialjob.status.steps", "jobName name state"},
		} {
			on.awaitExplained(ctx, part.path, strings.Fields(part.fields)...)
		}

		on.mustKubectl(ctx, release, "apply", "--filename=-")
		on.mustKubectl(ctx, "", append(patchStatus, halfDone)...)
		for _, name := range []string{"sequentialjobs", "sequentialjob", "sjob"} {
			if said := on.mustKubectl(ctx, "", "get", name); !halfDoneShown.MatchString(said) {
				Fail(fmt.Sprintf("A run is at its second step. kubectl get %s shows:\n%sIt has to show:\n%s", name, said,
					"NAME      SUCCEEDED   REASON    STEP   PROGRESS   AGE\nrelease   Unknown     Running   test   1/2        (an age)"))
			}
		}
	})

	rule("K16", func(ctx SpecContext) {
		// Server-side too: otherwise kubectl gives what it owns to the first field manager that applies.
		on.mustKubectl(ctx, release, "apply", "--server-side", "--field-manager=owner", "--filename=-")
		for _, shared := range []struct{ field, one, other, changed, both, merged string }{
			{
				field: "metadata.labels", one: `labels: {team: web}`, other: `labels: {tier: back}`, changed: `labels: {team: shop}`,
				both: `{.metadata.labels.team} {.metadata.labels.tier}`, merged: "shop back",
			},
			{
				field: "status.steps", one: aStep("build", "Running"), other: aStep("test", "Pending"), changed: aStep("build", "Succeeded"),
				both: `{.status.steps[?(@.name=="build")].state} {.status.steps[?(@.name=="test")].state}`, merged: "Succeeded Pending",
			},
			{
				field: "status.conditions", one: aCondition("Succeeded", "Unknown"), other: aCondition("Paid", "True"), changed: aCondition("Succeeded", "True"),
				both: `{.status.conditions[?(@.type=="Succeeded")].status} {.status.conditions[?(@.type=="Paid")].status}`, merged: "True True",
			},
		} {
			two := fmt.Sprintf("The field managers one and other each apply their own entry of %s, server-side. ", shared.field)
			for _, write := range []struct{ manager, part string }{{"one", shared.one}, {"other", shared.other}, {"one", shared.changed}} {
				if said, err := on.applyPart(ctx, write.manager, shared.field, write.part); err != nil {
					Fail(fmt.Sprintf("%sWhen %s applies\n  %s\nkubectl says:\n%s", two, write.manager, write.part, said))
				}
			}
			if got := on.mustKubectl(ctx, "", "get", "sequentialjob", "release", "--output=jsonpath="+shared.both); got != shared.merged {
				Fail(fmt.Sprintf("%sThen\n  %s\nis %q, and it has to be %q.", two, shared.both, got, shared.merged))
			}
			if said, err := on.applyPart(ctx, "other", shared.field, shared.one); err == nil || !strings.Contains(said, `conflict with "one"`) {
				Fail(fmt.Sprintf("%sWhen other applies an entry that one owns\n  %s\nkubectl has to report a conflict with one, and says:\n%s", two, shared.one, said))
			}
		}
	})

	rule("K17", func(ctx SpecContext) {
		on.mustKubectl(ctx, firstDraft(), "apply", "--filename=-")
		until(ctx, func() (string, error) {
			said, err := on.tryKubectl(ctx, older, "apply", "--filename=-")
			if err != nil {
				return "the API server did not serve the first draft of the CRD: " + said, nil
			}
			return "", nil
		})
		on.mustKubectl(ctx, "", "apply", "--filename="+crds)
		until(ctx, func() (string, error) {
			said, err := on.tryKubectl(ctx, "", "get", "sequentialjob", "release")
			if strings.Contains(said, "DRAFT") {
				return "the API server still served the first draft of the CRD", nil
			}
			return "", err
		})

		const stored = "An object was stored under the first draft of the CRD, which knew no fields. "
		const path, defaults = "{.spec.suspend} {.spec.steps[*].onFailure}", "false Fail Fail"
		if got := on.mustKubectl(ctx, "", "get", "sequentialjob", "release", "--output=jsonpath="+path); got != defaults {
			Fail(fmt.Sprintf("%sUnder yours\n  %s\nis %q, and it has to be %q.", stored, path, got, defaults))
		}
		for _, change := range [][]string{
			{"label", "sequentialjob", "release", "team=web"},
			{"patch", "sequentialjob", "release", "--type=merge", `--patch={"spec":{"suspend":true}}`},
			append(patchStatus, halfDone),
		} {
			if said, err := on.kubectl(ctx, "", change...); err != nil {
				Fail(fmt.Sprintf("%sUnder yours it can't be changed. kubectl %s says:\n%s", stored, strings.Join(change, " "), said))
			}
		}
	})
})

// release is a good manifest, in which a mistake can be put at each of its fields.
const release = `
apiVersion: batch.example.com/v1alpha1
kind: SequentialJob
metadata: {name: release}
spec:
  suspend: false
  startAt: test
  steps:
  - name: build
    onFailure: Fail
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: step, image: "step:dev"}]}}}}
  - name: test
    onFailure: Fail
    jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: step, image: "step:dev"}]}}}}
`

// older is the same as somebody wrote it before those fields existed, with one that has been given up since.
var older = strings.NewReplacer("  suspend: false\n", "", "startAt: test", "priority: high", "    onFailure: Fail\n", "").Replace(release)

// failedRule begins what the API server says of a rule without a message.
const failedRule = "failed rule: "

// patchStatus are the arguments, all but the patch itself.
var patchStatus = slices.Clip([]string{"patch", "sequentialjob", "release", "--subresource=status", "--type=merge", "--patch"})

// halfDone is the status of a run that is at its second step, and halfDoneShown what kubectl get shows of it.
const halfDone = `{"status": {"observedGeneration": 1, "currentStep": "test", "progress": "1/2",
	"steps": [{"name": "build", "state": "Succeeded"}, {"name": "test", "state": "Running"}],
	"conditions": [
		{"type": "Accepted", "status": "True", "reason": "Accepted", "message": "", "lastTransitionTime": "2030-01-01T00:00:00Z"},
		{"type": "Succeeded", "status": "Unknown", "reason": "Running", "message": "", "lastTransitionTime": "2030-01-01T00:00:00Z"}]}}`

var halfDoneShown = regexp.MustCompile(`^NAME +SUCCEEDED +REASON +STEP +PROGRESS +AGE *\nrelease +Unknown +Running +test +1/2 +(\d+[smhd])+ *\n$`)

func aStep(name, state string) string {
	return fmt.Sprintf(`steps: [{name: %s, state: %s}]`, name, state)
}

func aCondition(kind, status string) string {
	return fmt.Sprintf(`conditions: [{type: %s, status: "%s", reason: Tested, message: "", lastTransitionTime: "2030-01-01T00:00:00Z"}]`, kind, status)
}

// applyPart applies an entry of a field, "status.steps", as a program does that owns nothing else.
func (s *scene) applyPart(ctx context.Context, manager, field, part string) (said string, err error) {
	manifest := "apiVersion: batch.example.com/v1alpha1\nkind: SequentialJob\n"
	apply := []string{"apply", "--server-side", "--field-manager=" + manager, "--filename=-"}
	if strings.HasPrefix(field, "status.") {
		return s.kubectl(ctx, manifest+"metadata: {name: release}\nstatus: {"+part+"}", append(apply, "--subresource=status")...)
	}
	return s.kubectl(ctx, manifest+"metadata: {name: release, "+part+"}", apply...)
}

// awaitExplained waits until kubectl explains that a part of the object has these fields: the API server publishes
// the schema of a new kind a moment after it serves the kind.
func (s *scene) awaitExplained(ctx context.Context, path string, fields ...string) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		said, err := s.tryKubectl(ctx, "", "explain", path)
		if err != nil {
			return fmt.Sprintf("kubectl explain %s said:\n%s", path, said), nil
		}
		for _, field := range fields {
			if !regexp.MustCompile(`(?m)^  ` + field + `\t`).MatchString(said) {
				return fmt.Sprintf("kubectl explain %s showed no field %s:\n%s", path, field, said), nil
			}
		}
		return "", nil
	})
}

// kubectl is what a user does in the spec's namespace, with a manifest on its standard input.
func (s *scene) kubectl(ctx context.Context, manifest string, args ...string) (said string, err error) {
	s.log.Stimulate("user", strings.ReplaceAll("kubectl "+strings.Join(args, " "), repoRoot+string(filepath.Separator), ""))
	return s.tryKubectl(ctx, manifest, args...)
}

// tryKubectl is kubectl for what is tried again and again, which is nothing that happens.
func (s *scene) tryKubectl(ctx context.Context, manifest string, args ...string) (said string, err error) {
	return pipeToKubectl(ctx, manifest, append([]string{"--namespace=" + s.namespace}, args...)...)
}

// mustKubectl is kubectl where that has to be possible.
func (s *scene) mustKubectl(ctx context.Context, manifest string, args ...string) string {
	GinkgoHelper()
	said, err := s.kubectl(ctx, manifest, args...)
	if err != nil {
		Fail(fmt.Sprintf("kubectl %s %s has to succeed. It says:\n%s", args[0], args[1], said))
	}
	return said
}

// serveTheAPI has the API server serve the lesson's API.
func serveTheAPI(ctx context.Context) {
	GinkgoHelper()
	if said, err := on.kubectl(ctx, "", "apply", "--filename="+crds); err != nil {
		Fail("kubectl apply does not take the CRD that your types make. It says:\n" + said)
	}
	until(ctx, func() (string, error) {
		if isServed, err := isServed(); err != nil || isServed {
			return "", err
		}
		return fmt.Sprintf("the API server served no kind %s in %s", v1alpha1.Kind, v1alpha1.GroupVersion), nil
	})
	Expect(os.RemoveAll(kubectlCache())).To(Succeed()) // there may be other short names in it
}

// isServed says whether the API server serves the kind, whoever's it is.
func isServed() (bool, error) {
	list, err := clients.Discovery().ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == v1alpha1.Kind }), err
}

// bringBackTheAPI removes a lesson's API and brings back that of the finished operator, for whatever is judged next.
func bringBackTheAPI(ctx SpecContext) {
	kubectl(ctx, "delete", "--filename", crds, "--ignore-not-found")
	Eventually(ctx, isServed).Should(BeFalse())
	kubectl(ctx, "apply", "--kustomize", operatorConfig("crd"))
	Eventually(ctx, isServed).Should(BeTrue())
	Expect(os.RemoveAll(kubectlCache())).To(Succeed())
}

// firstDraft is the CRD of the kind as a first draft may have been: the same names, and a schema that allows anything.
// A column tells which of the two is served.
func firstDraft() string {
	GinkgoHelper()
	files, err := filepath.Glob(filepath.Join(crds, "*.yaml"))
	Expect(err).NotTo(HaveOccurred())
	for _, file := range files {
		text, err := os.ReadFile(file)
		Expect(err).NotTo(HaveOccurred())
		var crd struct {
			APIVersion string         `json:"apiVersion"`
			Kind       string         `json:"kind"`
			Metadata   map[string]any `json:"metadata"`
			Spec       struct {
				Group    string           `json:"group"`
				Names    map[string]any   `json:"names"`
				Scope    string           `json:"scope"`
				Versions []map[string]any `json:"versions"`
			} `json:"spec"`
		}
		Expect(yaml.Unmarshal(text, &crd)).To(Succeed())
		if crd.Spec.Names["kind"] != v1alpha1.Kind {
			continue
		}
		version := crd.Spec.Versions[0]
		version["schema"] = map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "x-kubernetes-preserve-unknown-fields": true}}
		version["additionalPrinterColumns"] = []any{map[string]any{"name": "Draft", "type": "string", "jsonPath": ".metadata.name"}}
		draft, err := yaml.Marshal(crd)
		Expect(err).NotTo(HaveOccurred())
		return string(draft)
	}
	Fail("There is no CRD of the kind " + v1alpha1.Kind + " in " + crds)
	return ""
}
