package durable_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tolboy/warden/internal/durable"
)

func open(t *testing.T) (*durable.Dir, string) {
	t.Helper()
	path := t.TempDir()
	d, err := durable.OpenDir(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d, path
}

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return strings.Join(out, " ")
}

func TestCreateIsExclusive(t *testing.T) {
	t.Parallel()
	d, path := open(t)
	if err := d.Create("a", []byte("one")); err != nil {
		t.Fatal(err)
	}
	if err := d.Create("a", []byte("two")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("second create: got %v, want fs.ErrExist", err)
	}
	if got, err := d.Read("a", 10); err != nil || string(got) != "one" {
		t.Errorf("got %q, %v", got, err)
	}
	if got := names(t, path); got != "a" {
		t.Errorf("left behind: %s", got)
	}
}

func TestCreateHasOneWinner(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	var wg sync.WaitGroup
	won := make(chan int, 20)
	for i := range 20 {
		wg.Go(func() {
			if d.Create("a", fmt.Appendf(nil, "%d", i)) == nil {
				won <- i
			}
		})
	}
	wg.Wait()
	if len(won) != 1 {
		t.Fatalf("%d winners, want 1", len(won))
	}
	if got, _ := d.Read("a", 10); string(got) != fmt.Sprint(<-won) {
		t.Errorf("the file is not the winner's: %q", got)
	}
}

