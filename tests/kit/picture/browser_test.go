package picture

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"example.com/controller-course/tests/kit/assert"
	"example.com/controller-course/tests/kit/finding"
	"example.com/controller-course/tests/kit/history"
	"example.com/controller-course/tests/kit/must"
)

// patience is how long a state in the browser is waited for.
const patience = time.Minute

// browser starts a Chromium that cannot reach any other host. A test that has none is skipped.
func browser(t *testing.T) context.Context {
	t.Helper()
	path := os.Getenv("CHROME")
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); path == "" && err == nil {
			path = found
		}
	}
	if path == "" {
		t.Skip("There is no Chromium to look at the picture with: install chromium or google-chrome, or name one in CHROME.")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.WindowSize(1400, 1100),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND"),
	)
	allocator, cancel := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(cancel)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	must.Succeed(t, chromedp.Do(ctx))
	return ctx
}

// tab is a page in the browser, and what it complained of and asked for.
type tab struct {
	*testing.T
	ctx context.Context

	mu       sync.Mutex
	errors   []string
	requests []string
}

// open shows a run. At the end of the test the page must have had no errors and asked for nothing but itself.
func open(t *testing.T, browser context.Context, run history.Run, findings []finding.Finding) *tab {
	t.Helper()
	file := write(t, run, findings, "A run")
	ctx, cancel := chromedp.NewContext(browser)
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, 3*patience)
	t.Cleanup(cancel)
	b := &tab{T: t, ctx: ctx}
	must.Succeed(t, chromedp.Listen(ctx, b.listen))
	page := "file://" + filepath.ToSlash(file)
	b.do(
		chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
			_, err := cdp.Call(ctx, target, network.Enable, network.EnableParams{})
			return err
		}),
		chromedp.EmulateViewport(1400, 1100),
		chromedp.Navigate(page),
	)
	b.await(`document.querySelectorAll("#lanes .mark").length > 0`)
	t.Cleanup(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if len(b.errors) > 0 {
			t.Errorf("the page has errors:\n%s", strings.Join(b.errors, "\n"))
		}
		assert.Equal(t, "what the page asked for: only itself", b.requests, []string{page})
	})
	return b
}

func (b *tab) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch event := event.(type) {
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, event.ExceptionDetails.Text)
		if thrown := event.ExceptionDetails.Exception; thrown != nil {
			b.errors = append(b.errors, thrown.Description)
		}
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprintf("console: %s %v", event.Type, event.Args))
	case *log.EventEntryAdded:
		b.errors = append(b.errors, event.Entry.Text)
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, event.Request.URL)
	}
}

func (b *tab) do(steps ...chromedp.Action[chromedp.Void]) {
	b.Helper()
	must.Succeed(b, chromedp.Do(b.ctx, steps...))
}

// await waits until the page says so.
func (b *tab) await(condition string) {
	b.Helper()
	if _, err := chromedp.Run(b.ctx, chromedp.Poll[bool](condition, chromedp.WithPollingTimeout(patience))); err != nil {
		b.Fatalf("waiting until %s: %v", condition, err)
	}
}

// get evaluates an expression in a page.
func get[T any](b *tab, expression string) T {
	b.Helper()
	value, err := chromedp.Run(b.ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		b.Fatalf("%s: %v", expression, err)
	}
	return value
}

// middle is where an element is on the screen, as far as it is in view.
func (b *tab) middle(element string) (x, y float64) {
	b.Helper()
	at := get[[]float64](b, fmt.Sprintf(`(() => {
		const element = %s;
		element.scrollIntoView({ block: "center" });
		const box = element.getBoundingClientRect(), plot = document.getElementById("chart").getBoundingClientRect();
		return [(Math.max(box.left, plot.left) + Math.min(box.right, plot.right)) / 2, box.y + box.height / 2];
	})()`, element))
	return at[0], at[1]
}

