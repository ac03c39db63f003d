package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
	"github.com/onsi/gomega/gexec"

	"example.com/controller-course/tests/kit/repo"
)

func TestCourse(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "Course")
}

// aLot is several times what a lesson takes to be judged.
const aLot = 5 * time.Minute

var _ = Describe("make lesson-3 test", Ordered, func() {
	var root, course string

	BeforeAll(func() {
		var err error
		root, err = repo.Root()
		Expect(err).NotTo(HaveOccurred())
		course = filepath.Join(GinkgoT().TempDir(), "course")
		build := exec.Command("go", "build", "-o", course, ".")
		output, err := build.CombinedOutput()
		Expect(err).NotTo(HaveOccurred(), string(output))
	})

	start := func(args ...string) *gexec.Session {
		GinkgoHelper()
		command := exec.Command(course, args...)
		command.Dir = root
		session, err := gexec.Start(command, GinkgoWriter, GinkgoWriter)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(func() { session.Kill().Wait(aLot) })
		return session
	}

	It("judges the solution, and says that all is well", func() {
		session := start("lesson", "test", "3", "--impl", "solutions/03-reconcile").Wait(aLot)
		Expect(session.ExitCode()).To(BeZero())
		said := string(session.Out.Contents())
		Expect(said).To(ContainSubstring("✓ 3.1 "))
		Expect(said).To(ContainSubstring("✓ 3.11 "))
		Expect(said).NotTo(ContainSubstring("✗"))
		Expect(said).To(HaveSuffix("\nAll 13 checks of lesson 3 pass.\n"))
	})

	It("says what a check waits for, and shows what it found again without judging", func() {
		session := start("lesson", "test", "3", "--check", "3.1").Wait(aLot)
		Expect(session.ExitCode()).To(Equal(exitFailed))
		Expect(string(session.Err.Contents())).To(ContainSubstring("3.1 is waiting, and has not failed: so far, web has no Job"))
		judged := string(session.Out.Contents())
		Expect(judged).To(ContainSubstring("✗ 3.1 "))

		session = start("lesson", "finding", "3", "--check", "3.1").Wait(aLot)
		Expect(session.ExitCode()).To(BeZero())
		Expect(judged).To(ContainSubstring(string(session.Out.Contents())))
	})

	It("says of code that does not compile where, and that nothing was judged", func() {
		folder, err := os.MkdirTemp(filepath.Join(root, ".cache"), "broken-")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(os.RemoveAll, folder)
		code := "package main\n\nfunc main() { undefined() }\n"
		Expect(os.WriteFile(filepath.Join(folder, "main.go"), []byte(code), 0o644)).To(Succeed())

		session := start("lesson", "test", "3", "--impl", folder).Wait(aLot)
		Expect(session.ExitCode()).To(Equal(exitFailed))
		said := string(session.Out.Contents())
		Expect(said).To(HavePrefix("✗ build  The controller compiles\n"))
		Expect(said).To(ContainSubstring("/main.go:3:15: undefined:"))
		Expect(said).To(ContainSubstring("\nNothing was judged.\n"))
		Expect(said).NotTo(ContainSubstring("3.1"))
		Expect(string(session.Err.Contents())).To(HaveSuffix("Error: lesson 3: nothing could be judged\n"))
	})

	It("says of a package that is no program that it is none", func() {
		session := start("lesson", "test", "3", "--impl", "sequentialjob/controller").Wait(aLot)
		Expect(session.ExitCode()).To(Equal(exitFailed))
		Expect(string(session.Out.Contents())).To(ContainSubstring("main package"))
	})

	It("judges at every save, for as long as it runs", func() {
		folder := filepath.Join(root, ".cache", "watched")
		Expect(os.RemoveAll(folder)).To(Succeed())
		Expect(os.CopyFS(folder, os.DirFS(filepath.Join(root, "solutions", "03-reconcile")))).To(Succeed())
		DeferCleanup(os.RemoveAll, folder)

		session := start("lesson", "watch", "3", "--impl", folder, "--check", "3.1")
		Eventually(session, aLot).Should(gbytes.Say(`Check 3\.1 passes\.`))
		Eventually(session, aLot).Should(gbytes.Say("Waiting for the next save in"))

		Expect(os.WriteFile(filepath.Join(folder, "more.go"), []byte("package main\n\nfunc more() { undefined() }\n"), 0o644)).To(Succeed())
		Eventually(session, aLot).Should(gbytes.Say("more.go saved"))
		Eventually(session, aLot).Should(gbytes.Say(`more.go:3:15: undefined: undefined`))
		Eventually(session, aLot).Should(gbytes.Say("Nothing was judged."))

		Expect(os.Remove(filepath.Join(folder, "more.go"))).To(Succeed())
		Eventually(session, aLot).Should(gbytes.Say("more.go saved"))
		Eventually(session, aLot).Should(gbytes.Say(`Check 3\.1 passes\.`))

		session.Interrupt().Wait(aLot)
		Expect(session.ExitCode()).To(BeZero())
		Expect(session.Out).To(gbytes.Say("Stopped."))
	})

	It("leaves no processes and files when it is interrupted, and works the next time", func() {
		session := start("lesson", "test", "3", "--impl", "solutions/03-reconcile", "--check", "3.2")
		Eventually(filepath.Join(root, ".cache", "runs", "other-03", "work", "ground", "cluster", "data", "etcd", "member"), aLot).Should(BeADirectory())
		session.Interrupt().Wait(aLot)
		Expect(session.ExitCode()).To(Equal(exitFailed))
		Expect(string(session.Err.Contents())).To(HaveSuffix("Error: interrupted\n"))
		Expect(filepath.Join(root, ".cache", "runs", "other-03", "work", "ground", "cluster", "data")).NotTo(BeADirectory())

		session = start("lesson", "test", "3", "--impl", "solutions/03-reconcile", "--check", "3.2").Wait(aLot)
		Expect(session.ExitCode()).To(BeZero())
		Expect(string(session.Out.Contents())).To(HaveSuffix("\nCheck 3.2 passes. All of them: make lesson-3 test IMPL='solutions/03-reconcile'\n"))
	})
})
