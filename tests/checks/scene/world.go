package scene

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"example.com/controller-course/sequentialjob/api/v1alpha1"
	"example.com/controller-course/tests/checks/worlds"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/jobdriver"
	"example.com/controller-course/tests/kit/kinds"
	"example.com/controller-course/tests/kit/proxy"
	"example.com/controller-course/tests/kit/sample"
	"example.com/controller-course/tests/kit/stage"
)

// surroundings are what else there is in the world in which a check is played, and what has become of it.
type surroundings struct {
	world      worlds.World
	namespaces []string // of the world, in its order
	spared     bool     // no read fails any more: see spareReads
	there      bool     // its SequentialJobs and namespaces are as they have to be before the controller starts
	runs       []*companion
	configMaps []*corev1.ConfigMap // in its namespaces, as they were created
	mimics     []*batchv1.Job
	theirs     []*batchv1.Job  // of other controllers' SequentialJobs
	refused    bool            // the API server refused them, because of a check's quota
	idleUntil  <-chan struct{} // nothing of it had anything to do until the observer's objects change
}

// companion is a SequentialJob of the world.
type companion struct {
	worlds.Run
	uid      types.UID               // of the object that runs now
	replaced bool                    // it has been deleted, or need not be
	gone     bool                    // and the next one is still to be created
	last     *v1alpha1.SequentialJob // the deleted one; may be nil
}

// populate brings about what is in the world before the controller starts.
func (s *Scene) populate() {
	if s.around.there {
		return
	}
	s.around.there = true
	s.bystand()
	for _, run := range s.around.world.Runs {
		one := &companion{Run: run, replaced: !run.Again}
		s.around.runs = append(s.around.runs, one)
		for _, line := range one.Faults {
			fault, err := proxy.ParseFault(line)
			s.Must(err)
			s.Proxy.Inject(fault) // it may strike after those of the check, or never if the check takes faults back
		}
		s.Must(s.createRun(s.Context(), one))
	}
	for i, namespace := range s.around.namespaces {
		s.furnish(namespace, s.around.world.Namespaces[i])
	}
	s.failReads()
}

// bystanders is how the names of Jobs begin that nobody owns.
const bystanders = "bystander-"

// bystand creates the Jobs that nobody owns.
func (s *Scene) bystand() {
	many := s.around.world.Bystanders
	if s.check == s.around.world.Throng {
		many *= 10
	}
	if many == 0 {
		return
	}
	s.User("has %d Jobs that nobody owns", many)
	const atOnce = 2 // other checks do the same at the same time
	group, ctx := errgroup.WithContext(s.Context())
	group.SetLimit(atOnce)
	for range many {
		group.Go(func() error {
			return s.Client.Create(ctx, &batchv1.Job{
				ObjectMeta: metav1.ObjectMeta{Namespace: s.Namespace, GenerateName: bystanders},
				Spec:       sample.Step("bystander").JobTemplate.Spec,
			})
		})
	}
	s.Must(group.Wait())
}

// failReads has the next reads fail in a world where reads fail, if the controller sends any.
func (s *Scene) failReads() {
	if s.around.spared {
		return
	}
	for _, line := range s.around.world.Faults {
		fault, err := proxy.ParseFault(line)
		s.Must(err)
		if !s.rereads(fault.Next.Resource) {
			s.inject(fault)
		}
	}
}

// rereads says whether the controller has yet to repeat a read that has failed. A client waits longer before each attempt to
// list. If all of them failed, it would soon wait for longer than a check does.
func (s *Scene) rereads(resource string) bool {
	instance, _, _ := s.Current()
	reads := s.Requests(func(r history.Request) bool {
		return r.Instance == instance && !r.Write() && r.Call.Resource == resource
	})
	return len(reads) > 0 && reads[len(reads)-1].Fault != 0
}

// spareReads ends the failures of reads, because the controller is going to list again. A client whose list fails waits long
// before the next one.
func (s *Scene) spareReads() {
	if _, is := s.unmet(); !is && !s.around.spared {
		s.Proxy.Disarm()
	}
	s.around.spared = true
}

