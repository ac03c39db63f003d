package controller_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
)

// edit changes a good object with the steps build and test.
type edit = func(*v1alpha1.SequentialJob)

func editJob(change func(*batchv1.JobTemplateSpec)) edit {
	return func(object *v1alpha1.SequentialJob) { change(&object.Spec.Steps[0].JobTemplate) }
}

var _ = Describe("The API server", func() {
	DescribeTable("refuses, and says why",
		func(ctx SpecContext, bad edit, field, message string) {
			object := newWorld(ctx).sequentialJob("web", []string{"build", "test"}, bad)
			err := admin.Create(ctx, object, client.DryRunAll)
			Expect(err).To(MatchError(And(ContainSubstring(field), ContainSubstring(message))))
		},
		Entry("no steps", func(o *v1alpha1.SequentialJob) { o.Spec.Steps = []v1alpha1.Step{} },
			"spec.steps", "should have at least 1 items"),
		Entry("51 steps", func(o *v1alpha1.SequentialJob) {
			o.Spec.Steps = nil
			for i := range 51 {
				o.Spec.Steps = append(o.Spec.Steps, v1alpha1.Step{Name: "s" + strings.Repeat("x", i%20) + string(rune('a'+i/20)), JobTemplate: template()})
			}
		}, "spec.steps", "must have at most 50 items"),
		Entry("two steps of one name", func(o *v1alpha1.SequentialJob) { o.Spec.Steps[1].Name = "build" },
			"spec.steps[1]", "Duplicate value"),
		Entry("a step without a name", func(o *v1alpha1.SequentialJob) { o.Spec.Steps[0].Name = "" },
			"spec.steps[0].name", "at least 1 chars long"),
		Entry("a step name with capitals", func(o *v1alpha1.SequentialJob) { o.Spec.Steps[0].Name = "Build" },
			"spec.steps[0].name", "must be lower-case letters, digits and '-'"),
		Entry("a step name with a dot", func(o *v1alpha1.SequentialJob) { o.Spec.Steps[0].Name = "build.1" },
			"spec.steps[0].name", "must be lower-case letters, digits and '-'"),
		Entry("a step name that ends with a dash", func(o *v1alpha1.SequentialJob) { o.Spec.Steps[0].Name = "build-" },
			"spec.steps[0].name", "start and end with a letter or digit"),
		Entry("a step name of 41 characters", func(o *v1alpha1.SequentialJob) { o.Spec.Steps[0].Name = strings.Repeat("a", 41) },
			"spec.steps[0].name", "may not be more than 40"),
		Entry("a name that makes a Job name of 64 characters", func(o *v1alpha1.SequentialJob) { o.Name = strings.Repeat("a", 58) },
			"SequentialJob", "must not exceed 63 characters: shorten"),
		Entry("an unknown onFailure", func(o *v1alpha1.SequentialJob) { o.Spec.Steps[0].OnFailure = "Ignore" },
			"spec.steps[0].onFailure", `supported values: "Fail", "Continue"`),
		Entry("a deadline of 0", func(o *v1alpha1.SequentialJob) { o.Spec.ActiveDeadlineSeconds = new(int64(0)) },
			"spec.activeDeadlineSeconds", "greater than or equal to 1"),
		Entry("a deadline beyond the end of time", func(o *v1alpha1.SequentialJob) { o.Spec.ActiveDeadlineSeconds = new(int64(1) << 40) },
			"spec.activeDeadlineSeconds", "less than or equal to 2147483647"),
		Entry("a negative TTL", func(o *v1alpha1.SequentialJob) { o.Spec.TTLSecondsAfterFinished = new(int32(-1)) },
			"spec.ttlSecondsAfterFinished", "greater than or equal to 0"),
		Entry("startAt that names no step", func(o *v1alpha1.SequentialJob) { o.Spec.StartAt = new("deploy") },
			"spec.startAt", "must be the name of one of spec.steps"),
		Entry("an empty startAt", func(o *v1alpha1.SequentialJob) { o.Spec.StartAt = new("") },
			"spec.startAt", "at least 1 chars long"),
		Entry("managedBy without a path", func(o *v1alpha1.SequentialJob) { o.Spec.ManagedBy = new("me") },
			"spec.managedBy", "must be a domain and a path"),
		Entry("managedBy of 64 characters", func(o *v1alpha1.SequentialJob) { o.Spec.ManagedBy = new("example.com/" + strings.Repeat("a", 52)) },
			"spec.managedBy", "may not be more than 63"),
		Entry("an empty managedBy", func(o *v1alpha1.SequentialJob) { o.Spec.ManagedBy = new("") },
			"spec.managedBy", "at least 1 chars long"),
		Entry("suspend in a template", editJob(func(j *batchv1.JobTemplateSpec) { j.Spec.Suspend = new(false) }),
			"spec.steps[0].jobTemplate.spec.suspend", "must not be set: the SequentialJob's own spec.suspend"),
		Entry("selector in a template", editJob(func(j *batchv1.JobTemplateSpec) { j.Spec.Selector = &metav1.LabelSelector{} }),
			"spec.steps[0].jobTemplate.spec.selector", "must not be set"),
		Entry("manualSelector in a template", editJob(func(j *batchv1.JobTemplateSpec) { j.Spec.ManualSelector = new(true) }),
			"spec.steps[0].jobTemplate.spec.manualSelector", "must not be set"),
		Entry("managedBy in a template", editJob(func(j *batchv1.JobTemplateSpec) { j.Spec.ManagedBy = new("example.com/x") }),
			"spec.steps[0].jobTemplate.spec.managedBy", "must not be set"),
		Entry("a TTL in a template", editJob(func(j *batchv1.JobTemplateSpec) { j.Spec.TTLSecondsAfterFinished = new(int32(1)) }),
			"spec.steps[0].jobTemplate.spec.ttlSecondsAfterFinished", "use its spec.ttlSecondsAfterFinished"),
		Entry("no restartPolicy", editJob(func(j *batchv1.JobTemplateSpec) { j.Spec.Template.Spec.RestartPolicy = "" }),
			"spec.steps[0].jobTemplate", "restartPolicy must be set to Never or OnFailure"),
		Entry("restartPolicy Always", editJob(func(j *batchv1.JobTemplateSpec) { j.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyAlways }),
			"spec.steps[0].jobTemplate", "restartPolicy must be set to Never or OnFailure"),
		Entry("a Job name in a template", editJob(func(j *batchv1.JobTemplateSpec) { j.Name = "mine" }),
			"spec.steps[0].jobTemplate", "metadata may set labels and annotations only"),
		Entry("a namespace in a template", editJob(func(j *batchv1.JobTemplateSpec) { j.Namespace = "default" }),
			"spec.steps[0].jobTemplate", "metadata may set labels and annotations only"),
		Entry("a finalizer in a template", editJob(func(j *batchv1.JobTemplateSpec) { j.Finalizers = []string{"example.com/x"} }),
			"spec.steps[0].jobTemplate", "metadata may set labels and annotations only"),
		Entry("two containers of one name", editJob(func(j *batchv1.JobTemplateSpec) {
			spec := &j.Spec.Template.Spec
			spec.Containers = append(spec.Containers, spec.Containers[0])
		}), "spec.steps[0].jobTemplate.spec.template.spec.containers[1]", "Duplicate value"),
	)

	DescribeTable("refuses what the types of Go can't even express, and says why",
		func(ctx SpecContext, manifest, field, message string) {
			object := &unstructured.Unstructured{}
			Expect(yaml.Unmarshal([]byte(manifest), &object.Object)).To(Succeed())
			object.SetAPIVersion(v1alpha1.GroupVersion.String())
			object.SetKind(v1alpha1.Kind)
			object.SetNamespace(newWorld(ctx).namespace)
			object.SetName("web")
			err := admin.Create(ctx, object, client.DryRunAll, client.FieldValidation(metav1.FieldValidationStrict))
			Expect(err).To(MatchError(And(ContainSubstring(field), ContainSubstring(message))))
		},
		Entry("no spec", `{}`, "spec", "Required value"),
		Entry("no steps at all", `spec: {suspend: true}`, "spec.steps", "Required value"),
		Entry("a step without a template", `spec: {steps: [{name: build}]}`, "spec.steps[0].jobTemplate", "Required value"),
		Entry("a misspelt field", `spec: {step: []}`, "spec.step", "unknown field"),
		Entry("suspend as a text", `spec: {suspend: "yes", steps: []}`, "spec.suspend", "must be of type boolean"),
		Entry("a template without containers", `spec: {steps: [{name: build, jobTemplate: {spec: {template: {spec: {restartPolicy: Never}}}}}]}`,
			"spec.steps[0].jobTemplate.spec.template.spec.containers", "Required value"),
		Entry("steps as a map", `spec: {steps: {}}`, "spec.steps", "must be of type array"),
		Entry("a fractional deadline", `spec: {activeDeadlineSeconds: 1.5, steps: []}`, "spec.activeDeadlineSeconds", "must be of type integer"),
	)

	DescribeTable("refuses a change",
		func(ctx SpecContext, change edit, field, message string) {
			object := newWorld(ctx).create([]string{"build", "test"}, func(object *v1alpha1.SequentialJob) { object.Spec.StartAt = new("test") })
			before := object.DeepCopy()
			change(object)
			err := admin.Patch(ctx, object, client.MergeFrom(before))
			Expect(err).To(MatchError(And(ContainSubstring(field), ContainSubstring(message))))
		},
		Entry("of a step's template", editJob(func(j *batchv1.JobTemplateSpec) { j.Spec.Template.Spec.Containers[0].Image = "step:v2" }),
			"spec.steps", "steps are immutable: create a new SequentialJob"),
		Entry("of a step's onFailure", func(o *v1alpha1.SequentialJob) { o.Spec.Steps[0].OnFailure = v1alpha1.FailurePolicyContinue },
			"spec.steps", "steps are immutable"),
		Entry("of the order of steps", func(o *v1alpha1.SequentialJob) {
			o.Spec.Steps[0], o.Spec.Steps[1] = o.Spec.Steps[1], o.Spec.Steps[0]
		}, "spec.steps", "steps are immutable"),
		Entry("that adds a step", func(o *v1alpha1.SequentialJob) {
			o.Spec.Steps = append(o.Spec.Steps, v1alpha1.Step{Name: "more", JobTemplate: template()})
		}, "spec.steps", "steps are immutable"),
		Entry("that removes a step", func(o *v1alpha1.SequentialJob) { o.Spec.Steps = o.Spec.Steps[1:] },
			"spec.steps", "steps are immutable"),
		Entry("of startAt", func(o *v1alpha1.SequentialJob) { o.Spec.StartAt = new("build") },
			"spec", "startAt is immutable"),
		Entry("that removes startAt", func(o *v1alpha1.SequentialJob) { o.Spec.StartAt = nil },
			"spec", "startAt is immutable"),
		Entry("that adds managedBy", func(o *v1alpha1.SequentialJob) { o.Spec.ManagedBy = new("example.com/other") },
			"spec", "managedBy is immutable"),
	)

	It("fills in the defaults", func(ctx SpecContext) {
		object := newWorld(ctx).sequentialJob("web", []string{"build"})
		Expect(admin.Create(ctx, object, client.DryRunAll)).To(Succeed())
		Expect(object.Spec.Suspend).To(HaveValue(BeFalse()))
		Expect(object.Spec.Steps[0].OnFailure).To(Equal(v1alpha1.FailurePolicyFail))
	})

	It("takes labels and annotations for a step's Job and keeps them", func(ctx SpecContext) {
		w := newWorld(ctx)
		w.create([]string{"build"}, editJob(func(j *batchv1.JobTemplateSpec) {
			j.Labels = map[string]string{"team": "web", v1alpha1.LabelStep: "something else"}
			j.Annotations = map[string]string{"note": "kept"}
		}))
		job := w.job("build")
		Expect(job.Labels).To(HaveKeyWithValue("team", "web"))
		Expect(job.Labels).To(HaveKeyWithValue(v1alpha1.LabelStep, "build"))
		Expect(job.Annotations).To(HaveKeyWithValue("note", "kept"))
	})

	It("takes the longest names that go together", func(ctx SpecContext) {
		object := newWorld(ctx).sequentialJob(strings.Repeat("a", 57), []string{"build"})
		Expect(admin.Create(ctx, object, client.DryRunAll)).To(Succeed())
	})
})
