package scene

// Start starts the controller, or its next instance, and returns when its watches are up.
func (s *Scene) Start() {
	s.populate()
	s.Must(s.StartProcess())
	s.Until(func() string {
		if instance, _, _ := s.Current(); !s.Proxy.UpToDate(instance) {
			return "the watches of your controller are not up to date"
		}
		return ""
	})
}

// Stop asks the controller to end, as its pod is asked.
func (s *Scene) Stop() {
	if trouble := s.StopProcess(); trouble != nil {
		s.End(trouble...)
	}
}

// Live says whether the liveness probe of the controller succeeds. A controller need not have one.
func (s *Scene) Live() bool {
	_, running, _ := s.Current()
	return running.Live(s.Context())
}

// Restart stops the controller and starts it again.
func (s *Scene) Restart() {
	s.Stop()
	s.Start()
}