func (s *Scene) createRun(ctx context.Context, one *companion) error {
	object := sample.SequentialJob(one.Name, one.Steps...)
	object.Namespace = s.Namespace
	if one.Object != nil {
		one.Object(object)
	}
	if one.ManagedBy != "" {
		object.Spec.ManagedBy = &one.ManagedBy
	}
	if one.Leaving {
		object.Finalizers = append(object.Finalizers, worlds.Archived)
	}
	if one.last != nil {
		object.Labels, object.Annotations = one.last.Labels, one.last.Annotations
	}
	s.User("creates %s", one.Name)
	if err := s.Client.Create(ctx, object); err != nil {
		return err
	}
	one.uid, one.gone = object.UID, false
	if one.Condition != "" {
		s.AddCondition(one.Name, one.Condition)
	}
	if one.Leaving {
		s.Delete(one.Name, metav1.DeletePropagationBackground)
	}
	if one.ManagedBy != "" {
		return s.createTheirs(ctx, object)
	}
	return nil
}

// createTheirs has another controller create a Job for its SequentialJob.
func (s *Scene) createTheirs(ctx context.Context, object *v1alpha1.SequentialJob) error {
	job := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: object.Namespace, Name: object.Name + "-theirs"},
		Spec:       object.Spec.Steps[0].JobTemplate.Spec,
	}
	if err := controllerutil.SetControllerReference(object, job, s.Client.Scheme()); err != nil {
		return err
	}
	s.User("creates Job %s, as the controller of %s", job.Name, object.Name)
	s.around.theirs = append(s.around.theirs, job)
	return s.Client.Create(ctx, job)
}

// React does the first thing that others would do by themselves, those of the world included.
func (s *Scene) React(ctx context.Context) (bool, error) {
	if acted, err := s.Stage.React(ctx); acted || err != nil {
		return acted, err
	}
	changed := s.Observer.Changed()
	if s.around.idleUntil == changed {
		return false, nil
	}
	acted := false
	for _, act := range []stage.Act{s.mimic, s.advance} {
		did, err := act(ctx)
		if err != nil {
			return false, err
		}
		acted = acted || did
	}
	if !acted {
		s.around.idleUntil = changed
	}
	return acted, nil
}

// advance has each SequentialJob of the world get on, all of them at the same time.
func (s *Scene) advance(ctx context.Context) (acted bool, err error) {
	for _, one := range s.around.runs {
		did, err := s.advanceRun(ctx, one)
		if err != nil {
			return false, fmt.Errorf("SequentialJob %s of the world %s: %w", one.Name, s.around.world.Name, err)
		}
		acted = acted || did
	}
	if acted {
		s.failReads()
	}
	return acted, nil
}

func (s *Scene) advanceRun(ctx context.Context, one *companion) (acted bool, err error) {
	now, err := s.World(one.Name)
	switch {
	case err != nil:
		return false, err
	case one.gone && now.Object == nil:
		return true, s.createRun(ctx, one)
	case now.Object == nil || now.Object.UID != one.uid || one.gone:
		return false, nil
	}
	for _, step := range one.Steps {
		job := now.Running(step.Name)
		switch {
		case job == nil:
		case step.Name == one.Fails:
			return true, s.Driver.Fail(ctx, job, cmp.Or(one.Reason, batchv1.JobReasonBackoffLimitExceeded), BackoffLimitExceeded)
		default:
			return true, s.Driver.Complete(ctx, job)
		}
	}
	if one.missing(s, now) == "" && !one.replaced {
		one.replaced, one.gone, one.last = true, true, now.Object
		s.Delete(one.Name, metav1.DeletePropagationBackground)
		return true, nil
	}
	return false, nil
}

// missing is what is missing until a SequentialJob of the world has ended as it must.
func (one *companion) missing(s *Scene, now stage.World) string {
	switch {
	case one.ManagedBy != "", one.Leaving:
		return ""
	case now.Object == nil || now.Object.UID != one.uid || one.gone:
		return fmt.Sprintf("%s has not been created again", one.Name)
	}
	for _, step := range one.Steps {
		job := now.Job(step.Name)
		if job == nil || !jobdriver.Ended(job) {
			return s.NotRunning(now, one.Name, step.Name)
		}
		if step.Name == one.Fails {
			break
		}
	}
	return ""
}

