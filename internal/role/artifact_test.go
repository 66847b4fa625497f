package role

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/vendor"
	"github.com/tolboy/warden/spec"
)

// withSchema gives both roles the schemas of the specification.
func (f *fixture) withSchema(t *testing.T) {
	t.Helper()
	for name, p := range f.Home.Profiles {
		raw, err := spec.Schemas.ReadFile("schemas/" + p.Role + ".json")
		if err != nil {
			t.Fatal(err)
		}
		f.Home.FS.(fstest.MapFS)["schemas/"+p.Role+".json"] = &fstest.MapFile{Data: raw}
		p.SchemaPath = "schemas/" + p.Role + ".json"
		p.RequiredFields = []string{"role", "task_id", "status", "summary"}
		f.Home.Profiles[name] = p
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, role, answer string
		code               outcome.Code
		detail             string
	}{
		{"accepted", "implementer", doneImplementer, outcome.OK, ""},
		{"ids_that_are_absent_are_filled_in", "implementer", `{"status":"completed","summary":"s","files_changed":[]}`, outcome.OK, ""},
		{"LP-05_blocked_is_no_success", "implementer", `{"role":"implementer","task_id":"t1","status":"blocked","summary":"the cause is in lib/","files_changed":["a"]}`, outcome.RoleReportedBlocked, "the cause is in lib/"},
		{"aborted", "reviewer", `{"role":"reviewer","task_id":"t1","status":"aborted","verdict":"fail","summary":"no tree","findings":[]}`, outcome.RoleReportedAborted, "no tree"},
		{"missing_field", "implementer", `{"role":"implementer","task_id":"t1","status":"completed","files_changed":[]}`, outcome.RoleArtifactIncomplete, "summary"},
		{"null_field", "implementer", `{"role":"implementer","task_id":"t1","status":"completed","summary":null,"files_changed":[]}`, outcome.RoleArtifactIncomplete, "summary"},
		{"not_of_the_schema", "implementer", `{"role":"implementer","task_id":"t1","status":"completed","summary":"s","files_changed":"all"}`, outcome.RoleArtifactSchema, "files_changed"},
		{"another_role", "implementer", passReviewer, outcome.RoleArtifactSchema, "reviewer"},
		{"unknown_status", "implementer", `{"role":"implementer","task_id":"t1","status":"mostly","summary":"s","files_changed":[]}`, outcome.RoleArtifactSchema, "status"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.withSchema(t)
			name := "wa"
			if c.role == "reviewer" {
				f.reviewer()
				name = "rb"
			}
			f.script(name, answered(c.answer))
			got := f.dispatch(t)
			wantCode(t, got, c.code)
			if !strings.Contains(got.Detail, c.detail) {
				t.Errorf("detail %q does not say %q", got.Detail, c.detail)
			}
			_, err := os.Stat(filepath.Join(f.runs, "run-1--"+c.role+"-0", "artifacts", c.role+".json"))
			if (err == nil) != (c.code == outcome.OK) {
				t.Errorf("artifact on disk: %v", err)
			}
		})
	}
}

func TestAnswerWithoutASchema(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]outcome.Code{"completed": outcome.OK, "mostly": outcome.RoleArtifactIncomplete, "": outcome.RoleArtifactIncomplete, "failed": outcome.RoleReportedAborted} {
		f := newFixture(t)
		f.script("wa", answered(`{"role":"implementer","task_id":"t1","summary":"s","status":"`+status+`"}`))
		wantCode(t, f.dispatch(t), want)
	}
}

func TestFailureReport(t *testing.T) {
	t.Parallel()
	t.Run("PR-10_both_tails_are_labelled", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.script("wa", act{result: vendor.Result{Code: outcome.RoleCommandFailed, Detail: "exit status 1", ExitCode: 1,
			Stdout: []byte("the reason"), Stderr: []byte("noise"), StdoutTail: "the reason", StderrTail: "noise"}})
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleCommandFailed)
		report := f.read(t, got.ReportFile.Path)
		for _, want := range []string{`"stdout_tail": "the reason"`, `"stderr_tail": "noise"`} {
			if !strings.Contains(report, want) {
				t.Errorf("report lacks %s:\n%s", want, report)
			}
		}
		if raw := f.read(t, got.Attempts[0].Stdout); raw != "the reason" {
			t.Errorf("raw stdout %q", raw)
		}
	})
	t.Run("PR-14_no_artifact_is_invented", func(t *testing.T) {
		t.Parallel()
		f := newFixture(t)
		f.reviewer()
		f.script("rb", act{result: vendor.Result{Code: outcome.RoleArtifactUnparseable, Detail: "no object", StdoutTail: "Looks good!"}})
		got := f.dispatch(t)
		wantCode(t, got, outcome.RoleArtifactUnparseable)
		if _, err := os.Stat(filepath.Join(f.runs, "run-1--reviewer-0", "artifacts")); !os.IsNotExist(err) {
			t.Errorf("an artifact is on disk: %v", err)
		}
		if !strings.Contains(f.read(t, got.ReportFile.Path), "Looks good!") {
			t.Error("the answer's end is not kept")
		}
	})
}

