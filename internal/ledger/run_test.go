package ledger_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	t.Run("CO-15 run id used twice", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		play(t, create(t, dir, "r1"), sampleSteps())
		before := files(t, dir)
		other := head("r1")
		other.TaskID = "something-else"
		if _, err := ledger.Create(dir, other, nil); !errors.Is(err, ledger.ErrExists) {
			t.Fatalf("got %v, want ErrExists", err)
		}
		if diff := cmp.Diff(before, files(t, dir)); diff != "" {
			t.Errorf("old evidence changed:\n%s", diff)
		}
	})
	t.Run("CO-15 many at once", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		var wg sync.WaitGroup
		won := make(chan string, 16)
		for range 16 {
			wg.Go(func() {
				r, err := ledger.Create(dir, head("r1"), nil)
				switch {
				case err == nil:
					won <- r.Head()
					r.Close()
				case !errors.Is(err, ledger.ErrExists):
					t.Errorf("loser got %v, want ErrExists", err)
				}
			})
		}
		wg.Wait()
		if len(won) != 1 {
			t.Errorf("%d winners", len(won))
		}
	})
	t.Run("a directory with a narration log only is free", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "r1"), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, []byte("words"), dir, "r1", "narration.log")
		create(t, dir, "r1")
	})
	t.Run("a directory with anything else is taken", func(t *testing.T) {
		t.Parallel()
		for _, name := range []string{"r1/decision.json", "r1--gates-0/machine-gate.json", "r1/evidence.jsonl"} {
			dir := t.TempDir()
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
				t.Fatal(err)
			}
			writeFile(t, []byte("{}"), dir, name)
			if _, err := ledger.Create(dir, head("r1"), nil); !errors.Is(err, ledger.ErrExists) {
				t.Errorf("%s: got %v, want ErrExists", name, err)
			}
		}
	})
	t.Run("SE-05 run id as a path", func(t *testing.T) {
		t.Parallel()
		dir := filepath.Join(t.TempDir(), "runs")
		for _, id := range []string{"", ".", "..", "../escape", "a/b", `a\b`, "/abs", "-x", ".x", "a..b", "a--b", "a.lock", "a.", "a b", "a\x00b", "ü", strings.Repeat("a", 61)} {
			_, err := ledger.Create(dir, head(id), nil)
			_, openErr := ledger.Open(dir, id, nil)
			_, readErr := ledger.Read(dir, id)
			_, verifyErr := ledger.Verify(dir, id, "", ledger.VerifyOptions{})
			for _, err := range []error{err, openErr, readErr, verifyErr} {
				if !errors.Is(err, ledger.ErrUnsafeRunID) {
					t.Errorf("%q: got %v, want ErrUnsafeRunID", id, err)
				}
			}
		}
		if _, err := os.Stat(dir); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("something was created: %v", err)
		}
	})
}

func TestUnknownRun(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		if _, err := ledger.Open(dir, "r1", nil); !errors.Is(err, ledger.ErrUnknownRun) {
			t.Errorf("open: got %v, want ErrUnknownRun", err)
		}
		if _, err := ledger.Read(dir, "r1"); !errors.Is(err, ledger.ErrUnknownRun) {
			t.Errorf("read: got %v, want ErrUnknownRun", err)
		}
	}
}

func TestChainGoesOnAfterOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	steps := sampleSteps()
	r := create(t, dir, "r1")
	play(t, r, steps[:4])
	at := r.Head()
	r.Close()
	again, err := ledger.Open(dir, "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if again.Head() != at || again.Seq() != 4 || again.Sealed() != "" {
		t.Fatalf("head %s seq %d sealed %q", again.Head(), again.Seq(), again.Sealed())
	}
	play(t, again, steps[4:])
	v := mustVerify(t, dir, "r1", again.Head())
	if v.Sealed != again.Sealed() || v.Sealed == "" || v.Lines != len(steps) || v.Files != 6 {
		t.Errorf("got %+v", v)
	}
	mustVerify(t, dir, "r1", v.Sealed)
	h, err := ledger.Read(dir, "r1")
	if err != nil || !h.Complete() || h.Head() != again.Head() {
		t.Errorf("history: %v complete=%v", err, h.Complete())
	}
	if diff := cmp.Diff(again.History(), h, cmp.Comparer(sameAmount)); diff != "" {
		t.Errorf("history in memory and on disk differ:\n%s", diff)
	}
}

func TestPayloadsDecodeBack(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := create(t, dir, "r1")
	play(t, r, sampleSteps())
	for i, l := range r.History().Lines {
		got, err := l.Payload()
		if err != nil {
			t.Fatal(err)
		}
		want := sampleSteps()[i].data
		if diff := cmp.Diff(want, deref(got), cmp.Comparer(sameAmount)); diff != "" {
			t.Errorf("line %d:\n%s", l.Seq, diff)
		}
	}
}