func TestReplaceLeavesOneFile(t *testing.T) {
	t.Parallel()
	_, path := open(t)
	name := filepath.Join(path, "a")
	for _, text := range []string{"one", "two"} {
		if err := durable.WriteFile(name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(name); string(got) != "two" {
		t.Errorf("got %q", got)
	}
	if got := names(t, path); got != "a" {
		t.Errorf("left behind: %s", got)
	}
}

func TestLinksAreNotFollowed(t *testing.T) {
	t.Parallel()
	d, path := open(t)
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("keep"), 0o644); err != nil {
		t.Fatal(err)
	}
	must(t, os.WriteFile(filepath.Join(path, "real"), []byte("keep"), 0o644))
	must(t, os.Mkdir(filepath.Join(path, "dir"), 0o755))
	must(t, os.Symlink(outside, filepath.Join(path, "out")))
	must(t, os.Symlink("real", filepath.Join(path, "in")))
	must(t, os.Symlink("dir", filepath.Join(path, "sub")))
	must(t, os.Symlink("nowhere", filepath.Join(path, "dangling")))
	for _, link := range []string{"out", "in", "dangling"} {
		if err := d.Append(link, []byte("x"), nil); err == nil {
			t.Errorf("append to %q went through", link)
		}
		if _, err := d.Read(link, 10); err == nil {
			t.Errorf("read of %q went through", link)
		}
		if err := d.Create(link, []byte("x")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("create %q: %v", link, err)
		}
		if _, err := d.Lock(t.Context(), link); err == nil {
			t.Errorf("lock of %q went through", link)
		}
	}
	for _, write := range []func(string, []byte) error{d.Create, d.Replace} {
		if err := write("sub/new", []byte("x")); !errors.Is(err, durable.ErrLink) {
			t.Errorf("write below a link: got %v, want ErrLink", err)
		}
		if err := write("../new", []byte("x")); err == nil {
			t.Error("write outside went through")
		}
	}
	if err := d.Mkdir("sub/deeper"); !errors.Is(err, durable.ErrLink) {
		t.Errorf("directory below a link: got %v, want ErrLink", err)
	}
	must(t, d.Replace("out", []byte("new")))
	for _, name := range []string{outside, filepath.Join(path, "real")} {
		if got, _ := os.ReadFile(name); string(got) != "keep" {
			t.Errorf("%s became %q", name, got)
		}
	}
}

func TestDirIsNoLink(t *testing.T) {
	t.Parallel()
	path := t.TempDir()
	must(t, os.Mkdir(filepath.Join(path, "away"), 0o755))
	for link, target := range map[string]string{"runs": "away", "dangling": "nowhere"} {
		must(t, os.Symlink(target, filepath.Join(path, link)))
		for name, open := range map[string]func(string) (*durable.Dir, error){"open": durable.OpenDir, "make": durable.MakeDir} {
			if _, err := open(filepath.Join(path, link)); !errors.Is(err, durable.ErrLink) {
				t.Errorf("%s %s: got %v, want ErrLink", name, link, err)
			}
		}
	}
	if got := names(t, path); got != "away dangling runs" {
		t.Errorf("left behind: %s", got)
	}
}

func TestClaimHasOneWinner(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	must(t, d.Claim("a"))
	if err := d.Claim("a"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("got %v, want fs.ErrExist", err)
	}
}

func TestAppend(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	must(t, d.Create("a", []byte("one\n")))
	var seen int64
	must(t, d.Append("a", []byte("two\n"), func(_ io.ReaderAt, size int64) error { seen = size; return nil }))
	if seen != 4 {
		t.Errorf("check saw %d bytes, want 4", seen)
	}
	refusal := errors.New("no")
	if err := d.Append("a", []byte("three\n"), func(io.ReaderAt, int64) error { return refusal }); !errors.Is(err, refusal) {
		t.Errorf("got %v, want the refusal", err)
	}
	if got, _ := d.Read("a", 100); string(got) != "one\ntwo\n" {
		t.Errorf("got %q", got)
	}
	if err := d.Append("missing", []byte("x"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("append to a file that is not there: %v", err)
	}
}

func TestAppendersTakeTurns(t *testing.T) {
	t.Parallel()
	d, path := open(t)
	must(t, d.Create("a", nil))
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			mine, err := durable.OpenDir(path)
			if err != nil {
				t.Error(err)
				return
			}
			defer mine.Close()
			for range 10 {
				if err := mine.Append("a", bytes.Repeat([]byte{byte('a' + i)}, 5), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	got, err := d.Read("a", 1000)
	if err != nil || len(got) != 400 {
		t.Fatalf("got %d bytes, %v", len(got), err)
	}
	for i := 0; i < len(got); i += 5 {
		if !bytes.Equal(got[i:i+5], bytes.Repeat(got[i:i+1], 5)) {
			t.Fatalf("torn record %q", got[i:i+5])
		}
	}
}

func TestLockExcludesAndGivesUp(t *testing.T) {
	t.Parallel()
	_, path := open(t)
	name := filepath.Join(path, "lock")
	unlock, err := durable.Lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := durable.Lock(gone, name); !errors.Is(err, context.Canceled) {
		t.Errorf("second holder: got %v, want context.Canceled", err)
	}
	must(t, unlock())
	again, err := durable.Lock(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	must(t, again())
}

func TestLockWaits(t *testing.T) {
	t.Parallel()
	_, path := open(t)
	lock, counter := filepath.Join(path, "lock"), filepath.Join(path, "counter")
	must(t, os.WriteFile(counter, nil, 0o644))
	var wg sync.WaitGroup
	for range 30 {
		wg.Go(func() {
			unlock, err := durable.Lock(t.Context(), lock)
			if err != nil {
				t.Error(err)
				return
			}
			text, err := os.ReadFile(counter)
			err = errors.Join(err, os.WriteFile(counter, append(text, 'x'), 0o644), unlock())
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got, _ := os.ReadFile(counter); len(got) != 30 {
		t.Errorf("%d of 30 turns were counted: two held the lock at once", len(got))
	}
}

func TestReadIsBounded(t *testing.T) {
	t.Parallel()
	d, _ := open(t)
	must(t, d.Create("a", []byte("12345")))
	if _, err := d.Read("a", 4); !errors.Is(err, durable.ErrTooLarge) {
		t.Errorf("got %v, want ErrTooLarge", err)
	}
	must(t, d.Mkdir("dir"))
	if _, err := d.Read("dir", 4); !errors.Is(err, durable.ErrNotRegular) {
		t.Errorf("got %v, want ErrNotRegular", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestBox(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	if err := os.MkdirAll(filepath.Join(base, "in", "deep"), 0o755); err != nil {
		t.Fatal(err)
	}
	full := strings.Repeat("content ", 2000)
	for _, err := range []error{
		os.WriteFile(filepath.Join(base, "in", "f"), []byte(full), 0o644), os.WriteFile(filepath.Join(base, "in", "empty"), nil, 0o644),
		os.Symlink("in", filepath.Join(base, "link")), os.Symlink("f", filepath.Join(base, "in", "link")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := durable.OpenShelf(base)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for name, want := range map[string]error{"link": durable.ErrLink, "none": fs.ErrNotExist, "in/deep": fs.ErrInvalid, ".": fs.ErrInvalid, "..": fs.ErrInvalid} {
		if _, err := s.Box(name); !errors.Is(err, want) {
			t.Errorf("box %q: %v, want %v", name, err, want)
		}
	}
	box, err := s.Box("in")
	if err != nil {
		t.Fatal(err)
	}
	defer box.Close()
	for name, want := range map[string]error{"link": durable.ErrLink, "none": fs.ErrNotExist, "deep": durable.ErrNotRegular, "../in/f": fs.ErrInvalid, "deep/x": fs.ErrInvalid} {
		if data, err := box.Read(name, 1<<20, nil); !errors.Is(err, want) {
			t.Errorf("read %q: %q, %v, want %v", name, data, err, want)
		}
	}
	room := make([]byte, 10, 100)
	for limit, want := range map[int64]error{int64(len(full)): nil, int64(len(full)) - 1: durable.ErrTooLarge, 0: durable.ErrTooLarge} {
		data, err := box.Read("f", limit, room)
		if !errors.Is(err, want) || want == nil && string(data) != full {
			t.Errorf("read %d bytes of at most %d: %v, want %v", len(data), limit, err, want)
		}
	}
	if data, err := box.Read("empty", 0, room); err != nil || len(data) != 0 {
		t.Errorf("an empty file: %q, %v", data, err)
	}
}

func TestSub(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	for _, dir := range []string{"in/deep", "other"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(os.WriteFile(filepath.Join(base, "in", "f"), []byte("content"), 0o644), os.Symlink("other", filepath.Join(base, "link"))); err != nil {
		t.Fatal(err)
	}
	d, err := durable.OpenDir(base)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	sub, err := d.Sub("in")
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if data, err := sub.Read("f", 7); err != nil || string(data) != "content" {
		t.Errorf("read %q: %v", data, err)
	}
	if _, err := sub.Read("f", 6); !errors.Is(err, durable.ErrTooLarge) {
		t.Errorf("a file over the limit: %v", err)
	}
	for name, want := range map[string]error{"link": durable.ErrLink, "none": fs.ErrNotExist, "in/deep": fs.ErrInvalid} {
		if _, err := d.Sub(name); !errors.Is(err, want) {
			t.Errorf("sub %q: %v, want %v", name, err, want)
		}
	}
	if _, err := d.Sub("in/f"); err == nil {
		t.Error("a file was opened as a directory")
	}
}
