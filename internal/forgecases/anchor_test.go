package forgecases

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
)

// TestDecisionIsAnchored turns a recorded decision round in the ledger of the
// forge, with a chain that fits again. What the pull request says to compare it
// with must find that.
func TestDecisionIsAnchored(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	sealed := w.candidate().Runs[0].LedgerHead
	_, before := w.body()
	w.want(strings.Contains(before, "--against "+sealed) && strings.Contains(before, "no decision"), "before a decision the body says:\n%s", before)
	w.review(mona, forge.Approved, "")
	p := w.act(w.woken())
	decided := p.Runs[0].DecisionHead
	_, body := w.body()
	w.want(p.words() == "accept" && decided != "" && strings.Contains(body, "--against "+decided), "after the accept: %s\n%s", p, body)

	dir, _ := w.published()
	for what, change := range map[string]func(line []byte) []byte{
		"turned round": func(line []byte) []byte {
			return bytes.Replace(line, []byte(`"decision":"accept"`), []byte(`"decision":"reject"`), 1)
		},
		"dropped": func([]byte) []byte { return nil },
	} {
		forged := filepath.Join(t.TempDir(), "forged")
		if err := os.CopyFS(forged, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
		run := filepath.Join(forged, "issue-1-1")
		rechain(t, filepath.Join(run, "evidence.jsonl"), change)
		for _, name := range []string{"decision.json", "report.json", "task-run.json"} {
			if err := os.Remove(filepath.Join(run, name)); err != nil && !os.IsNotExist(err) {
				t.Fatal(err)
			}
		}
		v := w.verified(forged, "issue-1-1", sealed)
		w.want(v.OK && v.Code == "verified_to_anchor", "%s, against the sealed head: %s", what, v.text)
		v = w.verified(forged, "issue-1-1", decided)
		w.want(!v.OK && v.Code == "head_mismatch", "%s, against the head of the decision: %s", what, v.text)
	}
}

// rechain changes the line of the decision and makes every later line continue
// what then stands before it, as whoever can write the ledger could.
func rechain(t *testing.T, file string, change func([]byte) []byte) {
	t.Helper()
	evidence, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var out []byte
	digest := func(line []byte) []byte {
		sum := sha256.Sum256(bytes.TrimSuffix(line, []byte("\n")))
		return []byte(hex.EncodeToString(sum[:]))
	}
	var was, is []byte // the hash of the line before, as it was and as it is
	seq, shift := 0, 0
	for line := range bytes.Lines(evidence) {
		seq++
		old := digest(line)
		if bytes.Contains(line, []byte(`"type":"human_decision"`)) {
			if line = change(line); line == nil {
				was, shift = old, 1
				continue
			}
		}
		if was != nil {
			line = bytes.Replace(line, was, is, 1)
		}
		if shift > 0 {
			line = bytes.Replace(line, number(seq), number(seq-shift), 1)
		}
		was, is = old, digest(line)
		out = append(out, line...)
	}
	if bytes.Equal(out, evidence) {
		t.Fatal("there is no decision in the ledger")
	}
	if err := os.WriteFile(file, out, 0o644); err != nil {
		t.Fatal(err)
	}
}

func number(seq int) []byte { return []byte(`"seq":` + strconv.Itoa(seq) + `,`) }
