package controller_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// foreignJob is a Job that is not the operator's, though it has our labels.
func (w *world) foreignJob(name string, owner *metav1.OwnerReference) *batchv1.Job {
	GinkgoHelper()
	made := template()
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: w.namespace, Name: name,
			Labels: map[string]string{v1alpha1.LabelSequentialJob: "web", v1alpha1.LabelStep: "build"},
		},
		Spec: made.Spec,
	}
	if owner != nil {
		job.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	Expect(admin.Create(w.ctx, job)).To(Succeed())
	return job
}

func predecessor() *metav1.OwnerReference {
	return &metav1.OwnerReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: "web",
		UID: types.UID("11111111-2222-3333-4444-555555555555"), Controller: new(true), BlockOwnerDeletion: new(true),
	}
}

// events returns the reasons of the events about "web".
func (w *world) events() []string {
	GinkgoHelper()
	list := &eventsv1.EventList{}
	Expect(admin.List(w.ctx, list, client.InNamespace(w.namespace))).To(Succeed())
	reasons := []string{}
	for _, event := range list.Items {
		if event.Regarding.Name == "web" {
			reasons = append(reasons, event.Type+" "+event.Reason)
		}
	}
	return reasons
}

// refuses waits until the API server refuses new Jobs in the namespace.
func (w *world) refuses() {
	GinkgoHelper()
	Eventually(func() error {
		made := template()
		return admin.Create(w.ctx, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "trial"}, Spec: made.Spec}, client.DryRunAll)
	}).Should(HaveOccurred())
}

var _ = Describe("A step's Job name that is taken", func() {
	It("by the step's own Job, whose creation got no response: adopts it", func(ctx SpecContext) {
		w := newWorld(ctx)
		operator.requests.inject(&fault{verb: "create", resource: "jobs", namespace: w.namespace, strike: loseReply})
		w.create([]string{"build", "test"})
		w.complete("build")
		w.complete("test")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		Expect(operator.requests.pendingFaults()).To(BeZero())
		Expect(w.jobs()).To(ConsistOf("web-build", "web-test"))
	})

	It("by a Job that is being deleted: waits until it is gone", func(ctx SpecContext) {
		w := newWorld(ctx)
		old := w.foreignJob("web-build", predecessor())
		Expect(admin.Delete(ctx, old, client.PropagationPolicy(metav1.DeletePropagationForeground))).To(Succeed())
		w.create([]string{"build"})
		Eventually(func() string {
			return w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonRunning).Message
		}).Should(ContainSubstring("being deleted"))
		Expect(w.events()).NotTo(ContainElement(ContainSubstring(v1alpha1.ReasonJobConflict)))

		w.collect("build")
		Expect(w.job("build").UID).NotTo(Equal(old.UID))
	})

	It("by another owner's Job: says so, touches nothing, and continues once the name is free", func(ctx SpecContext) {
		w := newWorld(ctx)
		theirs := w.foreignJob("web-build", nil)
		w.create([]string{"build"})
		condition := w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonJobConflict)
		Expect(condition.Message).To(And(ContainSubstring("web-build"), ContainSubstring("delete that Job")))
		Eventually(w.events).Should(ContainElement("Warning JobConflict"))

		Expect(w.readJob("build").ResourceVersion).To(Equal(theirs.ResourceVersion))
		w.remove("build")
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	It("by the Job of a predecessor of the same name: takes it for another owner's", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.foreignJob("web-build", predecessor())
		w.create([]string{"build"})
		w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonJobConflict)
		w.remove("build")
		w.job("build")
	})
})

var _ = Describe("A Job with our labels that is not ours", func() {
	It("stays untouched, whatever happens around it", func(ctx SpecContext) {
		w := newWorld(ctx)
		unowned := w.foreignJob("decoy", nil)
		owned := w.foreignJob("decoy-of-predecessor", predecessor())
		w.create([]string{"build", "test"}, func(object *v1alpha1.SequentialJob) {
			object.Spec.TTLSecondsAfterFinished = new(int32(0))
		})
		w.complete("build")
		w.fail("test")
		w.gone()
		for _, decoy := range []*batchv1.Job{unowned, owned} {
			now := &batchv1.Job{}
			Expect(admin.Get(ctx, client.ObjectKeyFromObject(decoy), now)).To(Succeed())
			Expect(now.ResourceVersion).To(Equal(decoy.ResourceVersion))
		}
	})
})

