package e2e_test

import (
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/kit/kinds"
)

// What controllers are held to from lesson 6 on: failures that may happen, limits, and what others do to a run's Jobs.
var _ = Describe("A controller of SequentialJobs, on a real cluster with limits and other people:", func() {
	BeforeEach(setTheScene, NodeTimeout(time.Minute))

	rule("K18", func(ctx SpecContext) {
		run := aSequence("run", "--exit-code=1", "")
		run.Spec.Steps[0].OnFailure = v1alpha1.FailurePolicyContinue
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Failed two=Succeeded Succeeded=True", v1alpha1.ReasonStepsFailed)
		on.eachOnce(ctx, "one", "two")
	})

	rule("K19", func(ctx SpecContext) {
		run := aSequence("run", "--sleep=10m", "")
		run.Spec.ActiveDeadlineSeconds = ptr.To[int64](5)
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Failed two=Skipped Succeeded=False", v1alpha1.ReasonDeadlineExceeded)
		pods := &corev1.PodList{}
		Expect(server.List(ctx, pods, client.InNamespace(on.namespace))).To(Succeed())
		for _, pod := range pods.Items {
			if pod.Status.Phase != corev1.PodSucceeded && pod.Status.Phase != corev1.PodFailed {
				Fail(fmt.Sprintf("The status said that the run had ended at its deadline, while Pod %s was %s.", pod.Name, pod.Status.Phase))
			}
		}
		until(ctx, func() (string, error) { // a pod that has ended, and its Job, may be there a moment longer
			left, err := kinds.Names(ctx, server, on.namespace, kinds.Job, kinds.Pod)
			if len(left) > 0 {
				return "of the run that ended at its deadline there was still " + strings.Join(left, ", "), err
			}
			return "", err
		})
	})

	rule("K20", func(ctx SpecContext) {
		run := aSequence("run", "")
		run.Spec.TTLSecondsAfterFinished = ptr.To[int32](2)
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitNothing(ctx)
		on.eachOnce(ctx, "one")
	})

	rule("K21", func(ctx SpecContext) {
		const name = "few-jobs"
		quota := aQuota(name)
		Expect(server.Create(ctx, quota)).To(Succeed())
		enforced(ctx, quota)
		run := aSequence("run", "", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		awaitMessage(ctx, run, name, "the quota "+name+", which allows no Job")
		on.awaitStanding(ctx, run, "one=Pending two=Pending Succeeded=Unknown", v1alpha1.ReasonJobRefused)
		on.log.Stimulate("admin", "deletes ResourceQuota "+name)
		Expect(server.Delete(ctx, quota)).To(Succeed())
		on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		on.eachOnce(ctx, "one", "two")
	})

	rule("K22", func(ctx SpecContext) {
		run := aSequence("run", "--sleep=5s", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		on.awaitRunning(ctx, run, "one")
		on.awaitStanding(ctx, run, "one=Running two=Pending Succeeded=Unknown", v1alpha1.ReasonRunning)
		job, err := on.jobOf(ctx, run, "one")
		Expect(err).NotTo(HaveOccurred())
		on.log.Stimulate("user", "replaces the labels of Job "+job.Name+", of step one")
		// The API server gives a Job without any labels those of its pods.
		Expect(server.Patch(ctx, job, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"add","path":"/metadata/labels","value":{"team":"storage"}}]`)))).To(Succeed())
		on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		on.eachOnce(ctx, "one", "two")
	})

	rule("K23", func(ctx SpecContext) {
		theirs := &batchv1.Job{
			ObjectMeta: metav1.ObjectMeta{Namespace: on.namespace, Name: v1alpha1.JobName("run", "one")}, Spec: running("theirs", "--sleep=10m"),
		}
		on.log.Stimulate("user", "creates Job "+theirs.Name+", which belongs to nobody")
		Expect(server.Create(ctx, theirs)).To(Succeed())
		run := aSequence("run", "", "")
		Expect(server.Create(ctx, run)).To(Succeed())
		awaitMessage(ctx, run, theirs.Name, "Job "+theirs.Name+", which belongs to nobody and holds the run up")
		on.awaitStanding(ctx, run, "one=Pending two=Pending Succeeded=Unknown", v1alpha1.ReasonJobConflict)
		on.log.Stimulate("user", "deletes Job "+theirs.Name)
		kubectl(ctx, "-n", on.namespace, "delete", "job", theirs.Name)
		on.awaitStanding(ctx, run, "one=Succeeded two=Succeeded Succeeded=True", v1alpha1.ReasonAllStepsSucceeded)
		on.podsWere(ctx, "theirs", "one", "two")
	})
})

// aQuota allows no Job.
func aQuota(name string) *corev1.ResourceQuota {
	return &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Namespace: on.namespace, Name: name},
		Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{"count/jobs.batch": resource.MustParse("0")}},
	}
}

// enforced waits until the API server enforces a quota: until then it has no status.
func enforced(ctx SpecContext, quota *corev1.ResourceQuota) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		err := server.Get(ctx, client.ObjectKeyFromObject(quota), quota)
		if len(quota.Status.Hard) == 0 {
			return "the quota was not in force yet", err
		}
		return "", err
	})
}

// awaitMessage waits until the message of a run's summary has a name in it, of what holds the run up.
func awaitMessage(ctx SpecContext, run *v1alpha1.SequentialJob, name, what string) {
	GinkgoHelper()
	until(ctx, func() (string, error) {
		now := &v1alpha1.SequentialJob{}
		err := server.Get(ctx, client.ObjectKeyFromObject(run), now)
		message := ""
		if summary := summaryOf(now); summary != nil {
			message = summary.Message
		}
		if !strings.Contains(message, name) {
			return fmt.Sprintf("the condition Succeeded of SequentialJob %s said %q, without the name of %s", run.Name, message, what), err
		}
		return "", err
	})
}
