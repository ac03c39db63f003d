package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/gofrs/flock"
)

// Ports for controllers are taken in turn from a range of their own, which no system uses for ports that
// it chooses itself. Each process that judges has a block of it to itself. So nobody else on this machine gets such a
// port after it is found to be free and before the controller listens on it.
const (
	firstPort = 20000
	blockSize = 250
	blocks    = 40
)

// portBlock is locked until this process ends.
var portBlock = sync.OnceValues(func() (block, error) {
	var errs []error
	for n := range blocks {
		lock := flock.New(filepath.Join(os.TempDir(), fmt.Sprintf("controller-course-ports-%d.lock", n)))
		locked, err := lock.TryLock()
		if locked {
			return block{firstPort + n*blockSize, lock}, nil
		}
		errs = append(errs, err)
	}
	return block{}, fmt.Errorf("each of the %d blocks of ports is in use, or can't be locked: %w", blocks, errors.Join(errs...))
})

type block struct {
	first int
	lock  *flock.Flock // closing its file would unlock it
}

var nextPort atomic.Uint32

// kept are the addresses that are not given to others, although nobody may listen there at the moment.
var kept sync.Map

// KeptAddress is FreeAddress, and nobody else gets the address until release is called: for a server that is down for a while.
func KeptAddress() (address string, release func(), err error) {
	address, err = FreeAddress()
	if err == nil {
		kept.Store(address, true)
	}
	return address, func() { kept.Delete(address) }, err
}

// FreeAddress returns an address on loopback with a port that nobody else uses.
func FreeAddress() (string, error) {
	ours, err := portBlock()
	if err != nil {
		return "", err
	}
	var errs []error
	for range blockSize {
		address := fmt.Sprint("127.0.0.1:", ours.first+int(nextPort.Add(1)%blockSize))
		if _, is := kept.Load(address); is {
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err == nil {
			return listener.Addr().String(), listener.Close()
		}
		errs = append(errs, err)
	}
	return "", fmt.Errorf("find a free port: %w", errors.Join(errs...))
}
