package stage

import "time"

// reporting wraps missing. It also reports what is missing to Waiting once the controller has had enough time.
func (s *Stage) reporting(missing func() (string, error)) func() (string, error) {
	if s.Waiting == nil {
		return missing
	}
	const long = 2 * time.Second
	began := s.Log.Now()
	return func() (string, error) {
		what, err := missing()
		if what != "" && s.Had(max(began, s.started, s.LastChange())) > long {
			s.Waiting(what)
		}
		return what, err
	}
}
