package learn

import (
	"os"
	"strconv"
	"strings"
	"time"
)

var programStarted = time.Now()

// commandStarted is when the user's command started: course.sh builds this program first, and says when that started.
// Where the clock of the shell has no fractions of a second, it is this program's own start.
func commandStarted() time.Time {
	seconds, fraction, _ := strings.Cut(os.Getenv("COURSE_STARTED"), ".")
	whole, err := strconv.ParseInt(seconds, 10, 64)
	nanoseconds, fractionErr := strconv.ParseInt(fraction, 10, 64)
	if err != nil || fractionErr != nil {
		return programStarted
	}
	return time.Unix(whole, nanoseconds)
}
