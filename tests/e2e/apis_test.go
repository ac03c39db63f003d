package e2e_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
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
