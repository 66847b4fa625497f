package strict

import (
	"errors"
	"io/fs"
	"testing"
	"testing/fstest"
)

func TestReadFile(t *testing.T) {
	t.Parallel()
	fsys := fstest.MapFS{
		"a":      {Data: []byte("12345")},
		"d/b":    {Data: []byte("x")},
		"pipe":   {Data: []byte("x"), Mode: fs.ModeNamedPipe},
		"device": {Data: []byte("x"), Mode: fs.ModeDevice},
	}
	if got, err := ReadFile(fsys, "a", 5); err != nil || string(got) != "12345" {
		t.Errorf("a file of the allowed size: %q, %v", got, err)
	}
	if got, err := ReadFile(fsys, "a", 4); err == nil || got != nil {
		t.Errorf("a file that is one byte too large: %q, %v", got, err)
	}
	for _, name := range []string{"d", "pipe", "device"} {
		if got, err := ReadFile(fsys, name, 5); err == nil || err.Error() != "open "+name+": not a regular file" {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	if _, err := ReadFile(fsys, "none", 5); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}
