package e2e_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"example.com/controller-course/tests/e2e"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/picture"
	"example.com/controller-course/tests/kit/process"
)

// rule is a spec that the code of lessons is held to.
func rule(id string, play func(SpecContext)) {
	of, err := e2e.Find(id)
	if err != nil {
		panic(err)
	}
	It(of.Title, Offset(1), Label(of.ID), play, SpecTimeout(5*time.Minute))
}

// found is what is wrong with the program, if that is what made the spec fail; it says more than the spec.
var found *finding.Finding

func failWith(f finding.Finding) {
	GinkgoHelper()
	found = &f
	Fail(f.Title + "\n" + f.What)
}

// No spec may have brought out something that is wrong with the program itself.
var _ = AfterEach(func(ctx SpecContext) {
	if isAPI() {
		return
	}
	var log string
	Eventually(ctx, func() (err error) {
		log, err = managersLog(ctx)
		return err
	}).Should(Succeed())
	mustBeSound(ctx, log)
	if judged == finished { // the role that it ships has to suffice, whatever it says of a refusal
		Expect(log).NotTo(ContainSubstring("is forbidden: User "), "the operator's log")
	}
}, NodeTimeout(time.Minute))

// mustBeSound fails if something is wrong with the program itself, by its log or its pod.
func mustBeSound(ctx context.Context, log string) {
	GinkgoHelper()
	if refused, was := finding.RefusedIn(log); was {
		failWith(refused)
	}
	if panicked := process.FindPanic(log); panicked != nil {
		failWith(finding.Panicked(*panicked))
	}
	pods, err := managers(ctx)
	Expect(err).NotTo(HaveOccurred())
	for _, pod := range pods {
		mustRun(ctx, pod)
	}
}

// managersLog is all that the pods of what is judged have printed, before their last restart too.
func managersLog(ctx context.Context) (string, error) {
	pods, err := managers(ctx)
	var all strings.Builder
	for _, pod := range pods {
		if len(pod.Status.ContainerStatuses) == 0 { // it has just been made
			continue
		}
		for _, before := range []bool{true, false} {
			if before && pod.Status.ContainerStatuses[0].RestartCount == 0 {
				continue
			}
			text, err := read(clients.CoreV1().Pods(pod.Namespace).GetLogs(pod.Name, &corev1.PodLogOptions{Previous: before}).Stream(ctx))
			if err != nil {
				return "", err
			}
			all.WriteString(text)
		}
	}
	return all.String(), err
}

// endedByItself is the finding for a controller whose program has ended.
func endedByItself(ctx context.Context, pod corev1.Pod) finding.Finding {
	GinkgoHelper()
	log, err := managersLog(ctx)
	Expect(err).NotTo(HaveOccurred())
	status := pod.Status.ContainerStatuses[0]
	ended := cmp.Or(status.State.Terminated, status.LastTerminationState.Terminated)
	atStart := on == nil
	return finding.Ended(podEnd{process.EndOf(log, int(ended.ExitCode))}, !atStart)
}

// podEnd is how the program of a pod ended.
type podEnd struct{ outcome process.Outcome }

func (p podEnd) Outcome() process.Outcome { return p.outcome }

// The command that runs these specs for a lesson receives each verdict immediately.
var verdicts = func() *json.Encoder {
	if os.Getenv("E2E_VERDICTS") == "" {
		return nil
	}
	return json.NewEncoder(os.NewFile(e2e.Verdicts, "verdicts"))
}()

var _ = ReportAfterEach(func(ctx SpecContext, report SpecReport) {
	if report.State.Is(types.SpecStateSkipped | types.SpecStatePending | types.SpecStateInterrupted) {
		return
	}
	verdict := e2e.Verdict{}
	if labels := report.Labels(); len(labels) > 0 {
		verdict.ID = labels[0]
	}
	publish(ctx, verdict, report)
})

var _ = ReportAfterSuite("what kept specs from being run", func(ctx SpecContext, report Report) {
	for _, one := range report.SpecReports {
		if one.LeafNodeType == types.NodeTypeBeforeSuite && one.Failed() && one.State != types.SpecStateInterrupted {
			publish(ctx, e2e.Verdict{}, one)
		}
	}
})

// publish sends the verdict of a spec, and keeps logs if the spec failed.
func publish(ctx context.Context, verdict e2e.Verdict, report SpecReport) {
	if report.Failed() {
		dir := filepath.Join(logsFolder, folderFor(cmp.Or(verdict.ID, report.FullText(), "install")))
		keep(ctx, dir)
		verdict.Finding = findingOf(verdict.ID, report, dir)
		fmt.Printf("\nLogs, objects and events are in %s\n", dir)
	}
	found = nil
	if verdicts == nil {
		return
	}
	if err := verdicts.Encode(verdict); err != nil {
		Fail(fmt.Sprintf("tell the verdict: %v", err))
	}
}

// findingOf is what a spec that failed says about a controller. Its picture is put into a folder.
func findingOf(id string, report SpecReport, dir string) *finding.Finding {
	f := finding.Finding{Check: finding.CheckStart, Title: "The controller gets to work in a pod", What: report.Failure.Message}
	if of, err := e2e.Find(id); err == nil {
		f.Check, f.Title, f.Why, f.Read = finding.Check(of.ID), of.Title, of.Why, of.Read
	}
	if found != nil {
		f = *found
	}
	if on == nil {
		return &f
	}
	const lines = 12
	run := on.log.Run()
	f.At = on.log.Now()
	f.When = finding.Excerpt(run, f.At, lines)
	if on.observer == nil {
		return &f // what kubectl said makes no picture
	}
	file := filepath.Join(dir, "picture.html")
	if err := picture.Write(file, run, []finding.Finding{f}, string(f.Check)+" "+f.Title); err != nil {
		fmt.Fprintln(GinkgoWriter, err)
		return &f
	}
	f.Picture = file
	return &f
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9]+`)

func folderFor(text string) string { return strings.Trim(unfit.ReplaceAllString(text, "-"), "-") }

// keep writes logs, objects and events of the spec's namespace and of what is judged to files.
func keep(ctx context.Context, dir string) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		fmt.Fprintln(GinkgoWriter, err)
		return
	}
	parts := map[string]string{"crds.yaml": "get customresourcedefinitions -o yaml"}
	if !isAPI() {
		parts = map[string]string{
			"controller.log":        "-n " + judged.namespace + " logs --selector " + managerLabel + " --tail=-1 --prefix",
			"controller-before.log": "-n " + judged.namespace + " logs --selector " + managerLabel + " --tail=-1 --prefix --previous",
			"controller.txt":        "-n " + judged.namespace + " get deployments,pods,leases,events -o wide",
		}
	}
	if on != nil {
		for file, args := range map[string]string{
			"steps.log":           "logs --selector batch.kubernetes.io/job-name --tail=-1 --prefix",
			"sequentialjobs.yaml": "get sequentialjobs -o yaml",
			"jobs.yaml":           "get jobs -o yaml",
			"configmaps.yaml":     "get configmaps -o yaml",
			"pods.yaml":           "get pods -o yaml",
			"events.txt":          "events",
		} {
			parts[file] = "-n " + on.namespace + " " + args
		}
	}
	for file, args := range parts {
		output, err := tryKubectl(ctx, strings.Fields(args)...)
		if err != nil {
			output = err.Error()
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(output), 0o644); err != nil {
			fmt.Fprintln(GinkgoWriter, err)
		}
	}
}
