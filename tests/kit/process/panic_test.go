package process_test

import (
	"strings"
	"testing"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/process"
)

// reconcilePanics is a stack as Go prints it, of a panic that was recovered and raised again.
const reconcilePanics = `goroutine 231 [running]:
main.(*reconciler).recoverAll(0x1)
	/src/mine/reconcile.go:99 +0x1d
panic({0x11e8660?, 0x1d2b9f0?})
	/usr/local/go/src/runtime/panic.go:860 +0x13a
time.Sleep(0x5)
	/usr/local/go/src/runtime/time.go:363 +0x11
example.com/mine/steps.(*List).Next(...)
	/src/mine/steps/list.go:14
main.(*reconciler).Reconcile(0xc0001, {0x1, 0x2})
	/src/mine/reconcile.go:25 +0x28b
sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).Reconcile(0x1)
	/home/me/go/pkg/mod/sigs.k8s.io/controller-runtime@v0.25.2/pkg/internal/controller/controller.go:216 +0x1
created by sigs.k8s.io/controller-runtime/pkg/internal/controller.(*Controller[...]).Start.func2 in goroutine 12
	/home/me/go/pkg/mod/sigs.k8s.io/controller-runtime@v0.25.2/pkg/internal/controller/controller.go:310 +0x2
`

const otherGoroutine = `
goroutine 1 [select]:
main.main()
	/src/mine/main.go:7 +0x1
`

func TestFindPanic(t *testing.T) {
	escaped := strings.NewReplacer("\n", `\n`, "\t", `\t`, `"`, `\"`).Replace(reconcilePanics)
	for name, test := range map[string]struct {
		log  string
		want *process.Panic
	}{
		"no panic":               {"starting\nstopped\n", nil},
		"a line that looks so":   {"panic: not really\nI only say so\n", nil},
		"the word within a line": {"info panic: x\ngoroutine 1 [running]:\n", nil},
		"a panic": {
			"starting\npanic: boom\n\n" + reconcilePanics + otherGoroutine + "exit status 2\n",
			&process.Panic{Message: "panic: boom", Where: "/src/mine/steps/list.go:14"},
		},
		"a nil pointer, and a signal's address": {
			"panic: runtime error: invalid memory address or nil pointer dereference\n" +
				"[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x1]\n\ngoroutine 1 [running]:\n" +
				"main.main()\n\t/src/mine/main.go:7 +0x1\n",
			&process.Panic{
				Message: "panic: runtime error: invalid memory address or nil pointer dereference", Where: "/src/mine/main.go:7",
			},
		},
		"panics after each other": {
			"panic: one [recovered]\n\tpanic: two\n\n" + reconcilePanics,
			&process.Panic{Message: "panic: one [recovered]\n panic: two", Where: "/src/mine/steps/list.go:14"},
		},
		"a fatal error, which shows all goroutines": {
			"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 [chan receive]:\n" +
				"main.main()\n\t/src/mine/main.go:7 +0x1\n\n" + reconcilePanics,
			&process.Panic{Message: "fatal error: all goroutines are asleep - deadlock!", Where: "/src/mine/main.go:7"},
		},
		"nothing of its own": {
			"panic: boom\n\ngoroutine 1 [running]:\nnet/http.Serve()\n\t/usr/local/go/src/net/http/server.go:1 +0x1\n",
			&process.Panic{Message: "panic: boom"},
		},
		"recovered, logged for machines": {
			`{"level":"error","msg":"Observed a panic","controller":"x","panic":"assignment to \"m\"","panicGoValue":"\"y\"","stacktrace":"` +
				escaped + `","stacktrace":"main.x\n\t/src/mine/z.go:1"}` + "\n{\"level\":\"info\"}\n",
			&process.Panic{Message: `panic: assignment to "m"`, Where: "/src/mine/steps/list.go:14", Recovered: true},
		},
		"recovered, logged for people": {
			"2026-01-02T03:04:05Z\tERROR\tObserved a panic\t{\"controller\": \"x\", \"panic\": \"boom\", \"stacktrace\": \"" + escaped + "\"}\n",
			&process.Panic{Message: "panic: boom", Where: "/src/mine/steps/list.go:14", Recovered: true},
		},
		"recovered, logged by klog": {
			"E0102 03:04:05.1 1 runtime.go:144] \"Observed a panic\" panic=\"boom\" stacktrace=<\n\t" +
				strings.ReplaceAll(reconcilePanics, "\n", "\n\t") + "\n >\n",
			&process.Panic{Message: "panic: boom", Where: "/src/mine/steps/list.go:14", Recovered: true},
		},
		"recovered first, fatal then": {
			"\"Observed a panic\" panic=\"boom\"\npanic: bang\n\ngoroutine 1 [running]:\nmain.main()\n\t/src/mine/main.go:7 +0x1\n",
			&process.Panic{Message: "panic: bang", Where: "/src/mine/main.go:7"},
		},
	} {
		assert.Equal(t, name, process.FindPanic(test.log), test.want)
	}
}