// unmimicked returns web and its Job of step fetch, as soon as others can resemble that and do not yet. Otherwise the Job is
// nil.
func (s *Scene) unmimicked() (*v1alpha1.SequentialJob, *batchv1.Job, error) {
	if !s.around.world.Mimics || len(s.around.mimics) > 0 || s.around.refused {
		return nil, nil, nil
	}
	now, err := s.World(sample.Web)
	if err != nil || now.Object == nil {
		return nil, nil, err
	}
	return now.Object, now.Job(sample.Fetch), nil
}

// orMimics is missing until the mimics are there too, so that a check continues after them: they wake a controller, and a
// retry that fails once more then makes its backoff longer.
func (s *Scene) orMimics(missing func() string) func() string {
	return func() string {
		if what := missing(); what != "" {
			return what
		}
		_, job, err := s.unmimicked()
		s.Must(err)
		if job != nil {
			return "Jobs that look like those of web are still to be created"
		}
		return ""
	}
}

// mimic creates other owners' Jobs as soon as web has a Job that they can resemble.
func (s *Scene) mimic(ctx context.Context) (bool, error) {
	object, job, err := s.unmimicked()
	if job == nil {
		return false, err
	}
	for _, step := range []string{sample.Fetch, sample.Build, sample.Ship} {
		for _, owner := range lookalikes(object) {
			mimic := resembling(job, step, owner)
			switch err := s.Client.Create(ctx, mimic); {
			case apierrors.IsForbidden(err): // a check's quota is for all
				s.around.refused = true
				return false, nil
			case err != nil:
				return false, err
			case len(s.around.mimics) == 0:
				s.User("has Jobs of other owners that look like those of web: those without an owner run, all others are complete")
			}
			if err := s.Driver.Start(ctx, mimic); err != nil {
				return false, err
			}
			if owner != nil { // labels alone, on a Job that runs
				if err := s.Driver.Complete(ctx, mimic); err != nil {
					return false, err
				}
			}
			s.around.mimics = append(s.around.mimics, mimic)
		}
	}
	return true, nil
}

// lookalikes are owners that resemble a SequentialJob: none, another kind of the same name, an earlier object of the same
// name, and the object itself, as an owner that does not control.
func lookalikes(object *v1alpha1.SequentialJob) []*metav1.OwnerReference {
	return []*metav1.OwnerReference{
		nil,
		{APIVersion: "v1", Kind: "ConfigMap", Name: object.Name, UID: "00000000-0000-4000-8000-0000000000e1", Controller: new(true)},
		earlier(object.Name),
		{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: object.Name, UID: object.UID},
	}
}

// earlier is an owner reference to an earlier SequentialJob of a name.
func earlier(name string) *metav1.OwnerReference {
	return &metav1.OwnerReference{
		APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.Kind, Name: name, UID: "00000000-0000-4000-8000-0000000000e0",
		Controller: new(true), BlockOwnerDeletion: new(true),
	}
}

// resembling is a Job that looks like that of a step, but has another owner. A finalizer keeps it from the garbage
// collector.
func resembling(job *batchv1.Job, step string, owner *metav1.OwnerReference) *batchv1.Job {
	mimic := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: job.Namespace, GenerateName: strings.ReplaceAll(job.Name, sample.Fetch, step) + "-",
			Labels: map[string]string{}, Annotations: map[string]string{}, Finalizers: []string{worlds.Archived},
		},
		Spec: sample.Step(step).JobTemplate.Spec,
	}
	if owner != nil {
		mimic.OwnerReferences = []metav1.OwnerReference{*owner}
	}
	for key, value := range OwnLabels(job) {
		mimic.Labels[key] = strings.ReplaceAll(value, sample.Fetch, step)
	}
	for key, value := range job.Annotations {
		mimic.Annotations[key] = strings.ReplaceAll(value, sample.Fetch, step)
	}
	return mimic
}

// World is a SequentialJob with its Jobs, without the mimics among them.
func (s *Scene) World(name string) (stage.World, error) {
	there, err := s.Stage.World(name)
	if len(s.around.mimics) > 0 {
		there.Jobs = slices.DeleteFunc(slices.Clone(there.Jobs), func(job *batchv1.Job) bool { return s.IsMimic(job) })
	}
	return there, err
}

