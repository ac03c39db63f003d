package controller_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// world is what one spec sees: a namespace of its own, and what a user and the Job controller can
// do in it. The API server of these specs has no Job controller, so each spec decides when a Job
// succeeds.
type world struct {
	ctx       context.Context
	namespace string
}

func newWorld(ctx context.Context) *world {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "spec-"}}
	Expect(admin.Create(ctx, namespace)).To(Succeed())
	return &world{ctx: ctx, namespace: namespace.Name}
}

func template() batchv1.JobTemplateSpec {
	return batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers:    []corev1.Container{{Name: "main", Image: "step:dev"}},
	}}}}
}

// create creates a SequentialJob named "web" with the given steps.
func (w *world) create(steps []string, edit ...func(*v1alpha1.SequentialJob)) *v1alpha1.SequentialJob {
	GinkgoHelper()
	object := w.sequentialJob("web", steps, edit...)
	Expect(admin.Create(w.ctx, object)).To(Succeed())
	return object
}

func (w *world) sequentialJob(name string, steps []string, edit ...func(*v1alpha1.SequentialJob)) *v1alpha1.SequentialJob {
	object := &v1alpha1.SequentialJob{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name}}
	for _, step := range steps {
		object.Spec.Steps = append(object.Spec.Steps, v1alpha1.Step{Name: step, JobTemplate: template()})
	}
	for _, edit := range edit {
		edit(object)
	}
	return object
}

// get returns the SequentialJob "web".
func (w *world) get() *v1alpha1.SequentialJob {
	GinkgoHelper()
	object := &v1alpha1.SequentialJob{}
	Expect(admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: "web"}, object)).To(Succeed())
	return object
}

// edit changes the SequentialJob "web" as a user would.
func (w *world) edit(change func(*v1alpha1.SequentialJob)) *v1alpha1.SequentialJob {
	GinkgoHelper()
	object := w.get()
	before := object.DeepCopy()
	change(object)
	Expect(admin.Patch(w.ctx, object, client.MergeFrom(before))).To(Succeed())
	return object
}

// jobs returns the names of all Jobs in the namespace.
func (w *world) jobs() []string {
	GinkgoHelper()
	list := &batchv1.JobList{}
	Expect(admin.List(w.ctx, list, client.InNamespace(w.namespace))).To(Succeed())
	names := []string{}
	for _, job := range list.Items {
		names = append(names, job.Name)
	}
	return names
}

// job waits until the step's Job exists and is recorded as running.
func (w *world) job(step string) *batchv1.Job {
	GinkgoHelper()
	w.eventually(step, v1alpha1.StepRunning)
	return w.readJob(step)
}

func (w *world) readJob(step string) *batchv1.Job {
	GinkgoHelper()
	job := &batchv1.Job{}
	Expect(admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: v1alpha1.JobName("web", step)}, job)).To(Succeed())
	return job
}

// complete makes the step's Job succeed, as the Job controller would.
func (w *world) complete(step string) {
	GinkgoHelper()
	w.finishJob(w.job(step), batchv1.JobSuccessCriteriaMet, batchv1.JobComplete, "", "")
}

// fail makes the step's Job fail.
func (w *world) fail(step string) {
	GinkgoHelper()
	w.finishJob(w.job(step), batchv1.JobFailureTarget, batchv1.JobFailed, "BackoffLimitExceeded", "Job has reached the specified backoff limit")
}

// finishJob writes what the API server asks of a finished Job: the announcing condition and the
// final one, and for a success a completion time.
func (w *world) finishJob(job *batchv1.Job, announce, final batchv1.JobConditionType, reason, message string) {
	GinkgoHelper()
	now := metav1.Now()
	if job.Status.StartTime == nil { // it is immutable once it is set
		job.Status.StartTime = &now
	}
	job.Status.Active = 0
	if final == batchv1.JobComplete {
		job.Status.CompletionTime = &now
		job.Status.Succeeded = 1
	}
	for _, conditionType := range []batchv1.JobConditionType{announce, final} {
		job.Status.Conditions = append(job.Status.Conditions, batchv1.JobCondition{
			Type: conditionType, Status: corev1.ConditionTrue, Reason: reason, Message: message, LastTransitionTime: now,
		})
	}
	Expect(admin.Status().Update(w.ctx, job)).To(Succeed())
}

