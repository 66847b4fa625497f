package ledger_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
)

// ledgerFiles is a finished run of the sample, as bytes.
type ledgerFiles struct {
	dir      string
	head     string
	sealed   string
	evidence []byte
	lines    [][]byte // with line breaks
}

func finished(t *testing.T, id string) ledgerFiles {
	t.Helper()
	dir := t.TempDir()
	r := create(t, dir, id)
	play(t, r, sampleSteps())
	l := ledgerFiles{dir: dir, head: r.Head(), sealed: r.Sealed(), evidence: readFile(t, dir, id, "evidence.jsonl")}
	l.lines = bytes.SplitAfter(bytes.TrimSuffix(l.evidence, []byte("\n")), []byte("\n"))
	l.lines[len(l.lines)-1] = append(slices.Clone(l.lines[len(l.lines)-1]), '\n')
	mustVerify(t, dir, id, l.head)
	return l
}

// detects verifies an altered ledger. A panic, an error and a clean result are
// all failures; want is what may be named as the first thing
// that does not fit.
func (l ledgerFiles) detects(t *testing.T, what string, want ...string) {
	t.Helper()
	v, err := ledger.Verify(l.dir, "r1", l.head, ledger.VerifyOptions{})
	switch {
	case err != nil:
		t.Errorf("%s: %v", what, err)
	case v.OK || v.Anchored || v.First == "":
		t.Errorf("%s: not detected: %+v", what, v)
	case !slices.ContainsFunc(want, func(w string) bool { return strings.HasPrefix(v.First, w+": ") }):
		t.Errorf("%s: named %q, want %q", what, v.First, want)
	}
}

// TestEveryByteOfTheChain flips one bit of each byte.
func TestEveryByteOfTheChain(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	name := filepath.Join(l.dir, "r1/evidence.jsonl")
	line := 1
	for i := range l.evidence {
		b := slices.Clone(l.evidence)
		b[i] ^= 1 << (i % 8)
		writeFile(t, b, name)
		want := []string{fmt.Sprintf("line %d", line)}
		if line == len(l.lines) {
			want = append(want, "head") // only the anchor knows the last line
		}
		l.detects(t, fmt.Sprintf("byte %d of line %d", i, line), want...)
		if l.evidence[i] == '\n' {
			line++
		}
	}
	if line != len(sampleSteps())+1 {
		t.Errorf("went over %d lines", line-1)
	}
	writeFile(t, l.evidence, name)
	mustVerify(t, l.dir, "r1", l.head)
}

func TestEveryByteOfTheHead(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	raw := readFile(t, l.dir, "r1/run.json")
	for i := range raw {
		b := slices.Clone(raw)
		b[i] ^= 1
		writeFile(t, b, l.dir, "r1/run.json")
		l.detects(t, fmt.Sprintf("byte %d", i), "run.json")
	}
}

func TestEveryByteOfEveryFile(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	checked := 0
	for path, content := range files(t, l.dir) {
		rel, _ := filepath.Rel(l.dir, path)
		if rel == "r1/run.json" || rel == "r1/evidence.jsonl" {
			continue
		}
		checked++
		for i := range content {
			b := []byte(content)
			b[i] ^= 1
			writeFile(t, b, path)
			l.detects(t, fmt.Sprintf("byte %d of %s", i, rel), rel)
		}
		writeFile(t, []byte(content+"x"), path)
		l.detects(t, rel+" grown", rel)
		os.Remove(path)
		l.detects(t, rel+" removed", rel)
		os.Symlink("/etc/hostname", path)
		l.detects(t, rel+" a link", rel)
		os.Remove(path)
		writeFile(t, []byte(content), path)
	}
	if checked != 6 {
		t.Errorf("checked %d files, want 6", checked)
	}
	mustVerify(t, l.dir, "r1", l.head)
}

