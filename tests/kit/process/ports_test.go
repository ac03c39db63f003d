package process_test

import (
	"net"
	"testing"

	"example.com/controller-course/tests/kit/process"
)

// A controller may need a while until it listens. Meanwhile others ask for addresses, more than a block has.
func TestNoAddressIsGivenTwiceUntilItIsReleased(t *testing.T) {
	const many = 600
	seen := map[string]bool{}
	for range many {
		addresses, release, err := process.Addresses(2)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(release)
		for _, address := range addresses {
			if seen[address] {
				t.Fatalf("%s was given twice", address)
			}
			seen[address] = true
		}
	}
}

func TestAnAddressWhereSomebodyListensIsNotGiven(t *testing.T) {
	addresses, release, err := process.Addresses(1)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", addresses[0])
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	release()
	const more = 2000 // than all blocks so far have
	for range more {
		others, release, err := process.Addresses(1)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(release)
		if others[0] == addresses[0] {
			t.Fatalf("somebody listens at %s, and it was given", addresses[0])
		}
	}
}
