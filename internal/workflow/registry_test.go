package workflow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// p1 is a blocking finding with the evidence that it names.
func p1(id string, refs ...string) outcome.Finding {
	return outcome.Finding{ID: id, Severity: outcome.P1, Scenario: "scenario of " + id, EvidenceRefs: refs}
}

// instead is a blocking finding that takes the place of another.
func instead(id, earlier string) outcome.Finding {
	f := p1(id)
	f.Supersedes = []string{earlier}
	return f
}

// said is one reading of a stage.
type said struct {
	stage, tree string
	findings    []outcome.Finding
}

func fold(t *testing.T, readings ...said) (workflow.Registry, outcome.Code) {
	t.Helper()
	var r workflow.Registry
	for i, s := range readings {
		var code outcome.Code
		if r, code = r.Read(s.stage, s.tree, s.findings); code != "" {
			if i != len(readings)-1 {
				t.Fatalf("reading %d already breaks a rule: %s", i, code)
			}
			return r, code
		}
	}
	return r, ""
}

func ids(records []workflow.Record) string {
	var out []string
	for _, r := range records {
		out = append(out, r.Stage+"/"+r.Finding.ID)
	}
	return fmt.Sprint(out)
}

func TestRegistry(t *testing.T) {
	t.Parallel()
	list := func(f ...outcome.Finding) []outcome.Finding { return f }
	p2 := outcome.Finding{ID: "A", Severity: outcome.P2}
	tests := []struct {
		name         string
		readings     []said
		code         outcome.Code
		open, closed string
	}{
		{"LP-03 reopened on the old proof", []said{{"review", "t", list(p1("A", "receipt-0"))}, {"review", "u", nil}, {"review", "v", list(p1("A", "receipt-0"))}},
			outcome.FindingProtocolFailure, "[review/A]", "[]"},
		{"LP-03 reopened on no proof", []said{{"review", "t", list(p1("A"))}, {"review", "u", nil}, {"review", "v", list(p1("A"))}},
			outcome.FindingProtocolFailure, "[review/A]", "[]"},
		{"LP-03 a new proof is accepted, and it leaves the closed set", []said{{"review", "t", list(p1("A", "receipt-0"))}, {"review", "u", nil}, {"review", "v", list(p1("A", "receipt-1"))}},
			"", "[review/A]", "[]"},
		{"LP-03 the second proof is old afterwards", []said{{"review", "t", list(p1("A", "receipt-0"))}, {"review", "u", nil}, {"review", "v", list(p1("A", "receipt-1"))}, {"review", "w", nil}, {"review", "x", list(p1("A", "receipt-0", "receipt-1"))}},
			outcome.FindingProtocolFailure, "[review/A]", "[]"},
		{"LP-03 another name for it on the old proof", []said{{"review", "t", list(p1("A", "receipt-0"))}, {"review", "u", nil}, {"review", "v", list(p1("B", "receipt-0"))}},
			outcome.FindingProtocolFailure, "[review/B]", "[review/A]"},
		{"a new blocker with a proof of its own", []said{{"review", "t", list(p1("A", "receipt-0"))}, {"review", "u", list(p1("B", "receipt-1"))}, {"review", "v", list(p1("B", "receipt-1"), p1("C", "receipt-2"))}},
			"", "[review/B review/C]", "[review/A]"},
		{"before any closure nothing is asked", []said{{"review", "t", list(p1("A"))}, {"review", "u", list(p1("A"), p1("B"))}},
			"", "[review/A review/B]", "[]"},
		{"a tree that came back is refused in the same words", []said{{"review", "t", list(p1("A"))}, {"review", "u", nil}, {"review", "t", list(p1("A"))}},
			"", "[review/A]", "[]"},
		{"LP-06 one stage's silence closes nothing of another's", []said{{"review", "t", list(p1("O"))}, {"review-second", "t", list(p1("B"))}, {"review-second", "u", nil}},
			"", "[review/O]", "[review-second/B]"},
		{"LP-06 the same id in two stages is two objections", []said{{"review", "t", list(p1("A"))}, {"review-second", "t", list(p1("A"))}, {"review-second", "u", nil}},
			"", "[review/A]", "[review-second/A]"},
		{"LP-06 one stage's closure asks nothing of another", []said{{"review", "t", list(p1("A"))}, {"review", "u", nil}, {"review-second", "u", list(p1("B"))}},
			"", "[review-second/B]", "[review/A]"},
		{"LP-07 every closure is kept", []said{{"review", "t", list(p1("A"), p1("B"), p1("C"))}, {"review", "u", list(p1("B"), p1("C"))}, {"review", "v", list(p1("C"))}},
			"", "[review/C]", "[review/A review/B]"},
		{"LP-01 relabelled on the same tree", []said{{"review", "t", list(p1("A"))}, {"review", "t", list(p2)}},
			outcome.SeverityDowngraded, "[]", "[review/A]"},
		{"LP-01 relabelled on a moved tree", []said{{"review", "t", list(p1("A"))}, {"review", "u", list(p2)}},
			"", "[]", "[review/A]"},
		{"told better on the same tree", []said{{"review", "t", list(p1("A"))}, {"review", "t", list(instead("B", "A"))}},
			"", "[review/B]", "[]"},
		{"told better twice, and again in the last words", []said{{"review", "t", list(p1("A"))}, {"review", "t", list(instead("B", "A"))}, {"review", "t", list(instead("C", "B"))}, {"review", "t", list(p1("C"))}},
			"", "[review/C]", "[]"},
		{"told better and dropped on the same tree", []said{{"review", "t", list(p1("A"))}, {"review", "t", list(instead("B", "A"))}, {"review", "t", nil}},
			outcome.SeverityDowngraded, "[]", "[review/B]"},
		{"told better on another tree, and dropped on the first", []said{{"review", "t", list(p1("A"))}, {"review", "u", list(instead("B", "A"))}, {"review", "t", nil}},
			outcome.SeverityDowngraded, "[]", "[review/B]"},
		{"told better on another tree, and in the same words on the first", []said{{"review", "t", list(p1("A"))}, {"review", "u", list(instead("B", "A"))}, {"review", "t", list(p1("B"))}},
			"", "[review/B]", "[]"},
		{"told better without weight", []said{{"review", "t", list(p1("A"))}, {"review", "t", list(outcome.Finding{ID: "B", Severity: outcome.P2, Supersedes: []string{"A"}})}},
			outcome.SeverityDowngraded, "[]", "[review/A]"},
		{"after a closure, what is told better is not new", []said{{"review", "t", list(p1("A"), p1("Z"))}, {"review", "u", list(p1("A"))}, {"review", "v", list(instead("B", "A"))}},
			"", "[review/B]", "[review/Z]"},
		{"after a closure, what is told instead of nothing that is open is new", []said{{"review", "t", list(p1("A"), p1("Z"))}, {"review", "u", list(p1("A"))}, {"review", "v", list(p1("A"), instead("B", "Z"))}},
			outcome.FindingProtocolFailure, "[review/A review/B]", "[review/Z]"},
		{"another stage's finding is not superseded", []said{{"review", "t", list(p1("A"))}, {"review-second", "t", list(instead("B", "A"))}},
			"", "[review/A review-second/B]", "[]"},
		{"filed beside what supersedes it, it stands too", []said{{"review", "t", list(p1("A"))}, {"review", "t", list(p1("A"), instead("B", "A"))}},
			"", "[review/A review/B]", "[]"},
		{"back under the old name after a closure", []said{{"review", "t", list(p1("A"), p1("Z"))}, {"review", "u", list(instead("B", "A"))}, {"review", "v", list(p1("A"))}},
			outcome.FindingProtocolFailure, "[review/A]", "[review/Z review/B]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, code := fold(t, tt.readings...)
			if code != tt.code || ids(r.Open("")) != tt.open || ids(r.Closed("")) != tt.closed {
				t.Errorf("%q, open %s, closed %s; want %q, %s, %s", code, ids(r.Open("")), ids(r.Closed("")), tt.code, tt.open, tt.closed)
			}
		})
	}
}

