package generated

import (
	"fmt"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/scene"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/stage"
)

// verb is a kind of act.
type verb struct {
	example string
	byUser  bool
	reads   func(words []string) error           // says what is wrong with the words after the verb
	does    func(p *player, words []string) bool // says whether it was possible
}

// init, because acts are parsed by their verbs.
var verbs map[string]verb

func init() {
	verbs = map[string]verb{
		"create":    {"create web fetch,build,ship suspended", true, readsObject, (*player).create},
		"replace":   {"replace web fetch,build", true, readsObject, (*player).replace},
		"delete":    {"delete web foreground", true, readsDelete, (*player).delete},
		"suspend":   {"suspend web", true, reads(1), (*player).suspend},
		"resume":    {"resume web", true, reads(1), (*player).resume},
		"label":     {"label web", true, reads(1), (*player).label},
		"limit":     {"limit web", true, reads(1), (*player).limit},
		"expire":    {"expire web", true, reads(1), (*player).expire},
		"unlabel":   {"unlabel web", false, reads(1), (*player).unlabel},
		"tidy":      {"tidy web", false, reads(1), (*player).tidy},
		"remove":    {"remove web", false, reads(1), (*player).remove},
		"condition": {"condition web", false, reads(1), (*player).condition},
		"complete":  {"complete web", false, reads(1), (*player).complete},
		"announce":  {"announce web", false, reads(1), (*player).announce},
		"fail":      {"fail web", false, reads(1), (*player).fail},
		"quota":     {"quota on", false, readsQuota, (*player).quota},
		"restart":   {"restart", false, reads(0), (*player).restart},
		"fault":     {"fault answer 500: next 2 writes jobs web/build", false, readsFault, (*player).fault},
		"heal":      {"heal", false, reads(0), (*player).heal},
		"provide":   {"provide shared retain", true, readsWorkspace, (*player).provide},
		"resize":    {"resize shared", true, reads(1), (*player).resize},
		"abandon":   {"abandon shared", true, reads(1), (*player).abandon},
		"tamper":    {"tamper shared", false, reads(1), (*player).tamper},
		"force":     {"force shared", true, reads(1), (*player).force},
		"outage":    {"outage", false, reads(0), (*player).outage},
		"recover":   {"recover", false, reads(0), (*player).recover},
	}
}

func reads(many int) func([]string) error {
	return func(words []string) error {
		if len(words) != many {
			return fmt.Errorf("the verb needs %s after it", scene.Counted(many, "word", "words"))
		}
		return nil
	}
}

func readsObject(words []string) error {
	_, err := objectOf(words)
	return err
}

func readsDelete(words []string) error {
	_, err := policyOf(words)
	return err
}

func readsQuota(words []string) error {
	if len(words) != 1 || words[0] != "on" && words[0] != "off" {
		return fmt.Errorf("a quota is on or off")
	}
	return nil
}

func readsFault(words []string) error {
	_, err := stage.ParseFault(strings.Join(words, " "))
	return err
}

// policyOf reads how an object is deleted: "web", "web foreground", "web orphan".
func policyOf(words []string) (metav1.DeletionPropagation, error) {
	policies := map[string]metav1.DeletionPropagation{
		"background": metav1.DeletePropagationBackground, "foreground": metav1.DeletePropagationForeground, "orphan": metav1.DeletePropagationOrphan,
	}
	switch len(words) {
	case 1:
		return metav1.DeletePropagationBackground, nil
	case 2:
		if policy, known := policies[words[1]]; known {
			return policy, nil
		}
	}
	return "", fmt.Errorf("it needs a name, and may have background, foreground or orphan after it")
}

func (p *player) create(words []string) bool {
	object, err := objectOf(words)
	p.Must(err)
	if p.orphaned[object.Name] || p.read(object.Name) != nil {
		return false
	}
	object.Namespace = p.Namespace
	done := p.user("creates "+strings.Join(words, " "), func() error { return p.Client.Create(p.Context(), object) })
	if done && !slices.Contains(p.names, object.Name) {
		p.names = append(p.names, object.Name)
	}
	return done
}

func (p *player) replace(words []string) bool {
	return p.delete(words[:1]) && p.create(words)
}

func (p *player) delete(words []string) bool {
	policy, err := policyOf(words)
	p.Must(err)
	name := words[0]
	object := p.read(name)
	if object == nil || object.DeletionTimestamp != nil {
		return false
	}
	p.deleted[object.UID] = true
	p.orphaned[name] = p.orphaned[name] || policy == metav1.DeletePropagationOrphan
	return p.user(fmt.Sprintf("deletes %s (%s)", name, policy), func() error {
		return p.Client.Delete(p.Context(), object, client.PropagationPolicy(policy))
	})
}

