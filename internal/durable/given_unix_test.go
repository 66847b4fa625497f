//go:build unix

package durable_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/tolboy/warden/internal/durable"
)

// A pipe that nobody writes to must not keep us waiting, nor a file without end.
func TestReadGiven(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "file"), []byte("12345"), 0o644))
	must(t, os.Symlink("file", filepath.Join(dir, "link")))
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o644))
	for _, tc := range []struct {
		name  string
		limit int64
		want  error
	}{
		{"file", 5, nil}, {"link", 5, nil}, {"file", 4, durable.ErrTooLarge},
		{"pipe", 5, durable.ErrNotRegular}, {".", 5, durable.ErrNotRegular}, {"absent", 5, os.ErrNotExist},
		{"/dev/zero", 5, durable.ErrNotRegular},
	} {
		path := tc.name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		data, err := durable.ReadGiven(path, tc.limit)
		if !errors.Is(err, tc.want) || tc.want == nil && string(data) != "12345" {
			t.Errorf("%s of at most %d: got %q, %v, want %v", tc.name, tc.limit, data, err, tc.want)
		}
	}
}
