package ledger_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/ledger"
)

func TestAnchorIsTheSealOrLater(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	h, err := ledger.Read(l.dir, "r1")
	if err != nil {
		t.Fatal(err)
	}
	sealed, ok := h.Sealed()
	if !ok || sealed.SHA256 != l.sealed {
		t.Fatalf("sealed %q, want %q", sealed.SHA256, l.sealed)
	}
	for _, line := range h.Lines {
		v := verify(t, l.dir, "r1", line.SHA256, ledger.VerifyOptions{})
		if want := line.Seq >= sealed.Seq; v.OK != want || v.Anchored != want {
			t.Errorf("anchored at line %d, sealed at %d: %+v", line.Seq, sealed.Seq, v)
		}
	}
	for _, foreign := range []string{h.RunSHA, strings.Repeat("0", 64), "x"} {
		if v := verify(t, l.dir, "r1", foreign, ledger.VerifyOptions{}); v.OK || v.Code != ledger.CodeHeadMismatch {
			t.Errorf("anchored at %q: %+v", foreign, v)
		}
	}
}

func TestAnchorBindsWhatItWasKeptFor(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	c := candidate()
	good := ledger.Expect{Repo: "Octo/Shop", Issue: 7, PullRequest: 8, Commit: c.Commit, Fingerprint: c.Fingerprint}
	if v := verify(t, l.dir, "r1", l.head, ledger.VerifyOptions{Expect: good}); !v.OK {
		t.Fatalf("%+v", v)
	}
	for _, change := range []func(*ledger.Expect){
		func(e *ledger.Expect) { e.Repo = "octo/other" },
		func(e *ledger.Expect) { e.Issue = 8 },
		func(e *ledger.Expect) { e.PullRequest = 9 },
		func(e *ledger.Expect) { e.Commit = strings.Repeat("3", 40) },
		func(e *ledger.Expect) { e.Fingerprint = "beef" },
	} {
		other := good
		change(&other)
		v := verify(t, l.dir, "r1", l.head, ledger.VerifyOptions{Expect: other})
		if v.OK || v.Anchored || v.Code != ledger.CodeBindingMismatch || v.First == "" {
			t.Errorf("%+v accepted: %+v", other, v)
		}
	}
}

