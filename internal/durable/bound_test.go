package durable_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/tolboy/warden/internal/durable"
)

// What is too large by its size is refused without reading up to the bound. It runs
// alone, since it counts what the process allocates.
func TestTooLargeIsNotRead(t *testing.T) {
	dir := t.TempDir()
	huge := filepath.Join(dir, "in", "huge")
	must(t, os.Mkdir(filepath.Dir(huge), 0o700))
	must(t, os.WriteFile(huge, nil, 0o600))
	must(t, os.Truncate(huge, 3<<30))
	d, err := durable.OpenDir(dir)
	must(t, err)
	defer d.Close()
	s, err := durable.OpenShelf(dir)
	must(t, err)
	defer s.Close()
	box, err := s.Box("in")
	must(t, err)
	defer box.Close()
	const limit = 256 << 20
	for name, read := range map[string]func() ([]byte, error){
		"dir":   func() ([]byte, error) { return d.Read("in/huge", limit) },
		"box":   func() ([]byte, error) { return box.Read("huge", limit, nil) },
		"given": func() ([]byte, error) { return durable.ReadGiven(huge, limit) },
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read()
		runtime.ReadMemStats(&after)
		if !errors.Is(err, durable.ErrTooLarge) {
			t.Errorf("%s: got %v, want ErrTooLarge", name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1<<20 {
			t.Errorf("%s: %d bytes were allocated to refuse a file", name, used)
		}
	}
}