func TestEveryLineMoved(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	n := len(l.lines)
	put := func(lines ...[]byte) { writeFile(t, bytes.Join(lines, nil), l.dir, "r1/evidence.jsonl") }
	for k := range n {
		at := fmt.Sprintf("line %d", k+1)
		put(slices.Concat(l.lines[:k:k], l.lines[k+1:])...)
		if k == n-1 {
			at = "head"
		}
		l.detects(t, fmt.Sprintf("line %d dropped", k+1), at)
		put(slices.Insert(slices.Clone(l.lines), k, l.lines[k])...)
		l.detects(t, fmt.Sprintf("line %d doubled", k+1), fmt.Sprintf("line %d", k+2))
		for j := k + 1; j < n; j++ {
			swapped := slices.Clone(l.lines)
			swapped[k], swapped[j] = swapped[j], swapped[k]
			put(swapped...)
			l.detects(t, fmt.Sprintf("lines %d and %d swapped", k+1, j+1), fmt.Sprintf("line %d", k+1))
		}
		put(l.lines[:k]...)
		l.detects(t, fmt.Sprintf("truncated before line %d", k+1), "head")
		put(append(slices.Clone(l.lines[:k]), l.lines[k][:len(l.lines[k])/2])...)
		l.detects(t, fmt.Sprintf("truncated within line %d", k+1), "head")
	}
}

func TestForeignParts(t *testing.T) {
	t.Parallel()
	l, other := finished(t, "r1"), t.TempDir()
	h := head("r1")
	h.TaskID = "another-task"
	o, err := ledger.Create(other, h, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	play(t, o, sampleSteps())
	foreign := bytes.SplitAfter(readFile(t, other, "r1/evidence.jsonl"), []byte("\n"))
	for k := range l.lines {
		lines := slices.Clone(l.lines)
		lines[k] = foreign[k]
		writeFile(t, bytes.Join(lines, nil), l.dir, "r1/evidence.jsonl")
		l.detects(t, fmt.Sprintf("line %d of another run", k+1), fmt.Sprintf("line %d", k+1))
	}
	writeFile(t, l.evidence, l.dir, "r1/evidence.jsonl")
	raw := readFile(t, l.dir, "r1/run.json")
	writeFile(t, readFile(t, other, "r1/run.json"), l.dir, "r1/run.json")
	l.detects(t, "head of another run", "run.json")
	// The whole chain made again: it fits, and only the anchor tells.
	writeFile(t, readFile(t, other, "r1/evidence.jsonl"), l.dir, "r1/evidence.jsonl")
	l.detects(t, "another chain", "head")
	if v := verify(t, l.dir, "r1", "", ledger.VerifyOptions{}); !v.OK || v.Anchored {
		t.Errorf("without an anchor: %+v", v)
	}
	writeFile(t, raw, l.dir, "r1/run.json")
	writeFile(t, l.evidence, l.dir, "r1/evidence.jsonl")
	if err := os.Rename(filepath.Join(l.dir, "r1"), filepath.Join(l.dir, "r2")); err != nil {
		t.Fatal(err)
	}
	if v := verify(t, l.dir, "r2", l.head, ledger.VerifyOptions{}); v.OK || !strings.HasPrefix(v.First, "run.json: ") {
		t.Errorf("under another name: %+v", v)
	}
}

func TestMissingChain(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	os.Remove(filepath.Join(l.dir, "r1/evidence.jsonl"))
	l.detects(t, "no chain", "evidence.jsonl")
	if _, err := ledger.Open(l.dir, "r1", nil); !errors.Is(err, ledger.ErrAltered) {
		t.Errorf("open: got %v, want ErrAltered", err)
	}
}

func TestOpenRefusesAnAlteredChain(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	b := slices.Clone(l.evidence)
	b[len(l.lines[0])+60] ^= 1
	writeFile(t, b, l.dir, "r1/evidence.jsonl")
	if _, err := ledger.Open(l.dir, "r1", nil); !errors.Is(err, ledger.ErrAltered) {
		t.Errorf("got %v, want ErrAltered", err)
	}
	if !bytes.Equal(readFile(t, l.dir, "r1/evidence.jsonl"), b) {
		t.Error("open changed it")
	}
}
