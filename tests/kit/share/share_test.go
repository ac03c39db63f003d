package share

import (
	"context"
	"slices"
	"testing"
)

func TestEachElementIsInTheShareOfSomeCommit(t *testing.T) {
	t.Parallel()
	all := []int{1, 2, 3, 4, 5, 6, 7}
	seen := map[int]bool{}
	for commit := range byte(50) {
		chosen := By([]byte{commit}, all, 3)
		if len(chosen) < 2 || len(chosen) > 3 {
			t.Fatalf("one in 3 of 7 are %v", chosen)
		}
		for _, one := range chosen {
			seen[one] = true
		}
		if again := By([]byte{commit}, all, 3); !slices.Equal(again, chosen) {
			t.Errorf("the same commit chooses %v, and then %v", chosen, again)
		}
	}
	if len(seen) != len(all) {
		t.Errorf("50 commits choose only %v", seen)
	}
	if whole := By(nil, all, 1); !slices.Equal(whole, all) {
		t.Errorf("one in one is %v", whole)
	}
}

func TestAShareOfNone(t *testing.T) {
	t.Parallel()
	if _, err := Of(context.Background(), []int{1}, 0); err == nil {
		t.Error("no error")
	}
}
