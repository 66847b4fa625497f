package corpus_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/corpus"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/redact"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// lay writes a run with a file of evidence.
func lay(t *testing.T, runs, id string, sealed bool) {
	t.Helper()
	none, err := redact.New()
	if err != nil {
		t.Fatal(err)
	}
	r, err := ledger.Create(runs, ledger.RunHead{RunID: id, TaskID: "t", ReservedAt: noon}, none)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	file, err := r.WriteFile(ledger.StageDir(id, "gates", 0)+"/machine-gate.json", []byte("{}"))
	if err != nil {
		t.Fatal(err)
	}
	add(t, r, ledger.TypeRunReserved, ledger.RunReserved{Project: "shop"})
	add(t, r, ledger.TypeMachineGate, ledger.GateRun{Stage: "gates", OK: true}, file)
	if sealed {
		add(t, r, ledger.TypeReadyForHuman, ledger.Ending{OK: true, Code: outcome.ReadyForHuman, NextAction: "human_gate"})
	}
}

func add(t *testing.T, r *ledger.Run, typ string, data any, files ...ledger.File) {
	t.Helper()
	if _, err := r.Append(typ, noon, data, files...); err != nil {
		t.Fatal(err)
	}
}

func take(t *testing.T, c corpus.Corpus, runs, project, id string) corpus.Result {
	t.Helper()
	got, err := c.Import(context.Background(), []corpus.Source{{RunsDir: runs, RunID: id, Project: project}}, noon)
	if err != nil || len(got) != 1 {
		t.Fatalf("import: %+v, %v", got, err)
	}
	return got[0]
}

func numbers(t *testing.T, c corpus.Corpus, project string) corpus.Numbers {
	t.Helper()
	n, err := c.Read(project, metrics.Index{})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestImportedTwice(t *testing.T) {
	t.Parallel()
	t.Run("LR-06 from two paths it is one run", func(t *testing.T) {
		t.Parallel()
		runs, c := t.TempDir(), corpus.At(filepath.Join(t.TempDir(), "ledger"))
		lay(t, runs, "r1", true)
		first := take(t, c, runs, "shop", "r1")
		if first.Code != corpus.Imported || first.Events != 3 || first.Files != 1 || !first.Sealed {
			t.Fatalf("imported %+v", first)
		}
		elsewhere := t.TempDir()
		if err := os.CopyFS(elsewhere, os.DirFS(runs)); err != nil {
			t.Fatal(err)
		}
		for _, from := range []string{runs, elsewhere} {
			for _, project := range []string{"shop", "other", corpus.Unknown} {
				if got := take(t, c, from, project, "r1"); got.Code != corpus.Already || got.ProjectID != "shop" {
					t.Errorf("again, from %s as %s: %+v", from, project, got)
				}
			}
		}
		if n := numbers(t, c, ""); n.RunCount != 1 || !n.Complete || n.Passed != 1 {
			t.Errorf("counted %+v", n)
		}
	})
	t.Run("LR-06 a copy that was made by hand counts once", func(t *testing.T) {
		t.Parallel()
		runs, c := t.TempDir(), corpus.At(t.TempDir())
		lay(t, runs, "r1", true)
		take(t, c, runs, "shop", "r1")
		if err := os.CopyFS(filepath.Join(c.Dir(), "twin"), os.DirFS(filepath.Join(c.Dir(), "shop"))); err != nil {
			t.Fatal(err)
		}
		if n := numbers(t, c, ""); n.RunCount != 1 || n.Copies != 1 {
			t.Errorf("counted %d, %d copies", n.RunCount, n.Copies)
		}
	})
}

// TestCutOff: whatever a crash leaves of an import is no exact sum, and the next
// import mends it.
func TestCutOff(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		leave func(t *testing.T, shelf string)
		first string // what is said of it; "": it counts for nothing
	}{
		{"without a receipt", func(t *testing.T, shelf string) { rewrite(t, filepath.Join(shelf, "receipts.jsonl"), "") }, "the head is not the one of its receipt"},
		{"half a receipt", func(t *testing.T, shelf string) {
			name := filepath.Join(shelf, "receipts.jsonl")
			rewrite(t, name, read(t, name)[:40])
		}, "the head is not the one of its receipt"},
		{"only stages", func(t *testing.T, shelf string) {
			rewrite(t, filepath.Join(shelf, "receipts.jsonl"), "")
			if err := os.RemoveAll(filepath.Join(shelf, "r1")); err != nil {
				t.Fatal(err)
			}
		}, "the head is not the one of its receipt"},
		{"a receipt without its run", func(t *testing.T, shelf string) {
			for _, name := range []string{"r1", "r1--gates-0"} {
				if err := os.RemoveAll(filepath.Join(shelf, name)); err != nil {
					t.Fatal(err)
				}
			}
		}, "there is a receipt and no run"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			runs, c := t.TempDir(), corpus.At(t.TempDir())
			lay(t, runs, "r1", true)
			take(t, c, runs, "shop", "r1")
			tt.leave(t, filepath.Join(c.Dir(), "shop", "0"))
			n := numbers(t, c, "shop")
			if n.Complete || len(n.Unverified) != 1 || n.Unverified[0].First != tt.first || n.Passed != 0 {
				t.Errorf("counted %+v", n.Ledger)
			}
			if got := take(t, c, runs, "shop", "r1"); !got.OK() {
				t.Errorf("again: %+v", got)
			}
			if n := numbers(t, c, "shop"); !n.Complete || n.Passed != 1 {
				t.Errorf("counted %+v", n.Ledger)
			}
		})
	}
}

