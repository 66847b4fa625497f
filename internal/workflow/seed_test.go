package workflow_test

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// seed is of the clock, or WARDEN_TEST_SEED where that is set, and is printed.
func seed(t *testing.T) uint64 {
	t.Helper()
	s := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv("WARDEN_TEST_SEED"), 10, 64); err == nil {
		s = given
	}
	t.Logf("WARDEN_TEST_SEED=%d", s)
	return s
}