// settleSuspension responds to the Job's spec.suspend as the Job controller would.
func (w *world) settleSuspension(step string) {
	GinkgoHelper()
	job := w.readJob(step)
	suspended := job.Spec.Suspend != nil && *job.Spec.Suspend
	status, active := corev1.ConditionFalse, int32(1)
	if suspended {
		status, active = corev1.ConditionTrue, 0
		job.Status.StartTime = nil
	} else {
		job.Status.StartTime = new(metav1.Now())
	}
	job.Status.Active = active
	job.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobSuspended, Status: status, LastTransitionTime: metav1.Now()}}
	Expect(admin.Status().Update(w.ctx, job)).To(Succeed())
}

// collect removes a Job that is being deleted in the foreground, as the garbage collector would
// once its pods are gone.
func (w *world) collect(step string) {
	GinkgoHelper()
	Eventually(func(g Gomega) {
		job := &batchv1.Job{}
		g.Expect(admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: v1alpha1.JobName("web", step)}, job)).To(Succeed())
		g.Expect(job.DeletionTimestamp).NotTo(BeNil(), "Job %s should be being deleted", job.Name)
		job.Finalizers = nil
		g.Expect(admin.Update(w.ctx, job)).To(Succeed())
	}).Should(Succeed())
}

// remove deletes the step's Job immediately, as kubectl delete does where there is a garbage collector.
func (w *world) remove(step string) {
	GinkgoHelper()
	Expect(admin.Delete(w.ctx, w.readJob(step), client.PropagationPolicy(metav1.DeletePropagationBackground))).To(Succeed())
}

// eventually waits until a step of "web" is in a state, and returns its entry.
func (w *world) eventually(step string, state v1alpha1.StepState) v1alpha1.StepStatus {
	GinkgoHelper()
	var found v1alpha1.StepStatus
	Eventually(func(g Gomega) {
		found = stepOf(w.get(), step)
		g.Expect(found.State).To(Equal(state), "state of step %q, in %s", step, describeStatus(w.get()))
	}).Should(Succeed())
	return found
}

// condition waits until a condition of "web" has a status and a reason, and returns it.
func (w *world) condition(conditionType string, status metav1.ConditionStatus, reason string) metav1.Condition {
	GinkgoHelper()
	var found metav1.Condition
	Eventually(func(g Gomega) {
		condition := meta.FindStatusCondition(w.get().Status.Conditions, conditionType)
		g.Expect(condition).NotTo(BeNil(), "condition %s", conditionType)
		found = *condition
		g.Expect(string(found.Status)+" "+found.Reason).To(Equal(string(status)+" "+reason), "condition %s, in %s", conditionType, describeStatus(w.get()))
	}).Should(Succeed())
	return found
}

func (w *world) succeeded(reason string) metav1.Condition {
	GinkgoHelper()
	return w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionTrue, reason)
}

func (w *world) failed(reason string) metav1.Condition {
	GinkgoHelper()
	return w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionFalse, reason)
}

// atRest waits until the operator has seen all objects of this world: it has handled a probe that was
// created last. This is how a spec knows that something did not happen without waiting for time to
// pass.
func (w *world) atRest() {
	GinkgoHelper()
	for range 2 { // the first response may overtake reconciles that were under way; those end before the second
		probe := w.sequentialJob("", []string{"probe"}, func(object *v1alpha1.SequentialJob) {
			object.GenerateName = "probe-"
			object.Spec.Suspend = new(true)
		})
		Expect(admin.Create(w.ctx, probe)).To(Succeed())
		Eventually(func(g Gomega) {
			g.Expect(admin.Get(w.ctx, client.ObjectKeyFromObject(probe), probe)).To(Succeed())
			g.Expect(probe.Status.ObservedGeneration).To(Equal(probe.Generation))
		}).Should(Succeed())
	}
}

func stepOf(object *v1alpha1.SequentialJob, name string) v1alpha1.StepStatus {
	for _, step := range object.Status.Steps {
		if step.Name == name {
			return step
		}
	}
	return v1alpha1.StepStatus{}
}

func states(object *v1alpha1.SequentialJob) []v1alpha1.StepState {
	var found []v1alpha1.StepState
	for _, step := range object.Status.Steps {
		found = append(found, step.State)
	}
	return found
}

func describeStatus(object *v1alpha1.SequentialJob) string {
	text := fmt.Sprintf("generation %d, observed %d, progress %s\n", object.Generation, object.Status.ObservedGeneration, object.Status.Progress)
	for _, step := range object.Status.Steps {
		text += fmt.Sprintf("  step %s %s %s %s\n", step.Name, step.State, step.Reason, step.Message)
	}
	for _, condition := range object.Status.Conditions {
		text += fmt.Sprintf("  %s=%s %s %s\n", condition.Type, condition.Status, condition.Reason, condition.Message)
	}
	return text
}
