package forgecases

import (
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
	"time"
)

// chance returns a source of chance whose seed is told, and taken from
// WARDEN_TEST_SEED when that is set.
func chance(t *testing.T) *rand.Rand {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	if s, err := strconv.ParseUint(os.Getenv("WARDEN_TEST_SEED"), 10, 64); err == nil {
		seed = s
	}
	t.Logf("WARDEN_TEST_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// newDice is chance again, from a seed that was drawn.
func newDice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func all() bool { return os.Getenv("WARDEN_TEST_ALL") == "1" }