// LP-07: a closed finding keeps what was said of it.
func TestClosedFindingsAreKeptWhole_LP07(t *testing.T) {
	t.Parallel()
	r, _ := fold(t, said{"review", "t", []outcome.Finding{p1("A", "receipt-0")}}, said{"review", "u", []outcome.Finding{p1("A", "receipt-1")}}, said{"review", "v", nil})
	closed := r.Closed("review")
	if len(closed) != 1 || closed[0].Finding.Severity != outcome.P1 || closed[0].Finding.Scenario != "scenario of A" ||
		!slices.Equal(closed[0].Proofs, []string{"receipt-0", "receipt-1"}) || closed[0].Tree != "u" || closed[0].ClosedBy != "v" {
		t.Errorf("LP-07: closed %+v", closed)
	}
}

// TestRegistryProperties folds random readings in: nothing that was ever filed is
// lost, nothing is open and closed at once, what is open is what the stage said last,
// and a reading leaves the registry that it was folded into as it was.
func TestRegistryProperties(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(seed(t), 1))
	for range 5000 {
		var r workflow.Registry
		filed, last := map[string]bool{}, map[string][]string{}
		for range rng.IntN(12) {
			stage, tree := fmt.Sprint("s", rng.IntN(2)), fmt.Sprint(rng.IntN(4))
			var findings []outcome.Finding
			last[stage] = nil
			for _, id := range []string{"A", "B", "C"} {
				f := p1(id, fmt.Sprint(rng.IntN(50)))
				if rng.IntN(4) == 0 {
					f.Severity = outcome.P2
				}
				if rng.IntN(2) == 0 {
					findings = append(findings, f)
					if f.Severity == outcome.P1 {
						filed[stage+"/"+id] = true
						last[stage] = append(last[stage], id)
					}
				}
			}
			before := fmt.Sprint(r)
			next, _ := r.Read(stage, tree, findings)
			if fmt.Sprint(r) != before {
				t.Fatalf("the reading changed the registry that it was folded into")
			}
			r = next
			if n := len(r.Open("")) + len(r.Closed("")); n != len(filed) {
				t.Fatalf("LP-07: %d findings were filed, %d are kept", len(filed), n)
			}
			for stage, want := range last {
				var open []string
				for _, rec := range r.Open(stage) {
					open = append(open, rec.Finding.ID)
				}
				slices.Sort(open)
				if !slices.Equal(open, want) {
					t.Fatalf("LP-06: %s has %v open, and said %v last", stage, open, want)
				}
			}
		}
	}
}
