// Package progress shows that something long is going on.
package progress

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Progress tells somebody what is going on.
type Progress struct {
	Out   io.Writer
	Every time.Duration // between two lines, where Out is no terminal
}

// To returns a Progress for people who watch out.
func To(out io.Writer) Progress { return Progress{Out: out, Every: 15 * time.Second} }

// Say writes a line.
func (p Progress) Say(format string, args ...any) {
	fmt.Fprintf(p.Out, format+"\n", args...)
}

// During runs work, says what it is and how long it usually takes, and shows
// that it is alive.
func (p Progress) During(label string, usually time.Duration, work func() error) error {
	start := time.Now()
	stop := p.ShowAlive(fmt.Sprintf("%s (usually %s)", label, usually), start)
	err := work()
	stop()
	if err == nil {
		p.Say("%s: done in %s", label, since(start))
	}
	return err
}

// ShowAlive says what is going on until stop is called.
func (p Progress) ShowAlive(label string, start time.Time) (stop func()) {
	if file, ok := p.Out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return spin(file, label)
	}
	p.Say("%s ...", label)
	ticker := time.NewTicker(p.Every)
	stopping, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ticker.C:
				p.Say("%s: at it for %s", label, since(start))
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
