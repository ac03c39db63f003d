// Package share chooses what is tried of something that takes too long to be tried each time.
package share

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os/exec"

	"example.com/controller-course/tests/kit/repo"
)

// Of chooses one in so many: others with each commit.
func Of[T any](ctx context.Context, all []T, of int) (chosen []T, err error) {
	if of < 1 {
		return nil, fmt.Errorf("a share is one in so many, and %d is less than one", of)
	}
	root, err := repo.Root()
	if err != nil {
		return nil, err
	}
	commit, err := exec.CommandContext(ctx, "git", "-C", root, "rev-parse", "HEAD").Output()
	if err != nil {
		return nil, fmt.Errorf("look which commit this is: %w", err)
	}
	return By(commit, all, of), nil
}

// By chooses one in so many: others with each seed.
func By[T any](seed []byte, all []T, of int) (chosen []T) {
	sum := sha256.Sum256(seed)
	for i := int(binary.BigEndian.Uint32(sum[:])) % of; i < len(all); i += of {
		chosen = append(chosen, all[i])
	}
	return chosen
}
