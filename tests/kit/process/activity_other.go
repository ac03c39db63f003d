//go:build !linux

package process

func (o *observed) ask() Activity { return Activity{} }
