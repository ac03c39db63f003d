package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"

	"github.com/gofrs/flock"
)

// Ports for controllers and servers are from a range of their own, which no system uses for ports that it chooses itself. Each
// process that judges has blocks of it to itself, one more whenever those that it has are used up.
const (
	firstPort = 20000
	blockSize = 250
	blocks    = 48
)

// ours is what this process has of the range. It locks the file of each of its blocks until it ends.
var ours = struct {
	sync.Mutex
	blocks []block
	next   int          // counts up, so that a port that was released is not the next one
	taken  map[int]bool // by port; whether somebody listens there or not
}{taken: map[int]bool{}}

type block struct {
	first int
	lock  *flock.Flock // closing its file would unlock it
}

// Addresses returns addresses on loopback, each with a port that nobody else gets until release is called. A controller may not
// listen there yet, and a server may be down for a while.
func Addresses(n int) (addresses []string, release func(), err error) {
	ours.Lock()
	defer ours.Unlock()
	var ports []int
	for range n {
		port, err := takePort()
		if err != nil {
			give(ports)
			return nil, nil, fmt.Errorf("find a free port: %w", err)
		}
		ports, addresses = append(ports, port), append(addresses, loopback(port))
	}
	return addresses, func() {
		ours.Lock()
		defer ours.Unlock()
		give(ports)
	}, nil
}

func loopback(port int) string { return fmt.Sprint("127.0.0.1:", port) }

// takePort takes a port of ours that is free.
func takePort() (int, error) {
	for {
		all := len(ours.blocks) * blockSize
		for range all {
			ours.next = (ours.next + 1) % all
			port := ours.blocks[ours.next/blockSize].first + ours.next%blockSize
			if !ours.taken[port] && isFree(port) {
				ours.taken[port] = true
				return port, nil
			}
		}
		more, err := lockBlock()
		if err != nil {
			return 0, err
		}
		ours.blocks = append(ours.blocks, more)
	}
}

// isFree says whether nobody listens on a port of ours. A program that knows nothing of the range may.
func isFree(port int) bool {
	listener, err := net.Listen("tcp", loopback(port))
	return err == nil && listener.Close() == nil
}

func give(ports []int) {
	for _, port := range ports {
		delete(ours.taken, port)
	}
}

// lockBlock locks a block that no process has, this one included.
func lockBlock() (block, error) {
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
}
