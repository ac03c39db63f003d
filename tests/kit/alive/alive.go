// Package alive shows that something that takes long is still running.
package alive

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// A Sign shows a user what is running.
type Sign struct {
	Out   io.Writer
	Every time.Duration // between two lines, unless Out is a terminal
}

// To returns a Sign for users who read out.
func To(out io.Writer) Sign { return Sign{Out: out, Every: 15 * time.Second} }

// Say writes a line.
func (s Sign) Say(format string, args ...any) {
	fmt.Fprintf(s.Out, format+"\n", args...)
}

// During runs work, says what it is and how long it usually takes, and shows that it is still running.
func (s Sign) During(label string, usually time.Duration, work func() error) error {
	start := time.Now()
	stop := s.ShowAlive(fmt.Sprintf("%s (usually %s)", label, usually), start)
	err := work()
	stop()
	if err == nil {
		s.Say("%s: done in %s", label, since(start))
	}
	return err
}

// ShowAlive shows that something is running until stop is called.
func (s Sign) ShowAlive(label string, start time.Time) (stop func()) {
	if file, ok := s.Out.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
		return spin(file, label)
	}
	s.Say("%s ...", label)
	ticker := time.NewTicker(s.Every)
	stopping, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-ticker.C:
				s.Say("%s: at it for %s", label, since(start))
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