func TestWhatIsNotTaken(t *testing.T) {
	t.Parallel()
	runs, c := t.TempDir(), corpus.At(t.TempDir())
	lay(t, runs, "r1", false)
	take(t, c, runs, "shop", "r1")
	for _, tt := range []struct{ name, file, from, to, code string }{
		{"a line was altered", "r1/evidence.jsonl", `"project":"shop"`, `"project":"shed"`, ledger.CodeAltered},
		{"a file was altered", "r1--gates-0/machine-gate.json", "{}", "[]", ledger.CodeAltered},
		{"the last line is cut off", "r1/evidence.jsonl", "}\n", "}\n{", ledger.CodeTorn},
	} {
		name := filepath.Join(runs, filepath.FromSlash(tt.file))
		whole := read(t, name)
		at := strings.LastIndex(whole, tt.from)
		rewrite(t, name, whole[:at]+tt.to+whole[at+len(tt.from):])
		if got := take(t, c, runs, "shop", "r1"); got.Code != tt.code || got.First == "" || got.OK() {
			t.Errorf("%s: %+v", tt.name, got)
		}
		rewrite(t, name, whole)
	}
	// Another continuation of the same beginning.
	other := t.TempDir()
	if err := os.CopyFS(other, os.DirFS(runs)); err != nil {
		t.Fatal(err)
	}
	for i, from := range []string{runs, other} {
		none, _ := redact.New()
		r, err := ledger.Open(from, "r1", none)
		if err != nil {
			t.Fatal(err)
		}
		add(t, r, ledger.TypeStopped, ledger.Ending{Code: outcome.Interrupted, NextAction: "human_escalation", RoleRuns: i})
		r.Close()
	}
	if got := take(t, c, runs, "shop", "r1"); got.Code != corpus.Extended {
		t.Errorf("longer: %+v", got)
	}
	if got := take(t, c, other, "shop", "r1"); got.Code != corpus.Diverged || got.OK() {
		t.Errorf("diverged: %+v", got)
	}
	if n := numbers(t, c, ""); n.RunCount != 1 || n.Failed != 1 || !n.Complete {
		t.Errorf("counted %+v", n.Ledger)
	}
}

func TestMissingCorpus(t *testing.T) {
	t.Parallel()
	c := corpus.At(filepath.Join(t.TempDir(), "none"))
	if n := numbers(t, c, ""); n.RunCount != 0 || !n.Complete || n.Projects == nil {
		t.Errorf("read %+v", n)
	}
	for _, id := range []string{"", "..", "a/b", "A", "incoming", strings.Repeat("a", 121)} {
		if corpus.CheckProject(id) == nil {
			t.Errorf("%q is taken for a project", id)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func rewrite(t *testing.T, name, content string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