func TestSeal(t *testing.T) {
	t.Parallel()
	for _, typ := range []string{ledger.TypeReadyForHuman, ledger.TypeStopped} {
		r := create(t, t.TempDir(), "r1")
		c := newClock()
		line := appendStep(t, r, c, step{typ: typ, data: ledger.Ending{Code: outcome.GatesNotSatisfied, NextAction: "human_escalation"}})
		if r.Sealed() != line.SHA256 {
			t.Errorf("sealed %q, want %q", r.Sealed(), line.SHA256)
		}
		for _, s := range sampleSteps() {
			_, err := r.Append(s.typ, c.tick(), s.data)
			after := s.typ == ledger.TypeIntent || s.typ == ledger.TypeDone || s.typ == ledger.TypeHumanDecision
			if after && err != nil || !after && !errors.Is(err, ledger.ErrSealed) {
				t.Errorf("%s after %s: %v", s.typ, typ, err)
			}
		}
		if r.Sealed() != line.SHA256 {
			t.Error("the sealed head moved")
		}
	}
}

func TestAppendRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := create(t, dir, "r1")
	f, err := r.WriteFile("r1--gates-0/machine-gate.json", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	changed := f
	changed.SHA256 = strings.Repeat("0", 64)
	for name, tc := range map[string]struct {
		typ  string
		data any
		file ledger.File
	}{
		"a type of nobody":       {"made_up", ledger.Note{}, f},
		"data of another type":   {ledger.TypeNote, ledger.GateRun{Label: "gates"}, f},
		"no file":                {ledger.TypeNote, ledger.Note{}, ledger.File{}},
		"a file that is missing": {ledger.TypeNote, ledger.Note{}, ledger.File{Path: "r1/nothing.json"}},
		"a file outside":         {ledger.TypeNote, ledger.Note{}, ledger.File{Path: "r2/x.json"}},
		"another hash":           {ledger.TypeNote, ledger.Note{}, changed},
	} {
		if _, err := r.Append(tc.typ, time.Now(), tc.data, tc.file); err == nil {
			t.Errorf("%s: went through", name)
		}
	}
	if r.Seq() != 0 || r.Head() == "" {
		t.Errorf("a refused event left something: %d lines", r.Seq())
	}
	if _, err := r.Append(ledger.TypeNote, time.Now(), ledger.Note{}, f); err != nil {
		t.Errorf("the good one: %v", err)
	}
	mustVerify(t, dir, "r1", r.Head())
}

// TestAlterationUnderTheWriter changes the files below an open run, as a child
// process without confinement could.
func TestAlterationUnderTheWriter(t *testing.T) {
	t.Parallel()
	for name, alter := range map[string]func(t *testing.T, dir string){
		"a line added": func(t *testing.T, dir string) {
			b := readFile(t, dir, "r1/evidence.jsonl")
			writeFile(t, append(b, b[:strings.Index(string(b), "\n")+1]...), dir, "r1/evidence.jsonl")
		},
		"the last line changed": func(t *testing.T, dir string) {
			b := readFile(t, dir, "r1/evidence.jsonl")
			b[len(b)-20] ^= 1
			writeFile(t, b, dir, "r1/evidence.jsonl")
		},
		"cut short":    func(t *testing.T, dir string) { writeFile(t, nil, dir, "r1/evidence.jsonl") },
		"head changed": func(t *testing.T, dir string) { writeFile(t, []byte("{}"), dir, "r1/run.json") },
		"removed":      func(t *testing.T, dir string) { os.Remove(filepath.Join(dir, "r1/evidence.jsonl")) },
		"a link": func(t *testing.T, dir string) {
			b := readFile(t, dir, "r1/evidence.jsonl")
			writeFile(t, b, dir, "elsewhere")
			os.Remove(filepath.Join(dir, "r1/evidence.jsonl"))
			os.Symlink("../elsewhere", filepath.Join(dir, "r1/evidence.jsonl"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			r := create(t, dir, "r1")
			play(t, r, sampleSteps()[:3])
			alter(t, dir)
			if _, err := r.Append(ledger.TypeNote, time.Now(), ledger.Note{Text: "x"}); !errors.Is(err, ledger.ErrAltered) {
				t.Errorf("got %v, want ErrAltered", err)
			}
		})
	}
	t.Run("an early line is noticed at the seal", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		r := create(t, dir, "r1")
		play(t, r, sampleSteps()[:7])
		b := readFile(t, dir, "r1/evidence.jsonl")
		b[40] ^= 1
		writeFile(t, b, dir, "r1/evidence.jsonl")
		if _, err := r.Append(ledger.TypeStopped, time.Now(), ledger.Ending{}); !errors.Is(err, ledger.ErrAltered) {
			t.Errorf("got %v, want ErrAltered", err)
		}
	})
}
