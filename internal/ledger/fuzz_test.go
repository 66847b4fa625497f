package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
)

// FuzzVerify reads arbitrary bytes as a chain. Whatever is accepted must be what
// its own lines would be written as, and be found again by its head.
func FuzzVerify(f *testing.F) {
	dir := f.TempDir()
	r, err := ledger.Create(dir, head("r1"), nil)
	if err != nil {
		f.Fatal(err)
	}
	defer r.Close()
	c := newClock()
	for _, s := range sampleSteps() {
		if _, err := r.Append(s.typ, c.tick(), s.data); err != nil {
			f.Fatal(err)
		}
	}
	whole := mustRead(f, dir)
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(bytes.ReplaceAll(whole, []byte(`"seq":2`), []byte(`"seq": 2`)))
	f.Add([]byte("null\n{}\n[]\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, evidence []byte) {
		writeFile(t, evidence, dir, "r1/evidence.jsonl")
		v, err := ledger.Verify(dir, "r1", "", ledger.VerifyOptions{})
		if err != nil {
			t.Fatal(err)
		}
		h, err := ledger.Read(dir, "r1")
		if err != nil {
			t.Fatal(err)
		}
		if v.OK == (v.First != "") {
			t.Fatalf("ok=%v but first=%q", v.OK, v.First)
		}
		if !v.OK {
			return
		}
		if again := rewrite(t, h.Lines); !bytes.Equal(again, evidence) {
			t.Fatalf("accepted %q, which would be written as %q", evidence, again)
		}
		if h.Head() != v.Head || len(h.Lines) != v.Lines || h.Damaged != "" {
			t.Fatalf("read and verify disagree: %+v, %d lines", v, len(h.Lines))
		}
		if got := headOf(evidence, h.RunSHA); got != v.Head {
			t.Fatalf("head %s, the last line has %s", v.Head, got)
		}
		if len(h.Lines) > 0 {
			mustVerify(t, dir, "r1", v.Head)
		}
	})
}

func rewrite(t *testing.T, lines []ledger.Line) []byte {
	t.Helper()
	var out []byte
	for _, l := range lines {
		b, err := json.Marshal(l)
		if err != nil {
			t.Fatal(err)
		}
		out = append(append(out, b...), '\n')
	}
	return out
}

func headOf(evidence []byte, start string) string {
	lines := bytes.Split(bytes.TrimSuffix(evidence, []byte("\n")), []byte("\n"))
	if len(evidence) == 0 {
		return start
	}
	sum := sha256.Sum256(lines[len(lines)-1])
	return hex.EncodeToString(sum[:])
}

func mustRead(f *testing.F, dir string) []byte {
	f.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "r1/evidence.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	return b
}