var _ = Describe("A step's Job that the API server refuses", func() {
	It("as invalid: has failed for good, as steps are immutable", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"}, func(object *v1alpha1.SequentialJob) {
			object.Spec.Steps[0].JobTemplate.Spec.Completions = new(int32(-1))
		})
		condition := w.failed(v1alpha1.ReasonInvalidJobTemplate)
		Expect(condition.Message).To(ContainSubstring("spec.completions"))
		w.condition(v1alpha1.ConditionAccepted, metav1.ConditionFalse, v1alpha1.ReasonInvalidJobTemplate)
		Expect(states(w.get())).To(Equal([]v1alpha1.StepState{v1alpha1.StepFailed, v1alpha1.StepSkipped}))
		Expect(w.jobs()).To(BeEmpty())
	})

	It("as invalid, with onFailure: Continue: continues with the next step", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"}, continueAfter("build"), func(object *v1alpha1.SequentialJob) {
			object.Spec.Steps[0].JobTemplate.Spec.Completions = new(int32(-1))
		})
		w.complete("test")
		w.succeeded(v1alpha1.ReasonStepsFailed)
	})

	It("because of a quota: says so and continues once the quota allows it", func(ctx SpecContext) {
		w := newWorld(ctx)
		none := corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")}
		quota := &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "none"},
			Spec:       corev1.ResourceQuotaSpec{Hard: none},
		}
		Expect(admin.Create(ctx, quota)).To(Succeed())
		quota.Status = corev1.ResourceQuotaStatus{Hard: none, Used: none}
		Expect(admin.Status().Update(ctx, quota)).To(Succeed())
		w.refuses()

		w.create([]string{"build"})
		condition := w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonJobRefused)
		Expect(condition.Message).To(ContainSubstring("exceeded quota"))
		Eventually(w.events).Should(ContainElement("Warning JobRefused"))

		Expect(admin.Delete(ctx, quota)).To(Succeed())
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})

	// The same code 422 as an invalid template, and yet not for good.
	It("because of an admission policy: says so and continues once the policy allows it", func(ctx SpecContext) {
		w := newWorld(ctx)
		name := "no-jobs-in-" + w.namespace
		policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
				MatchConstraints: &admissionregistrationv1.MatchResources{
					NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: w.namespace}},
					ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
						Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
						Rule:       admissionregistrationv1.Rule{APIGroups: []string{"batch"}, APIVersions: []string{"v1"}, Resources: []string{"jobs"}},
					}}},
				},
				Validations: []admissionregistrationv1.Validation{{Expression: "false", Message: "no Jobs during the freeze"}},
			},
		}
		binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
			ObjectMeta: metav1.ObjectMeta{Name: name},
			Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
				PolicyName:        name,
				ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
			},
		}
		Expect(admin.Create(ctx, policy)).To(Succeed())
		Expect(admin.Create(ctx, binding)).To(Succeed())
		w.refuses()

		w.create([]string{"build"})
		condition := w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, v1alpha1.ReasonJobRefused)
		Expect(condition.Message).To(ContainSubstring("no Jobs during the freeze"))
		w.condition(v1alpha1.ConditionAccepted, metav1.ConditionTrue, v1alpha1.ReasonAccepted)

		Expect(admin.Delete(ctx, binding)).To(Succeed())
		Expect(admin.Delete(ctx, policy)).To(Succeed())
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
	})
})

var _ = Describe("A request that gets lost", func() {
	for _, request := range []struct{ verb, resource string }{
		{"create", "jobs"},
		{"patch", "sequentialjobs/status"},
	} {
		for name, strike := range map[string]strike{
			"on its way to the server": loseRequest,
			"on its way back":          loseReply,
		} {
			It("("+request.verb+" "+request.resource+", "+name+") changes nothing about the run", func(ctx SpecContext) {
				w := newWorld(ctx)
				lose := func() {
					operator.requests.inject(&fault{verb: request.verb, resource: request.resource, namespace: w.namespace, strike: strike})
				}
				lose()
				w.create([]string{"build", "test"})
				w.job("build")
				lose()
				w.complete("build")
				w.complete("test")
				w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
				Expect(operator.requests.pendingFaults()).To(BeZero())
				Expect(w.jobs()).To(ConsistOf("web-build", "web-test"))
			})
		}
	}
})

// gone waits until "web" has been deleted.
func (w *world) gone() {
	GinkgoHelper()
	Eventually(func() bool {
		err := admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "web"}, &v1alpha1.SequentialJob{})
		return apierrors.IsNotFound(err)
	}).Should(BeTrue(), "SequentialJob web should be gone")
}
