package ledger_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
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
	whole := readFile(f, dir, "r1/evidence.jsonl")
	raw := readFile(f, dir, "r1/run.json")
	f.Add(whole)
	f.Add(whole[:len(whole)/2])
	f.Add(bytes.ReplaceAll(whole, []byte(`"seq":2`), []byte(`"seq": 2`)))
	f.Add([]byte("null\n{}\n[]\n"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, evidence []byte) {
		h, first, tip := ledger.CheckBytes("r1", raw, evidence)
		if first != h.Damaged {
			t.Fatalf("the check says %q, the history %q", first, h.Damaged)
		}
		if first != "" || h.Torn > 0 {
			return
		}
		if again := rewrite(t, h.Lines); !bytes.Equal(again, evidence) {
			t.Fatalf("accepted %q, which would be written as %q", evidence, again)
		}
		if got := headOf(evidence, h.RunSHA); got != tip || h.Head() != tip {
			t.Fatalf("head %s, the last line has %s", tip, got)
		}
		writeFile(t, evidence, dir, "r1/evidence.jsonl")
		against := tip
		if len(h.Lines) == 0 {
			against = ""
		}
		if v := verify(t, dir, "r1", against, ledger.VerifyOptions{}); v.First != "" && !namesFile(h, v.First) || v.Head != tip {
			t.Fatalf("on the disk: %+v", v)
		}
	})
}

// namesFile reports whether what does not fit is a file that an event names: the
// directory of the fuzz test has none.
func namesFile(h ledger.History, first string) bool {
	for _, l := range h.Lines {
		for _, f := range l.Files {
			if strings.HasPrefix(first, f.Path+": ") {
				return true
			}
		}
	}
	return false
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