func (p *player) suspend(words []string) bool {
	return p.change(words[0], "suspends", func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(true) })
}

func (p *player) resume(words []string) bool {
	return p.change(words[0], "resumes", func(o *v1alpha1.SequentialJob) { o.Spec.Suspend = new(false) })
}

func (p *player) label(words []string) bool {
	return p.change(words[0], "labels", func(o *v1alpha1.SequentialJob) {
		metav1.SetMetaDataLabel(&o.ObjectMeta, "example.com/changed-at", o.ResourceVersion)
	})
}

func (p *player) limit(words []string) bool {
	return p.change(words[0], "sets activeDeadlineSeconds to 1 in", func(o *v1alpha1.SequentialJob) { o.Spec.ActiveDeadlineSeconds = new(int64(1)) })
}

func (p *player) expire(words []string) bool {
	return p.change(words[0], "sets ttlSecondsAfterFinished to 0 in", func(o *v1alpha1.SequentialJob) { o.Spec.TTLSecondsAfterFinished = new(int32(0)) })
}

// tidy deletes a finished Job that the status shows as finished.
func (p *player) tidy(words []string) bool {
	return p.onJob(words[0], func(now stage.World, job *batchv1.Job) bool {
		step := now.Step(stage.StepOf(job))
		return jobdriver.Ended(job) && step != nil && (step.State == v1alpha1.StepSucceeded || step.State == v1alpha1.StepFailed)
	}, func(job *batchv1.Job) error { return p.Driver.Vanish(p.Context(), job) })
}

// remove deletes a Job that runs, and that the status shows as running. Before that, a controller could not know after a
// crash whether a missing Job was ever created. Of a Job without its labels, it might learn that only minutes later.
func (p *player) remove(words []string) bool {
	return p.onJob(words[0], func(now stage.World, job *batchv1.Job) bool {
		step := now.Step(stage.StepOf(job))
		return p.runs(now, job) && step != nil && step.State == v1alpha1.StepRunning && p.labels[job.UID] == nil
	}, func(job *batchv1.Job) error { return p.Driver.Vanish(p.Context(), job) })
}

// unlabel removes the labels of a Job that runs, and that the status shows as running. Before that, nothing but its labels
// may show a controller that it exists. It gets them back at the end.
func (p *player) unlabel(words []string) bool {
	return p.onJob(words[0], func(now stage.World, job *batchv1.Job) bool {
		step := now.Step(stage.StepOf(job))
		return p.runs(now, job) && step != nil && step.State == v1alpha1.StepRunning && p.labels[job.UID] == nil
	}, func(job *batchv1.Job) error {
		p.labels[job.UID] = p.Unlabel(job)
		return nil
	})
}

func (p *player) complete(words []string) bool {
	return p.onJob(words[0], p.runs, func(job *batchv1.Job) error { return p.Driver.Complete(p.Context(), job) })
}

func (p *player) announce(words []string) bool {
	return p.onJob(words[0], p.runs, func(job *batchv1.Job) error { return p.Driver.Announce(p.Context(), job) })
}

func (p *player) fail(words []string) bool {
	return p.onJob(words[0], func(now stage.World, job *batchv1.Job) bool {
		return p.runs(now, job) && !jobdriver.Holds(job, batchv1.JobSuccessCriteriaMet) // that is decided already
	}, func(job *batchv1.Job) error {
		return p.Driver.Fail(p.Context(), job, batchv1.JobReasonBackoffLimitExceeded, scene.BackoffLimitExceeded)
	})
}

// condition has another client add a condition.
func (p *player) condition(words []string) bool {
	const conditionType = "example.com/Checked"
	object := p.read(words[0])
	if object == nil || object.Status.StartTime == nil || slices.Contains(p.conditions[words[0]], object.UID) {
		return false
	}
	p.conditions[words[0]] = append(p.conditions[words[0]], object.UID)
	p.AddCondition(words[0], conditionType)
	return true
}

func (p *player) quota(words []string) bool {
	switch on := words[0] == "on"; {
	case on == p.limited:
		return false
	case on:
		p.LimitJobs()
	default:
		p.AllowJobs()
	}
	p.limited = !p.limited
	return true
}

func (p *player) restart([]string) bool {
	if _, _, killed := p.Current(); killed {
		return false
	}
	p.Stop()
	p.Must(p.StartProcess())
	return true
}

func (p *player) fault(words []string) bool {
	fault, err := stage.ParseFault(strings.Join(words, " "))
	p.Must(err)
	if p.Store == nil && stage.OfStore(fault) {
		return false
	}
	p.Inject(fault)
	return true
}

func (p *player) heal([]string) bool {
	p.Heal()
	return true
}
