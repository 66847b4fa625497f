package decision_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

const (
	commit      = "2222222222222222222222222222222222222222"
	fingerprint = "f00d"
)

func asked(t *testing.T, kind decision.Kind) (dir string, s decision.State) {
	t.Helper()
	dir = t.TempDir()
	return dir, ask(t, dir, "r1", kind)
}

func ask(t *testing.T, dir, id string, kind decision.Kind) decision.State {
	t.Helper()
	run, err := ledger.Create(dir, ledger.RunHead{RunID: id, TaskID: "add-button"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	typ, end := ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.ReadyForHuman}
	if kind != decision.Success {
		typ, end = ledger.TypeStopped, ledger.Ending{Code: outcome.GatesNotSatisfied}
	}
	if _, err := run.Append(typ, noon, end); err != nil {
		t.Fatal(err)
	}
	s, err := decision.Open(run, question(kind), noon.Add(time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func question(kind decision.Kind) decision.Question {
	return decision.Question{Kind: kind, Reason: "the gates and the reviewer passed", Fingerprint: fingerprint, Commit: commit}
}

func answer(word string) decision.Answer {
	return decision.Answer{Decision: word, Actor: ledger.Actor{ID: 5, Login: "maria"}, Source: decision.SourceReview, SourceID: 77, Commit: commit}
}

func record(t *testing.T, dir string, a decision.Answer) (decision.State, error) {
	t.Helper()
	return decision.Record(t.Context(), dir, "r1", nil, a, noon.Add(time.Minute))
}

// refused expects the code, and that nothing was written.
func refused(t *testing.T, dir string, a decision.Answer, want decision.Code) {
	t.Helper()
	before := content(t, dir)
	_, err := record(t, dir, a)
	if got := decision.CodeOf(err); got != want {
		t.Errorf("%+v: got %q (%v), want %q", a, got, err, want)
	}
	if diff := cmp.Diff(before, content(t, dir)); diff != "" {
		t.Errorf("a refused answer changed something:\n%s", diff)
	}
}

// content returns all files but locks.
func content(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(path, ".lock") {
			return err
		}
		b, err := os.ReadFile(path)
		out[path] = string(b)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestOptions(t *testing.T) {
	t.Parallel()
	t.Run("HG-02 whatever is automatic refuses", func(t *testing.T) {
		t.Parallel()
		for kind, want := range map[decision.Kind][]string{
			decision.Success:  {"accept", "reject"},
			decision.Failure:  {"retry", "abort"},
			decision.Failover: {"abort", "switch"},
		} {
			if got := kind.Options(); !slices.Equal(got, want) {
				t.Errorf("%s: options %v, want %v", kind, got, want)
			}
			if r := kind.Refusal(); decision.Permits(r) || !slices.Contains(want, r) {
				t.Errorf("%s: refusal %q", kind, r)
			}
			dir, _ := asked(t, kind)
			for _, word := range want {
				if !decision.Permits(word) {
					continue
				}
				automatic, bot := answer(word), answer(word)
				automatic.Source, automatic.Actor = decision.SourceAutomatic, ledger.Actor{Login: "warden"}
				bot.Actor.Bot = true
				refused(t, dir, automatic, decision.InvalidActor)
				refused(t, dir, bot, decision.InvalidActor)
			}
			a := answer(kind.Refusal())
			a.Source, a.Actor = decision.SourceAutomatic, ledger.Actor{Login: "warden"}
			if s, err := record(t, dir, a); err != nil || s.Answer() != kind.Refusal() {
				t.Errorf("%s: the automatic refusal: %v", kind, err)
			}
		}
		for _, word := range []string{"", "yes", "Accept", "proceed"} {
			if !decision.Permits(word) {
				t.Errorf("%q counts as a refusal", word)
			}
		}
		if decision.Kind("made up").Options() != nil || decision.Kind("made up").Refusal() != "" {
			t.Error("a kind that is none has options")
		}
	})
}

func TestRecord(t *testing.T) {
	t.Parallel()
	dir, s := asked(t, decision.Success)
	if s.State != decision.Pending || s.Decision != nil || s.SummaryPath != ".warden/runs/r1/task-run.json" {
		t.Fatalf("asked: %+v", s)
	}
	a := answer(decision.Reject)
	a.Note = "Not like this:\n\n> quote\r\n\ttab é 😀 <b>\u2028 end  "
	got, err := record(t, dir, a)
	if err != nil {
		t.Fatal(err)
	}
	if got.Answer() != "reject" || *got.Actor != "maria" || *got.Note != a.Note || got.NoteSHA256 != decision.NoteSHA256(a.Note) {
		t.Errorf("recorded %+v", got)
	}
	loaded, err := decision.Load(dir, "r1")
	if diff := cmp.Diff(got, loaded); err != nil || diff != "" {
		t.Errorf("loaded (%v):\n%s", err, diff)
	}
	var file decision.State
	raw, err := os.ReadFile(filepath.Join(dir, "r1/decision.json"))
	if err != nil || json.Unmarshal(raw, &file) != nil {
		t.Fatalf("decision.json: %v\n%s", err, raw)
	}
	if diff := cmp.Diff(got, file); diff != "" {
		t.Errorf("decision.json:\n%s", diff)
	}
	opt := ledger.VerifyOptions{Projections: map[string]ledger.Projection{decision.FileName: decision.Projection}}
	v, err := ledger.Verify(dir, "r1", s.SealedHead, opt)
	if err != nil || !v.OK || len(v.Stale) != 0 {
		t.Errorf("verification: %+v, %v", v, err)
	}
}

func TestHG01TreeMoved(t *testing.T) {
	t.Parallel()
	t.Run("HG-01 tree moved after it was shown", func(t *testing.T) {
		t.Parallel()
		dir, _ := asked(t, decision.Success)
		moved := answer(decision.Accept)
		moved.Commit = strings.Repeat("3", 40)
		refused(t, dir, moved, decision.CandidateChanged)
		half := answer(decision.Accept)
		half.Fingerprint = "beef"
		refused(t, dir, half, decision.CandidateChanged)
		blind := answer(decision.Accept)
		blind.Commit = ""
		refused(t, dir, blind, decision.CandidateUnverifiable)
		moved.Decision = decision.Reject
		if s, err := record(t, dir, moved); err != nil || s.Answer() != decision.Reject {
			t.Errorf("reject of a tree that moved: %v", err)
		}
	})
	t.Run("HG-01 a run that recorded no commit", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		run, err := ledger.Create(dir, ledger.RunHead{RunID: "r1"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		if _, err := run.Append(ledger.TypeReadyForHuman, noon, ledger.Ending{OK: true}); err != nil {
			t.Fatal(err)
		}
		if _, err := decision.Open(run, decision.Question{Kind: decision.Success, Fingerprint: fingerprint}, noon); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, answer(decision.Accept), decision.CandidateUnverifiable)
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir, s := asked(t, decision.Success)
	with := func(change func(*decision.Answer)) decision.Answer {
		a := answer(decision.Accept)
		change(&a)
		return a
	}
	for name, tc := range map[string]struct {
		a    decision.Answer
		want decision.Code
	}{
		"HG-10 free text":    {with(func(a *decision.Answer) { a.Decision = "yes please" }), decision.UnknownDecision},
		"other case":         {with(func(a *decision.Answer) { a.Decision = "Accept" }), decision.UnknownDecision},
		"of another kind":    {with(func(a *decision.Answer) { a.Decision = decision.Retry }), decision.UnknownDecision},
		"nothing":            {with(func(a *decision.Answer) { a.Decision = "" }), decision.UnknownDecision},
		"old token":          {with(func(a *decision.Answer) { a.Expected = noon.Format(time.RFC3339Nano) }), decision.StaleDecision},
		"other head":         {with(func(a *decision.Answer) { a.SealedHead = strings.Repeat("0", 64) }), decision.StaleDecision},
		"no name":            {with(func(a *decision.Answer) { a.Actor.Login = " " }), decision.InvalidActor},
		"name in two lines":  {with(func(a *decision.Answer) { a.Actor.Login = "a\nb" }), decision.InvalidActor},
		"name turned around": {with(func(a *decision.Answer) { a.Actor.Login = "a\u202eb" }), decision.InvalidActor},
		"long name":          {with(func(a *decision.Answer) { a.Actor.Login = strings.Repeat("a", 101) }), decision.InvalidActor},
		"no account":         {with(func(a *decision.Answer) { a.Actor.ID = 0 }), decision.InvalidActor},
		"no way":             {with(func(a *decision.Answer) { a.Source = "telepathy" }), decision.InvalidActor},
		"note too long":      {with(func(a *decision.Answer) { a.Note = strings.Repeat("x", decision.MaxNote+1) }), decision.MalformedDecision},
	} {
		t.Run(name, func(t *testing.T) { refused(t, dir, tc.a, tc.want) })
	}
	good := with(func(a *decision.Answer) { a.Expected, a.SealedHead = s.Token(), s.SealedHead })
	if _, err := record(t, dir, good); err != nil {
		t.Errorf("the good one: %v", err)
	}
}

func TestRunIDs(t *testing.T) {
	t.Parallel()
	t.Run("SE-05 run id as a path", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		dir := filepath.Join(root, "runs")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for id, want := range map[string]decision.Code{
			"../escape": decision.UnsafeRunID, "": decision.UnsafeRunID, "a/b": decision.UnsafeRunID,
			"r9": decision.UnknownRun,
		} {
			_, err := decision.Record(t.Context(), dir, id, nil, answer(decision.Accept), noon)
			_, loadErr := decision.Load(dir, id)
			if decision.CodeOf(err) != want || decision.CodeOf(loadErr) != want {
				t.Errorf("%q: %v, %v; want %s", id, err, loadErr, want)
			}
		}
		for name := range content(t, root) {
			t.Errorf("created %s", name)
		}
		if entries, _ := os.ReadDir(dir); len(entries) != 0 {
			t.Errorf("created %v", entries)
		}
	})
	t.Run("a run about which nobody was asked", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		run, err := ledger.Create(dir, ledger.RunHead{RunID: "r1"}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer run.Close()
		refused(t, dir, answer(decision.Accept), decision.UnknownRun)
	})
}

func TestRecordedAnswerNeverChanges(t *testing.T) {
	t.Parallel()
	t.Run("HG-10 remote answer was edited later", func(t *testing.T) {
		t.Parallel()
		dir, _ := asked(t, decision.Failure)
		if _, err := record(t, dir, answer(decision.Retry)); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, answer(decision.Abort), decision.DuplicateDecision)
		refused(t, dir, answer(decision.Retry), decision.DuplicateDecision)
	})
	t.Run("HG-10 an answer that no longer holds stays recorded", func(t *testing.T) {
		t.Parallel()
		dir, _ := asked(t, decision.Success)
		first, err := record(t, dir, answer(decision.Accept))
		if err != nil {
			t.Fatal(err)
		}
		by := &ledger.Actor{ID: 6, Login: "otto"}
		s, err := decision.Void(t.Context(), dir, "r1", nil, "new commits on the branch", by, strings.Repeat("3", 40), noon.Add(2*time.Minute))
		if err != nil || s.State != decision.Pending || s.Decision != nil || len(s.Voided) != 1 || s.Voided[0].Decision != decision.Accept {
			t.Fatalf("voided: %+v, %v", s, err)
		}
		again, err := decision.Void(t.Context(), dir, "r1", nil, "twice", by, "", noon.Add(3*time.Minute))
		if diff := cmp.Diff(s, again); err != nil || diff != "" {
			t.Errorf("voiding twice (%v):\n%s", err, diff)
		}
		old := answer(decision.Accept)
		old.Expected = first.Token()
		refused(t, dir, old, decision.StaleDecision)
		if s, err = record(t, dir, answer(decision.Reject)); err != nil || s.Answer() != decision.Reject || len(s.Voided) != 1 {
			t.Errorf("answered again: %+v, %v", s, err)
		}
		h, err := ledger.Read(dir, "r1")
		if err != nil || !h.Complete() {
			t.Fatalf("%v %q", err, h.Damaged)
		}
		var words []string
		for _, l := range h.Lines {
			var d ledger.HumanDecision
			if l.Type == ledger.TypeHumanDecision && l.Decode(&d) == nil {
				words = append(words, d.Decision)
			}
		}
		if !slices.Equal(words, []string{"accept", "reject"}) {
			t.Errorf("the chain has %v", words)
		}
	})
}

func TestTwoAnswersAtTheSameMoment(t *testing.T) {
	t.Parallel()
	t.Run("HG-03 exactly one wins", func(t *testing.T) {
		t.Parallel()
		wins := map[string]int{}
		for range 50 {
			dir, s := asked(t, decision.Success)
			errs := make(chan error, 2)
			start := make(chan struct{})
			for _, word := range []string{decision.Accept, decision.Reject} {
				a := answer(word)
				a.Expected = s.Token()
				go func() {
					<-start
					_, err := decision.Record(t.Context(), dir, "r1", nil, a, noon.Add(time.Minute))
					errs <- err
				}()
			}
			close(start)
			lost := 0
			for range 2 {
				if err := <-errs; err != nil {
					lost++
					if c := decision.CodeOf(err); c != decision.DuplicateDecision && c != decision.StaleDecision {
						t.Errorf("the loser got %v", err)
					}
				}
			}
			final, err := decision.Load(dir, "r1")
			if lost != 1 || err != nil || final.State != decision.Resolved {
				t.Fatalf("%d lost, %+v, %v", lost, final, err)
			}
			wins[final.Answer()]++
			v, err := ledger.Verify(dir, "r1", s.SealedHead, ledger.VerifyOptions{Projections: map[string]ledger.Projection{decision.FileName: decision.Projection}})
			if err != nil || !v.OK || v.Lines != 3 || len(v.Stale) != 0 {
				t.Fatalf("%+v, %v", v, err)
			}
		}
		t.Logf("wins: %v", wins)
	})
}

// TestReadersDuringDecisions reads and verifies while others decide: nothing may
// look altered.
func TestReadersDuringDecisions(t *testing.T) {
	t.Parallel()
	dir, s := asked(t, decision.Success)
	opt := ledger.VerifyOptions{Projections: map[string]ledger.Projection{decision.FileName: decision.Projection}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := range 30 {
			at := noon.Add(time.Duration(i+1) * time.Minute)
			if _, err := decision.Record(t.Context(), dir, "r1", nil, answer(decision.Accept), at); err != nil {
				t.Error(err)
			}
			if _, err := decision.Void(t.Context(), dir, "r1", nil, "moved", nil, "", at); err != nil {
				t.Error(err)
			}
		}
	}()
	reads := 0
	for going := true; going; reads++ {
		select {
		case <-done:
			going = false
		default:
		}
		if _, err := decision.Load(dir, "r1"); err != nil {
			t.Fatal(err)
		}
		if v, err := ledger.Verify(dir, "r1", s.SealedHead, opt); err != nil || !v.OK && v.Code != ledger.CodeTorn {
			t.Fatalf("%+v, %v", v, err)
		}
	}
	t.Logf("%d reads", reads)
}

func TestOpenTwice(t *testing.T) {
	t.Parallel()
	dir, s := asked(t, decision.Success)
	run, err := ledger.Open(dir, "r1", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if err := os.Remove(filepath.Join(dir, "r1/decision.json")); err != nil {
		t.Fatal(err)
	}
	again, err := decision.Open(run, question(decision.Success), noon.Add(time.Hour))
	if diff := cmp.Diff(s, again); err != nil || diff != "" {
		t.Errorf("the same question (%v):\n%s", err, diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "r1/decision.json")); err != nil {
		t.Error("the projection was not written again")
	}
	if _, err := decision.Open(run, question(decision.Failure), noon); !errors.Is(err, decision.ErrAsked) {
		t.Errorf("another question: %v", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	run, err := ledger.Create(t.TempDir(), ledger.RunHead{RunID: "r1"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	if _, err := decision.Open(run, question(decision.Success), noon); err == nil {
		t.Error("asked about a run that goes on")
	}
	if _, err := run.Append(ledger.TypeReadyForHuman, noon, ledger.Ending{}); err != nil {
		t.Fatal(err)
	}
	for _, q := range []decision.Question{{Kind: decision.Success}, {Kind: "made up"}} {
		if _, err := decision.Open(run, q, noon); decision.CodeOf(err) != decision.MalformedDecision {
			t.Errorf("%+v: %v", q, err)
		}
	}
}

func TestLockGivesUp(t *testing.T) {
	t.Parallel()
	dir, _ := asked(t, decision.Success)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	hold := holdLock(t, dir)
	defer hold()
	if _, err := decision.Record(ctx, dir, "r1", nil, answer(decision.Accept), noon); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}

func TestClockSetBack(t *testing.T) {
	t.Parallel()
	dir, asked := asked(t, decision.Success)
	s, err := decision.Record(t.Context(), dir, "r1", nil, answer(decision.Accept), noon.Add(-time.Hour))
	if err != nil || !s.UpdatedAt.After(asked.UpdatedAt) {
		t.Errorf("%+v, %v", s, err)
	}
}

func Example() {
	fmt.Println(decision.Success.Options(), decision.Success.Refusal())
	// Output: [accept reject] reject
}
