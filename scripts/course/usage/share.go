package usage

import (
	"context"

	"example.com/controller-course/tests/kit/share"
)

// Share chooses one in so many, others with each commit.
func Share[T any](ctx context.Context, all []T, of int) ([]T, error) {
	if of < 1 {
		return nil, Errorf("SHARE=%d: a share is one in so many, 1 or more", of)
	}
	return share.Of(ctx, all, of)
}
