package e2e_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

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

// isServed says whether the API server serves the kind, from whatever CRD.
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
// A column shows which of the two is served.
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
