package cluster

import (
	"fmt"
	"os"
	"strings"
)

// EndedError reports that a component has ended although nothing stopped it.
type EndedError struct {
	Component string
	Status    int
	logTail   string
}

func (e *EndedError) Error() string {
	return fmt.Sprintf("%s ended by itself with exit status %d; %s", e.Component, e.Status, e.logTail)
}

// onEnd takes the cluster down when one of its programs has ended. It has no effect on a cluster that is being stopped.
func (c *Cluster) onEnd(name string, status int) {
	c.log.Printf("%s ended with exit status %d", name, status)
	c.cancel(&EndedError{Component: name, Status: status, logTail: c.logTail(name)})
}

// logTail names the log of a component and quotes its last lines.
func (c *Cluster) logTail(name string) string {
	const lines = 10
	path := c.logPath(name)
	data, err := os.ReadFile(path)
	if err != nil {
		return fmt.Sprintf("its log could not be read: %v", err)
	}
	all := strings.Split(strings.TrimSpace(string(data)), "\n")
	return fmt.Sprintf("the end of %s:\n%s", path, strings.Join(all[max(0, len(all)-lines):], "\n"))
}
