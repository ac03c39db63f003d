package assets

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows that something long is going on.
type progress struct {
	out   io.Writer
	every time.Duration // between two lines, where out is no terminal
}

func (p progress) say(format string, args ...any) {
	fmt.Fprintf(p.out, format+"\n", args...)
}

// during runs work, says what it is and how long it usually takes, and shows
// that it is alive.
func (p progress) during(label string, usually time.Duration, work func() error) error {
	start := time.Now()
	stop := p.showAlive(fmt.Sprintf("%s (usually %s)", label, usually), start)
	err := work()
	stop()
	if err == nil {
		p.say("%s: built in %s", label, since(start))
	}
	return err
}

// showAlive says what is going on until stop is called.
func (p progress) showAlive(label string, start time.Time) (stop func()) {
	if file, ok := p.out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return spin(file, label)
	}
	p.say("%s ...", label)
	ticker := time.NewTicker(p.every)
	stopping, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ticker.C:
				p.say("%s: at it for %s", label, since(start))
			case <-stopping:
				return
			}
		}
	}()
	return func() {
		ticker.Stop()
		close(stopping)
		<-stopped
	}
}

func spin(terminal *os.File, label string) (stop func()) {
	spinner := progressbar.NewOptions(-1,
		progressbar.OptionSetWriter(terminal),
		progressbar.OptionSetDescription(label),
		progressbar.OptionSetElapsedTime(true),
		progressbar.OptionSpinnerType(14),
		progressbar.OptionSetRenderBlankState(true),
		progressbar.OptionClearOnFinish())
	return func() { _ = spinner.Finish() }
}

func since(start time.Time) time.Duration { return time.Since(start).Round(time.Second) }
