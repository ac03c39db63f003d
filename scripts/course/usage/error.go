// Package usage knows what a user types: which lesson, code and check a command means, what is wrong with
// that, and what to type next.
package usage

import "fmt"

// NotJudged says that nothing failed, but that not everything could be judged.
type NotJudged struct{ error }

// NotJudgedf returns a NotJudged.
func NotJudgedf(format string, args ...any) error { return NotJudged{fmt.Errorf(format, args...)} }

// An Error says that a user can't mean what they typed.
type Error struct{ error }

// Errorf returns an Error.
func Errorf(format string, args ...any) error { return Error{fmt.Errorf(format, args...)} }
