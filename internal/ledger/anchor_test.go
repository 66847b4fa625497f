package ledger_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
)

// voided is a run whose accept no longer holds, with something behind it.
func voided(t *testing.T) (dir string, h ledger.History) {
	t.Helper()
	dir = t.TempDir()
	r := create(t, dir, "r1")
	play(t, r, append(sampleSteps(),
		step{typ: ledger.TypeDecisionVoid, data: ledger.DecisionVoid{Decision: "accept", LineSHA256: "aa", Reason: "head_moved"}},
		step{typ: ledger.TypeIntent, data: ledger.Intent{Key: "status:r1:2", Purpose: "status_comment"}}))
	return dir, r.History()
}

// TestAnchorSaysHowFarItReaches verifies against every line from the seal on.
func TestAnchorSaysHowFarItReaches(t *testing.T) {
	t.Parallel()
	dir, h := voided(t)
	sealed, _ := h.Sealed()
	last := h.Lines[len(h.Lines)-2]
	if h.DecisionHead() != last.SHA256 {
		t.Fatalf("the decision's head is %q, not that of line %d", h.DecisionHead(), last.Seq)
	}
	for _, l := range h.Lines[sealed.Seq-1:] {
		want := ledger.CodeVerifiedToAnchor
		if l.Seq >= last.Seq {
			want = ledger.CodeVerified
		}
		v := verify(t, dir, "r1", l.SHA256, ledger.VerifyOptions{})
		if !v.OK || !v.Anchored || v.Code != want || v.AnchoredLines != l.Seq || v.UnanchoredLines != len(h.Lines)-l.Seq || v.DecisionHead != last.SHA256 {
			t.Errorf("anchored at line %d: %+v, want code %q", l.Seq, v, want)
		}
	}
	if v := verify(t, dir, "r1", "", ledger.VerifyOptions{}); v.AnchoredLines != 0 || v.UnanchoredLines != len(h.Lines) {
		t.Errorf("without an anchor: %+v", v)
	}
	if v := verify(t, dir, "r1", h.RunSHA, ledger.VerifyOptions{}); v.OK || v.AnchoredLines != 0 || v.UnanchoredLines != len(h.Lines) {
		t.Errorf("with an anchor of something else: %+v", v)
	}
}

// TestUnsealedIsNotVerified verifies a run after each of its lines.
func TestUnsealedIsNotVerified(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, c := create(t, dir, "r1"), newClock()
	for _, s := range sampleSteps() {
		l := appendStep(t, r, c, s)
		for _, against := range []string{"", l.SHA256} {
			v := verify(t, dir, "r1", against, ledger.VerifyOptions{})
			if unsealed := r.Sealed() == ""; !v.OK || (v.Code == ledger.CodeUnsealed) != unsealed {
				t.Errorf("after line %d, against %q: %+v", l.Seq, against, v)
			}
		}
	}
}

// TestAnchorBeforeTheDecisionDoesNotVouchForIt changes what lies behind the sealed
// head. That anchor cannot see it and must not look as if it did; the head of the
// decision sees it.
func TestAnchorBeforeTheDecisionDoesNotVouchForIt(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func([][]byte) [][]byte{
		"untouched": func(lines [][]byte) [][]byte { return lines },
		"flipped": func(lines [][]byte) [][]byte {
			last := len(lines) - 1
			lines[last] = bytes.Replace(lines[last], []byte(`"decision":"accept"`), []byte(`"decision":"reject"`), 1)
			return lines
		},
		"dropped": func(lines [][]byte) [][]byte { return lines[:len(lines)-1] },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := finished(t, "r1")
			evidence := slices.Concat(change(slices.Clone(l.lines))...)
			if touched := !bytes.Equal(evidence, l.evidence); touched != (name != "untouched") {
				t.Fatal("the change did not change what it should")
			}
			writeFile(t, evidence, l.dir, "r1/evidence.jsonl")
			v := verify(t, l.dir, "r1", l.sealed, ledger.VerifyOptions{})
			if v.Code != ledger.CodeVerifiedToAnchor || v.AnchoredLines != 8 || v.UnanchoredLines != v.Lines-8 {
				t.Errorf("against the sealed head: %+v", v)
			}
			v = verify(t, l.dir, "r1", l.head, ledger.VerifyOptions{})
			if whole := name == "untouched"; v.OK != whole || v.Anchored != whole || (v.Code == ledger.CodeVerified) != whole {
				t.Errorf("against the head of the decision: %+v", v)
			}
		})
	}
}
