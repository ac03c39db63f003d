package process

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"sync/atomic"
)

// Ports for controllers are taken in turn from a range of their own, which no system uses for ports that
// it chooses itself. So no other process on this machine gets such a port after it is found to be free and
// before the controller listens on it.
const (
	firstPort = 20000
	portCount = 10000
)

var nextPort atomic.Uint32

func init() { nextPort.Store(rand.Uint32N(portCount)) } // others may run at the same time

func freeAddress() (string, error) {
	var errs []error
	for range 100 {
		port := firstPort + nextPort.Add(1)%portCount
		listener, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", port))
		if err == nil {
			return listener.Addr().String(), listener.Close()
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("find a free port: %w", errors.Join(errs...))
}