// IsMimic says whether a Job is one of the world's.
func (s *Scene) IsMimic(job client.Object) bool {
	return isAmong(job, s.around.mimics)
}

func isAmong(job client.Object, jobs []*batchv1.Job) bool {
	return slices.ContainsFunc(jobs, func(one *batchv1.Job) bool { return one.UID == job.GetUID() })
}

// concludeWorld waits until the world's SequentialJobs have ended and its Jobs are counted, and checks that everything else
// in it is untouched.
func (s *Scene) concludeWorld() {
	if _, running, killed := s.Current(); running == nil || killed {
		return
	}
	s.Proxy.Heal()
	s.awaitCompanions()
	if len(s.around.runs) > 0 {
		s.Settle()
	}
	for _, one := range s.around.runs {
		s.endedRight(one)
	}
	for _, mimic := range s.around.mimics {
		s.Untouched(mimic, "another owner's")
	}
	for _, job := range s.around.theirs {
		s.Untouched(job, "another controller's")
	}
	if s.around.world.Expire {
		s.expireWatches()
	}
	for i, namespace := range s.around.namespaces {
		s.countedRight(namespace, s.around.world.Namespaces[i])
	}
	for _, before := range s.around.configMaps {
		s.kept(before)
	}
}

// awaitCompanions waits until the world's SequentialJobs have ended, unless a fault may keep them from that.
func (s *Scene) awaitCompanions() {
	if slices.ContainsFunc(s.Log.Run().Faults, func(f history.Strike) bool { return f.Healed == 0 }) {
		return
	}
	for _, one := range s.around.runs {
		s.Await(one.Name, func(w stage.World) string { return one.missing(s, w) })
	}
}

// keptFinalizer checks that another program's finalizer still keeps a SequentialJob of the world that is being deleted.
func (s *Scene) keptFinalizer(one *companion, now stage.World) {
	if now.Object != nil && now.Object.UID == one.uid && slices.Contains(now.Object.Finalizers, worlds.Archived) {
		return
	}
	writes := s.Requests(func(r history.Request) bool {
		return (r.Call.Verb == "update" || r.Call.Verb == "patch") && r.Call.Resource == kinds.SequentialJob.Resource && r.UID == string(one.uid) && r.Succeeded()
	})
	if len(writes) == 0 {
		s.NotJudged("it needs SequentialJob %s with the finalizer %s, which is gone without a request from your controller", one.Name, worlds.Archived)
	}
	s.FindRequests(writes[len(writes)-1:], "SequentialJob %s was being deleted, and the finalizer %s of another program kept it. Your controller removed this finalizer. "+
		"A finalizer says that its program still has something to clean up. If your controller removes it, the object disappears, and that program never learns what is left. "+
		"Remove only finalizers that your controller has added.", one.Name, worlds.Archived)
}

// endedRight checks that a SequentialJob of the world has a Job for each step up to the one that failed.
func (s *Scene) endedRight(one *companion) {
	now := s.Now(one.Name)
	switch {
	case one.ManagedBy != "":
		s.LeftAlone(one.Name)
		return
	case one.Leaving:
		s.keptFinalizer(one, now)
		s.NothingOf(now, "is being deleted, and waits for another program to remove its finalizer")
		return
	}
	failed := false
	for _, step := range one.Steps {
		job := now.Job(step.Name)
		if failed && job != nil {
			s.Find("Step %s of %s had failed, and your controller created Job %s of step %s.", one.Fails, one.Name, job.Name, step.Name)
		}
		if job != nil {
			s.SameAs(job, &step.JobTemplate)
			s.LabelledByOwner(job, now.Object, &step.JobTemplate)
		}
		failed = failed || step.Name == one.Fails
	}
	if !s.reports {
		return
	}
	if one.Fails != "" {
		s.ConditionIs(one.Name, v1alpha1.ConditionSucceeded, metav1.ConditionFalse, v1alpha1.ReasonStepFailed)
	} else {
		s.ConditionIs(one.Name, v1alpha1.ConditionSucceeded, metav1.ConditionTrue)
	}
	if one.Condition != "" {
		s.KeptConditions(one.Name, one.Condition)
	}
}