func TestInABrowser(t *testing.T) {
	chromium := browser(t)
	run, findings := doubleCreation()
	on := func(name string, look func(*tab)) {
		t.Run(name, func(t *testing.T) { look(open(t, chromium, run, findings)) })
	}
	// ticks are the times on the axis, which tell what is in view.
	const ticks = `[...document.querySelectorAll("#axis .tick text")].map((text) => text.textContent).join()`

	on("lanes are there", func(b *tab) {
		names := get[string](b, `[...document.querySelectorAll("#lanes .name title")].map((title) => title.textContent).join("; ")`)
		assert.Contains(b, "the lanes", names,
			"controller", "faults", "job controller", "jobs, its writes", "reads", "web-build-9c4tq, Job", "jobs, its watch")
	})

	on("the violation and what it cites are in view at first", func(b *tab) {
		inView := get[bool](b, `(() => {
			const line = document.querySelector("#drawn .violation").getBoundingClientRect();
			const plot = document.getElementById("lanes").getBoundingClientRect();
			return line.x > plot.x + 180 && line.x < plot.right && line.height > 0 &&
				document.querySelector("#axis .flag").textContent.includes("One Job per step, ever");
		})()`)
		if !inView {
			b.Error("the line of the violation is not in view")
		}
		cited := get[int](b, `document.querySelectorAll("#drawn .mark.cited").length`)
		assert.Equal(b, "number of marks shown as cited: the two requests and the two Jobs", cited, 4)
	})

	on("pointing at a mark shows its details", func(b *tab) {
		x, y := b.middle(`document.querySelector("#drawn .request.cited .shape")`)
		b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x, y))
		b.await(`!document.getElementById("tip").hidden`)
		tip := get[string](b, `document.getElementById("tip").textContent`)
		assert.Contains(b, "the details", tip,
			"create jobs web/build #1 → 201", "0.290 s", "resourceVersion 103", "default/web-build-x7k2p")
		b.await(`document.querySelectorAll("#drawn .same").length === 3`) // the request, the state and the event
	})

	on("a click compares the object with its version before", func(b *tab) {
		x, y := b.middle(`[...document.querySelectorAll("#drawn .state.running .shape")].at(-1)`)
		b.do(chromedp.MouseClickXY(x, y))
		b.await(`!document.getElementById("panel").hidden`)
		added := get[string](b, `[...document.querySelectorAll("#panel ins")].map((line) => line.textContent).join("")`)
		assert.Contains(b, "what was added", added, `+     "active": 1`)
		b.do(chromedp.KeyEvent(kb.Escape))
		b.await(`document.getElementById("panel").hidden`)
	})

	on("zoom and move", func(b *tab) {
		initial := get[string](b, ticks)
		for name, act := range map[string]func(){
			"button": func() { b.do(chromedp.Click(chromedp.ID("closer"))) },
			"whole":  func() { b.do(chromedp.Click(chromedp.ID("whole"))) },
			"wheel": func() {
				x, y := b.middle(`document.querySelector("#drawn .lane")`)
				b.do(chromedp.MouseEvent(input.DispatchMouseEventTypeMouseWheel, x, y, func(p *input.DispatchMouseEventParams) {
					p.DeltaX, p.DeltaY = 0.01, -400 // a zero would be left out, which the browser does not take
				}))
			},
			"plus":  func() { b.do(chromedp.Focus(chromedp.ID("chart")), chromedp.KeyEvent("+")) },
			"minus": func() { b.do(chromedp.Focus(chromedp.ID("chart")), chromedp.KeyEvent("-")) },
			"arrow": func() { b.do(chromedp.Focus(chromedp.ID("chart")), chromedp.KeyEvent(kb.ArrowRight)) },
			"drag": func() {
				x, y := b.middle(`document.querySelector("#drawn .lane")`)
				b.do(
					chromedp.MouseEvent(input.DispatchMouseEventTypeMousePressed, x, y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
					chromedp.MouseEvent(input.DispatchMouseEventTypeMouseMoved, x-200, y, chromedp.ButtonLeft),
					chromedp.MouseEvent(input.DispatchMouseEventTypeMouseReleased, x-200, y, chromedp.ButtonLeft, chromedp.ClickCount(1)),
				)
			},
		} {
			b.do(chromedp.Click(chromedp.CSS("[data-focus]")))
			b.await(fmt.Sprintf("%s === %q", ticks, initial))
			b.Log(name)
			act()
			b.await(fmt.Sprintf("%s !== %q", ticks, initial))
		}
	})

	on("from mark to mark by keys", func(b *tab) {
		forward := chromedp.KeyEvent(kb.ArrowRight, chromedp.KeyModifiers(chromedp.ModifierShift))
		b.do(chromedp.Focus(chromedp.ID("chart")), forward)
		b.await(`document.querySelector("#drawn .mark.selected") && !document.getElementById("panel").hidden`)
		first := get[string](b, `document.querySelector("#drawn .mark.selected").dataset.mark`)
		b.do(forward)
		b.await(fmt.Sprintf(`(document.querySelector("#drawn .mark.selected") || { dataset: { mark: %q } }).dataset.mark !== %q`, first, first))
	})

	on("the table filters", func(b *tab) {
		const shown = `[...document.querySelectorAll("#log tbody tr")].filter((row) => !row.hidden)`
		b.do(chromedp.SendKeys(chromedp.ID("filter"), "create jobs web/build"))
		b.await(shown + `.length === 2`)
		if count := get[string](b, `document.getElementById("count").textContent`); !strings.HasPrefix(count, "2 of ") {
			b.Errorf("the count is %q, want 2", count)
		}
		b.do(chromedp.SendKeys(chromedp.ID("filter"), " #2"))
		b.await(shown + `.length === 1`)
	})

	on("a row brings its mark into view", func(b *tab) {
		get[bool](b, `[...document.querySelectorAll("#log tbody tr")].at(-1).click() || true`)
		b.await(`document.querySelector("#drawn .mark.selected") !== null`)
	})

	on("dark and light", func(b *tab) {
		grounds := map[string]bool{}
		for _, scheme := range []string{"light", "dark"} {
			b.do(chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
				_, err := cdp.Call(ctx, target, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
					Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
				})
				return err
			}))
			b.await(fmt.Sprintf(`matchMedia("(prefers-color-scheme: %s)").matches`, scheme))
			grounds[get[string](b, `getComputedStyle(document.body).backgroundColor`)] = true
		}
		assert.Equal(b, "number of different backgrounds of light and dark", len(grounds), 2)
	})

	t.Run("what comes from a run is not run", func(t *testing.T) {
		run, findings := wickedRun()
		b := open(t, chromium, run, findings)
		get[bool](b, `[...document.querySelectorAll("#log tbody tr")].find((row) => row.textContent.includes("ADDED SequentialJob")).click() || true`)
		b.await(`!document.getElementById("panel").hidden`)
		assert.Equal(t, "the title, which a script in the run tries to set", get[string](b, "document.title"), "A run")
		assert.Equal(t, "number of images on the page", get[int](b, `document.images.length`), 0)
	})

	t.Run("a long run", func(t *testing.T) {
		b := open(t, chromium, longRun(), nil)
		if rows := get[int](b, `document.querySelectorAll("#log tbody tr").length`); rows < 6000 {
			t.Errorf("the table has %d rows, want those of 2,000 requests, changes and events", rows)
		}
		if drawn := get[int](b, `document.querySelectorAll("#drawn .mark").length`); drawn > 5000 {
			t.Errorf("%d marks are drawn at the same time, though most cover each other", drawn)
		}
		b.do(chromedp.Click(chromedp.ID("closer")))
		b.await(ticks + ` !== ""`)
	})
}
