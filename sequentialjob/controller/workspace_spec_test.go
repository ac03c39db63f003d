package controller_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// These specs play the Workspace controller, so each decides when a Workspace is ready.

func ownWorkspace(object *v1alpha1.SequentialJob) {
	object.Spec.Workspace = &v1alpha1.WorkspaceSource{Capacity: new(resource.MustParse("64Mi"))}
}

func sharedWorkspace(name string) func(*v1alpha1.SequentialJob) {
	return func(object *v1alpha1.SequentialJob) { object.Spec.Workspace = &v1alpha1.WorkspaceSource{Name: &name} }
}

// createWorkspace creates a Workspace as a user would.
func (w *world) createWorkspace(name string) *v1alpha1.Workspace {
	GinkgoHelper()
	workspace := &v1alpha1.Workspace{
		ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name},
		Spec:       v1alpha1.WorkspaceSpec{Capacity: resource.MustParse("1Mi")},
	}
	Expect(admin.Create(w.ctx, workspace)).To(Succeed())
	return workspace
}

// workspace waits until there is a Workspace of that name.
func (w *world) workspace(name string) *v1alpha1.Workspace {
	GinkgoHelper()
	workspace := &v1alpha1.Workspace{}
	Eventually(func() error {
		return admin.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: name}, workspace)
	}).Should(Succeed())
	return workspace
}

// report says of a Workspace whether it is ready for its present generation.
func (w *world) report(workspace *v1alpha1.Workspace, status metav1.ConditionStatus, reason, message string) {
	GinkgoHelper()
	workspace.Status.ObservedGeneration = workspace.Generation
	workspace.Status.Binding = &v1alpha1.BindingStatus{Name: v1alpha1.BindingName(workspace.Name)}
	meta.SetStatusCondition(&workspace.Status.Conditions, metav1.Condition{
		Type: v1alpha1.ConditionReady, Status: status, Reason: reason, Message: message, ObservedGeneration: workspace.Generation,
	})
	Expect(admin.Status().Update(w.ctx, workspace)).To(Succeed())
}

func (w *world) waitsForWorkspace(reason string) metav1.Condition {
	GinkgoHelper()
	w.condition(v1alpha1.ConditionSucceeded, metav1.ConditionUnknown, reason)
	return w.condition(v1alpha1.ConditionWorkspaceReady, metav1.ConditionFalse, reason)
}

var _ = Describe("A run with a Workspace of its own", func() {
	It("creates it, waits until it is ready, and gives its binding to all steps", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create([]string{"build", "test"}, ownWorkspace)
		workspace := w.workspace("web")
		Expect(metav1.IsControlledBy(workspace, object)).To(BeTrue())
		Expect(workspace.Spec.Capacity.String()).To(Equal("64Mi"))
		Expect(workspace.Spec.DeletionPolicy).To(Equal(v1alpha1.DeletionPolicyDelete))
		w.waitsForWorkspace(v1alpha1.ReasonWorkspaceNotReady)
		w.report(workspace, metav1.ConditionFalse, v1alpha1.ReasonStoreRefused, "no room")
		Eventually(func() string {
			return w.waitsForWorkspace(v1alpha1.ReasonWorkspaceNotReady).Message
		}).Should(ContainSubstring("no room"))
		w.atRest()
		Expect(w.jobs()).To(BeEmpty())

		w.report(workspace, metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		binding := corev1.EnvFromSource{Prefix: "WORKSPACE_", SecretRef: &corev1.SecretEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web-workspace"}}}
		for _, step := range []string{"build", "test"} {
			Expect(w.job(step).Spec.Template.Spec.Containers[0].EnvFrom).To(ConsistOf(binding))
			w.complete(step)
		}
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		Expect(w.get().Status.Workspace).To(HaveValue(Equal(v1alpha1.WorkspaceReference{Name: "web", UID: workspace.UID})))
	})

	It("survives a lost response to its creation", func(ctx SpecContext) {
		w := newWorld(ctx)
		operator.requests.inject(&fault{verb: "create", resource: "workspaces", namespace: w.namespace, strike: loseReply})
		w.create([]string{"build"}, ownWorkspace)
		w.report(w.workspace("web"), metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		Expect(operator.requests.pendingFaults()).To(BeZero())
	})

	It("creates nothing while it is suspended", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, ownWorkspace, func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(true) })
		w.condition(v1alpha1.ConditionSuspended, metav1.ConditionTrue, v1alpha1.ReasonSuspended)
		w.atRest()
		var all v1alpha1.WorkspaceList
		Expect(admin.List(ctx, &all, client.InNamespace(w.namespace))).To(Succeed())
		Expect(all.Items).To(BeEmpty())

		w.edit(func(object *v1alpha1.SequentialJob) { object.Spec.Suspend = new(false) })
		w.workspace("web")
	})

	It("leaves another owner's Workspace of its name alone, and starts once the name is free", func(ctx SpecContext) {
		w := newWorld(ctx)
		theirs := w.createWorkspace("web")
		w.report(theirs, metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		w.create([]string{"build"}, ownWorkspace)
		Expect(w.waitsForWorkspace(v1alpha1.ReasonWorkspaceConflict).Message).To(ContainSubstring("delete that Workspace"))
		Eventually(w.events).Should(ContainElement("Warning WorkspaceConflict"))
		Expect(w.workspace("web").ResourceVersion).To(Equal(theirs.ResourceVersion))

		Expect(admin.Delete(ctx, theirs)).To(Succeed())
		Eventually(func() bool { return metav1.IsControlledBy(w.workspace("web"), w.get()) }).Should(BeTrue())
	})

	It("fails if it is deleted before a step", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build", "test"}, ownWorkspace)
		workspace := w.workspace("web")
		w.report(workspace, metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		w.job("build")
		Expect(admin.Delete(ctx, workspace)).To(Succeed())
		w.condition(v1alpha1.ConditionWorkspaceReady, metav1.ConditionFalse, v1alpha1.ReasonWorkspaceLost)
		w.complete("build")
		Expect(w.failed(v1alpha1.ReasonWorkspaceLost).Message).To(ContainSubstring(`step "test"`))
		Expect(w.jobs()).To(ConsistOf("web-build"))
	})
})

