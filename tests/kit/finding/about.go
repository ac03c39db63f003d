package finding

// AboutProgram says that a finding is about the controller as a program, and not about a check's rule.
func (f Finding) AboutProgram() bool {
	switch f.Check {
	case "build", "start", "end", "panic", "watch", "rbac", "flood", "stop", "log":
		return true
	}
	return false
}

// BlocksAll says that no check can judge anything: the controller does not get to work.
func (f Finding) BlocksAll() bool {
	switch f.Check {
	case "start", "watch", "rbac":
		return true
	}
	return false
}