func TestFindings(t *testing.T) {
	t.Parallel()
	got, err := Findings("reviewer", json.RawMessage(`[
		{"id":"mine","severity":"p1","path":"a.go","line":3,"message":"m","expected":"e","actual":"x","confidence":"confirmed","category":"contract_gap","suggestion":"s"},
		{"path":"a.go","message":"Wrong  Result!"},
		{"severity":"critical","path":"b.go","message":"m","line":"7","category":"nonsense"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []outcome.Finding{
		{ID: "mine", Severity: outcome.P1, Category: "contract_gap", Path: "a.go", Line: 3, Message: "m", Expected: "e", Actual: "x", Confidence: "confirmed", Suggestion: "s"},
		{ID: derivedID("a.go", "wrong result"), Severity: outcome.P3, Category: "product_defect", Path: "a.go", Message: "Wrong  Result!"},
		{ID: derivedID("b.go", "m"), Severity: outcome.P1, Category: "product_defect", Path: "b.go", Message: "m"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if id := got[1].ID; !strings.HasPrefix(id, "f-") || len(id) != 14 {
		t.Errorf("derived id %q", id)
	}
	for _, bad := range []string{`{}`, `["x"]`, `7`, `[` + strings.Repeat(`{},`, maxFindings) + `{}]`} {
		if got, err := Findings("reviewer", json.RawMessage(bad)); err == nil {
			t.Errorf("%.20s gave %v", bad, got)
		}
	}
}

// What a finding would have added to the contract is read of a gap alone and never
// cut; how it relates to the scope is a closed set; a draft has categories of its own.
func TestFindingsAboutTheContract(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxProposal+1)
	got, err := Findings("reviewer", json.RawMessage(`[
		{"id":"a","severity":"P1","category":"contract_gap","path":"p","message":"m","proposed_acceptance":[" go test ","go test",""],"proposed_scope":["lib"],"supersedes":["old"],"scope_relation":"outside_scope"},
		{"id":"b","severity":"P1","path":"p","message":"m","proposed_acceptance":["go test"],"scope_relation":"elsewhere"},
		{"id":"c","severity":"P1","category":"contract_gap","path":"p","message":"m","proposed_acceptance":["ok","`+long+`"],"proposed_scope":"lib","scope_relation":"in_scope"}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := []outcome.Finding{
		{ID: "a", Severity: outcome.P1, Category: "contract_gap", Path: "p", Message: "m", ProposedAcceptance: []string{"go test"}, ProposedScope: []string{"lib"}, Supersedes: []string{"old"}, ScopeRelation: "outside_scope"},
		{ID: "b", Severity: outcome.P1, Category: "product_defect", Path: "p", Message: "m"},
		{ID: "c", Severity: outcome.P1, Category: "contract_gap", Path: "p", Message: "m"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	got, err = Findings("plan_reviewer", json.RawMessage(`[{"severity":"P1","category":"scope_gap","field":"scope","message":"m"},{"severity":"P1","category":"contract_gap","field":"risk","message":"m"}]`))
	if err != nil || len(got) != 2 || got[0].Category != "scope_gap" || got[0].Field != "scope" || got[1].Category != "other" || got[0].ID == got[1].ID {
		t.Errorf("of a draft: %+v, %v", got, err)
	}
}

// A blocking finding never gets lost on the way: as many objects go in as
// findings come out, none without a name or a known severity.
func FuzzFindings(f *testing.F) {
	f.Add([]byte(`[{"severity":"P1","path":"a","message":"m"}]`))
	f.Add([]byte(`[{"id":7,"line":-1}]`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Findings("reviewer", raw)
		if err != nil {
			if got != nil {
				t.Fatal("findings with an error")
			}
			return
		}
		var items []any
		if len(raw) > 0 && json.Unmarshal(raw, &items) == nil && len(items) != len(got) {
			t.Fatalf("%d objects became %d findings", len(items), len(got))
		}
		for _, x := range got {
			if x.ID == "" || x.Line < 0 || x.Severity != outcome.P1 && x.Severity != outcome.P2 && x.Severity != outcome.P3 {
				t.Fatalf("finding %+v", x)
			}
		}
	})
}