var _ = Describe("A run that uses a Workspace that exists", func() {
	It("waits for it, and does not own it", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, sharedWorkspace("files"))
		w.waitsForWorkspace(v1alpha1.ReasonWorkspaceNotFound)
		workspace := w.createWorkspace("files")
		w.report(workspace, metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		w.complete("build")
		w.succeeded(v1alpha1.ReasonAllStepsSucceeded)
		Expect(w.workspace("files").OwnerReferences).To(BeEmpty())
	})

	It("starts no step while the Workspace is ready for an older generation only", func(ctx SpecContext) {
		w := newWorld(ctx)
		workspace := w.createWorkspace("files")
		w.report(workspace, metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		workspace.Spec.Capacity = resource.MustParse("2Mi")
		Expect(admin.Update(ctx, workspace)).To(Succeed())
		w.create([]string{"build"}, sharedWorkspace("files"))
		w.waitsForWorkspace(v1alpha1.ReasonWorkspaceNotReady)
		w.atRest()
		Expect(w.jobs()).To(BeEmpty())

		w.report(workspace, metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		w.job("build")
	})

	It("fails if another one takes its place, and if its files are lost", func(ctx SpecContext) {
		w := newWorld(ctx)
		workspace := w.createWorkspace("files")
		w.report(workspace, metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		w.create([]string{"build", "test"}, sharedWorkspace("files"))
		w.job("build")
		operator.whileDown(func() {
			Expect(admin.Delete(ctx, workspace)).To(Succeed())
			w.report(w.createWorkspace("files"), metav1.ConditionTrue, v1alpha1.ReasonReady, "")
		})
		w.complete("build")
		w.failed(v1alpha1.ReasonWorkspaceLost)

		other := newWorld(ctx)
		lost := other.createWorkspace("files")
		other.report(lost, metav1.ConditionFalse, v1alpha1.ReasonContentLost, "bucket ws-1 was deleted")
		other.create([]string{"build"}, sharedWorkspace("files"))
		Expect(other.failed(v1alpha1.ReasonWorkspaceLost).Message).To(ContainSubstring("bucket ws-1 was deleted"))
	})
})

var _ = Describe("spec.workspace", func() {
	set := func(source *v1alpha1.WorkspaceSource) func(*v1alpha1.SequentialJob) {
		return func(object *v1alpha1.SequentialJob) { object.Spec.Workspace = source }
	}
	quantity := func(text string) *resource.Quantity { return new(resource.MustParse(text)) }
	for name, test := range map[string]struct {
		source *v1alpha1.WorkspaceSource
		want   string // the message of the refusal
	}{
		"neither":           {&v1alpha1.WorkspaceSource{}, "set exactly one of capacity"},
		"both":              {&v1alpha1.WorkspaceSource{Capacity: quantity("1Mi"), Name: new("files")}, "set exactly one of capacity"},
		"no capacity":       {&v1alpha1.WorkspaceSource{Capacity: quantity("0")}, "must be at least 1Ki"},
		"negative capacity": {&v1alpha1.WorkspaceSource{Capacity: quantity("-1Mi")}, "must be at least 1Ki"},
		"a tiny capacity":   {&v1alpha1.WorkspaceSource{Capacity: quantity("1023")}, "must be at least 1Ki"},
	} {
		It("with "+name+" is refused", func(ctx SpecContext) {
			w := newWorld(ctx)
			Expect(admin.Create(ctx, w.sequentialJob("web", []string{"build"}, set(test.source)))).To(MatchError(ContainSubstring(test.want)))
		})
	}

	It("is immutable", func(ctx SpecContext) {
		w := newWorld(ctx)
		object := w.create([]string{"build"}, ownWorkspace)
		for _, source := range []*v1alpha1.WorkspaceSource{nil, {Name: new("files")}, {Capacity: quantity("1Mi")}} {
			changed := w.get()
			before := changed.DeepCopy()
			changed.Spec.Workspace = source
			Expect(admin.Patch(ctx, changed, client.MergeFrom(before))).To(MatchError(ContainSubstring("workspace is immutable")))
		}
		Expect(w.get().Generation).To(Equal(object.Generation))
	})
})

var _ = Describe("A Workspace", func() {
	for _, capacity := range []string{"0", "-1Mi", "1023", "2Ei", "1e30"} {
		It("of "+capacity+" is refused", func(ctx SpecContext) {
			w := newWorld(ctx)
			workspace := &v1alpha1.Workspace{
				ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: "files"},
				Spec:       v1alpha1.WorkspaceSpec{Capacity: resource.MustParse(capacity)},
			}
			Expect(admin.Create(ctx, workspace)).To(MatchError(ContainSubstring("must be at least 1Ki")))
		})
	}
})
