package vendor

import (
	"os"
	"testing"

	"github.com/tolboy/warden/internal/launcher"
)

// TestMain lets the test binary be the launcher of its own sandboxes.
func TestMain(m *testing.M) {
	if status, own := launcher.Run(os.Args[1:], os.Stderr); own {
		os.Exit(status)
	}
	m.Run()
}
