package scene

import (
	admissionv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ForbidJobs has a ValidatingAdmissionPolicy refuse Jobs in the namespace, in these words, and waits until it does. The API
// server then responds with the same code as to an invalid Job.
func (s *Scene) ForbidJobs(words string) {
	s.User("has a ValidatingAdmissionPolicy refuse Jobs in the namespace")
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: s.policy()},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{
				NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: s.Namespace}},
				ResourceRules: []admissionv1.NamedRuleWithOperations{{RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Create},
					Rule:       admissionv1.Rule{APIGroups: []string{batchv1.GroupName}, APIVersions: []string{"v1"}, Resources: []string{"jobs"}},
				}}},
			},
			Validations: []admissionv1.Validation{{Expression: "false", Message: words}},
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: s.policy()},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
	s.Must(s.Client.Create(s.Context(), policy))
	s.Must(s.Client.Create(s.Context(), binding))
	s.Needs("the API server to apply the policy", func() bool { return s.refuses(s.probe(), apierrors.IsInvalid) })
}

// PermitJobs removes that policy, and waits until the API server accepts Jobs.
func (s *Scene) PermitJobs() {
	s.User("removes the ValidatingAdmissionPolicy")
	meta := metav1.ObjectMeta{Name: s.policy()}
	for _, object := range []client.Object{&admissionv1.ValidatingAdmissionPolicyBinding{ObjectMeta: meta}, &admissionv1.ValidatingAdmissionPolicy{ObjectMeta: meta}} {
		s.Must(s.Client.Delete(s.Context(), object))
	}
	s.Needs("the API server to stop applying the policy", func() bool { return !s.refuses(s.probe(), apierrors.IsInvalid) })
}

func (s *Scene) policy() string { return "no-jobs-in-" + s.Namespace }