func TestPublishedLedger(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	private := []string{"r1--implementer-0/raw/implementer.stdout.txt", "r1--implementer-0/prompts/implementer.md", "r1/context/fix-1-gates.md"}
	for _, name := range private {
		if err := os.Remove(filepath.Join(l.dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	v := verify(t, l.dir, "r1", l.head, ledger.VerifyOptions{Published: true})
	slices.Sort(private)
	slices.Sort(v.Withheld)
	if !v.OK || !v.Anchored || !slices.Equal(v.Withheld, private) || v.Files != 3 {
		t.Errorf("%+v", v)
	}
	if v := verify(t, l.dir, "r1", l.head, ledger.VerifyOptions{}); v.OK {
		t.Errorf("the private ledger lacks files and verifies: %+v", v)
	}
	gate := "r1--gates-0/machine-gate.json"
	os.Remove(filepath.Join(l.dir, gate))
	if v := verify(t, l.dir, "r1", l.head, ledger.VerifyOptions{Published: true}); v.OK || !strings.HasPrefix(v.First, gate+": ") {
		t.Errorf("a public file is missing: %+v", v)
	}
}

func TestWithheldFileThatIsThereIsChecked(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	name := "r1--implementer-0/prompts/implementer.md"
	writeFile(t, []byte("do nothing"), l.dir, name)
	if v := verify(t, l.dir, "r1", l.head, ledger.VerifyOptions{Published: true}); v.OK || !strings.HasPrefix(v.First, name+": ") {
		t.Errorf("%+v", v)
	}
}

func TestExtraFilesAreReported(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	want := []string{"r1/stray.txt", "r1--gates-0/more.json", "r1--ghost-0/deep/x"}
	for _, name := range want {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(l.dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		writeFile(t, []byte("x"), l.dir, name)
	}
	for _, known := range []string{"task-run.json", "report.json", "decision.json", "decision.json.lock", "narration.log"} {
		writeFile(t, []byte("x"), l.dir, "r1", known)
	}
	if v := verify(t, l.dir, "r1", l.head, ledger.VerifyOptions{}); !v.OK || cmp.Diff(want, v.Extra) != "" {
		t.Errorf("extra %v, want %v (%+v)", v.Extra, want, v)
	}
}

func TestProjectionsAreComputedAgain(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	opt := ledger.VerifyOptions{Projections: map[string]ledger.Projection{
		"report.json": func(h ledger.History) ([]byte, error) {
			if len(h.Lines) == 0 {
				return nil, errors.New("nothing to say")
			}
			return json.Marshal(h.Head())
		},
	}}
	if v := verify(t, l.dir, "r1", l.head, opt); !v.OK {
		t.Errorf("a summary that was not written: %+v", v)
	}
	h, err := ledger.Read(l.dir, "r1")
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range h.Lines {
		writeFile(t, fmt.Appendf(nil, "%q", line.SHA256), l.dir, "r1/report.json")
		v := verify(t, l.dir, "r1", l.head, opt)
		if stale := i < len(h.Lines)-1; !v.OK || (len(v.Stale) == 1) != stale {
			t.Errorf("summary after line %d: %+v", line.Seq, v)
		}
	}
	writeFile(t, []byte(`"made up"`), l.dir, "r1/report.json")
	v := verify(t, l.dir, "r1", l.head, opt)
	if v.OK || v.Code != ledger.CodeProjectionMismatch || !strings.HasPrefix(v.First, "report.json: ") {
		t.Errorf("a made-up summary: %+v", v)
	}
}

// TestNewerEvents reads a ledger with an event type of a later version.
func TestNewerEvents(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := create(t, dir, "r1")
	play(t, r, sampleSteps()[:1])
	line := ledger.Line{Seq: 2, Prev: r.Head(), At: newClock().tick(), Type: "from_the_future", Data: json.RawMessage(`{"a":1}`)}
	raw, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, slices.Concat(readFile(t, dir, "r1/evidence.jsonl"), raw, []byte("\n")), dir, "r1/evidence.jsonl")
	v := mustVerify(t, dir, "r1", "")
	if !slices.Equal(v.Newer, []int{2}) {
		t.Errorf("newer %v", v.Newer)
	}
	h, err := ledger.Read(dir, "r1")
	if err != nil || h.Complete() || h.Newer != 1 || h.Damaged != "" {
		t.Errorf("history %+v, %v", h, err)
	}
	if _, err := h.Lines[1].Payload(); !errors.Is(err, ledger.ErrUnknownType) {
		t.Errorf("payload: %v", err)
	}
}

func TestReadGoesOnPastDamage(t *testing.T) {
	t.Parallel()
	l := finished(t, "r1")
	lines := slices.Clone(l.lines)
	lines[3] = []byte("not an event\n")
	writeFile(t, slices.Concat(lines...), l.dir, "r1/evidence.jsonl")
	h, err := ledger.Read(l.dir, "r1")
	if err != nil || len(h.Lines) != len(lines)-1 || !strings.HasPrefix(h.Damaged, "line 4: ") || h.Complete() {
		t.Errorf("%d lines, damaged %q, %v", len(h.Lines), h.Damaged, err)
	}
}

func TestEveryTypeHasAPayload(t *testing.T) {
	t.Parallel()
	for _, typ := range ledger.Types() {
		p, err := ledger.Line{Seq: 1, Type: typ, Data: json.RawMessage("{}")}.Payload()
		if err != nil || p == nil {
			t.Errorf("%s: %v", typ, err)
		}
	}
}

func TestRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if ids, err := ledger.Runs(filepath.Join(dir, "missing")); err != nil || len(ids) != 0 {
		t.Errorf("no directory: %v, %v", ids, err)
	}
	for _, id := range []string{"b", "a-1"} {
		play(t, create(t, dir, id), sampleSteps()[:4])
	}
	writeFile(t, []byte("{}"), dir, "rotation.json")
	if ids, err := ledger.Runs(dir); err != nil || !slices.Equal(ids, []string{"a-1", "b"}) {
		t.Errorf("got %v, %v", ids, err)
	}
}
