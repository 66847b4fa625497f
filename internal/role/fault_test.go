package role

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/vendor"
)

// found is a runner of windows that finds one file under every name. The file
// answers as the writer does.
func found(t *testing.T, name string) *vendor.Runner {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte("#!/bin/sh\nprintf '%s\\n' '"+doneImplementer+"'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	r := vendor.New()
	r.GOOS, r.Find = "windows", func(string, []string, ...string) (string, error) { return file, nil }
	return r
}

// What a batch file would not take whole is refused by the file that PATH leads
// to, not by the name in the profile, and nobody is paid to find out.
func TestUndeliverableIsFoundBeforeItIsPaid(t *testing.T) {
	t.Parallel()
	const many, one, quotes = "Task {{ task_id }}\nand more\n", "Task {{ task_id }}", `say {{ task_id }} "a b"`
	for _, c := range []struct {
		name, file, template string
		says                 string // empty when the call is made
	}{
		{"PR-05_batch_file_several_lines", "vendor.cmd", many, `argument 2 ("Task t1`},
		{"PR-05_upper_case_several_lines", "vendor.BAT", many, `argument 2 ("Task t1`},
		{"PR-05_batch_file_one_line", "vendor.cmd", one, ""},
		{"PR-05_program_several_lines", "vendor.exe", many, ""},
		{"PR-07_batch_file_quotes", "vendor.cmd", quotes, `argument 2 ("say t1`},
		{"PR-07_program_quotes", "vendor.exe", quotes, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.Vendor = found(t, c.file)
			f.template("implementer", c.template)
			p := f.Home.Profiles["wa"]
			p.Command, p.PromptDelivery, p.Args = "vendor", "argv", []string{"-p", "{{prompt}}"}
			f.Home.Profiles["wa"] = p
			started := 0
			f.req.OnDispatch = func(Dispatch) error { started++; return nil }
			fault, got := f.Fault(p, f.req), f.dispatch(t)
			if c.says == "" {
				wantCode(t, got, outcome.OK)
				if fault != nil || started != 1 {
					t.Errorf("fault %+v, %d calls announced", fault, started)
				}
				return
			}
			wantCode(t, got, outcome.RolePromptUndeliverable)
			if started != 0 || len(f.reserved) != 0 || len(got.Attempts) != 0 {
				t.Errorf("%d calls announced, reserved %q, made %+v", started, f.reserved, got.Attempts)
			}
			if !strings.Contains(got.Detail, c.says) || !strings.Contains(got.Detail, `"wa"`) {
				t.Errorf("detail %q does not name %s", got.Detail, c.says)
			}
			if fault == nil || fault.Code != outcome.RolePromptUndeliverable || fault.Detail != got.Detail {
				t.Errorf("fault %+v, the dispatch says %q", fault, got.Detail)
			}
		})
	}
}

// Fault finds what a dispatch would stop at before it pays, under the same code.
func TestFault(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	if fault := f.Fault(f.Home.Profiles["wa"], f.req); fault != nil {
		t.Fatalf("a sound profile: %+v", fault)
	}
	for name, c := range map[string]struct {
		spoil func(*fixture, *policy.Profile)
		code  outcome.Code
		says  string
	}{
		"PM-04_no_template":      {func(_ *fixture, p *policy.Profile) { p.PromptTemplate = "" }, outcome.RolePromptUndeliverable, `"wa"`},
		"PM-04_missing_template": {func(_ *fixture, p *policy.Profile) { p.PromptTemplate = "prompts/none.md" }, outcome.RolePromptUndeliverable, "prompts/none.md"},
		"PM-04_mistyped":         {func(f *fixture, _ *policy.Profile) { f.template("implementer", "{{ tsak_id }}") }, outcome.RolePromptUndeliverable, "prompts/implementer.md"},
		"PR-16_missing_schema":   {func(_ *fixture, p *policy.Profile) { p.SchemaPath = "schemas/none.json" }, outcome.RolePromptUndeliverable, "schemas/none.json"},
		"PR-16_no_schema": {func(f *fixture, p *policy.Profile) {
			p.SchemaPath = "prompts/schema.md"
			f.template("schema", `{"type": 7}`)
		}, outcome.RolePromptUndeliverable, "prompts/schema.md"},
		"PR-16_reaches_nobody": {func(_ *fixture, p *policy.Profile) { p.PromptDelivery = "argv" }, outcome.RolePromptUndeliverable, `"wa"`},
		"PR-16_program_gone":   {func(f *fixture, _ *policy.Profile) { f.Vendor = vendor.New() }, outcome.RoleCommandFailed, `"a"`},
		"may_not_write":        {func(f *fixture, _ *policy.Profile) { f.req.Task.Authority.WorkspaceWrite = false }, outcome.AuthorityDenied, `"wa"`},
		"unconfined":           {func(f *fixture, _ *policy.Profile) { f.Confine.Required = true }, outcome.Unconfined, `"wa"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			p := f.Home.Profiles["wa"]
			c.spoil(f, &p)
			f.Home.Profiles["wa"] = p
			fault := f.Fault(p, f.req)
			if fault == nil || fault.Code != c.code || !strings.Contains(fault.Detail, c.says) {
				t.Fatalf("fault %+v, want %s with %s", fault, c.code, c.says)
			}
			if entries, err := os.ReadDir(f.runs); err != nil || len(entries) > 0 {
				t.Errorf("looking left %v, %v", entries, err)
			}
			if c.code == outcome.RoleCommandFailed {
				f.Vendor = withoutCheck{f.Vendor}
			}
			got := f.dispatch(t)
			wantCode(t, got, c.code)
			f.wantCalls(t)
		})
	}
}

// withoutCheck takes every program for one that can be started.
type withoutCheck struct{ Caller }

func (withoutCheck) Available(policy.Profile, []string) error { return nil }

// A profile whose fault is known does not stand in, and the report says why.
func TestUnfitDoesNotStandIn(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Home.Policy.Failover = "auto"
	f.Home.Profiles["wc"] = profile("wc", "implementer", "c")
	r := f.Home.Policy.Roles["implementer"]
	r.Profiles = []string{"wa", "wb", "wc"}
	f.Home.Policy.Roles["implementer"] = r
	f.Unfit = map[string]string{"wb": "read prompts/none.md: it is not there"}
	f.script("wa", spent(hit))
	f.script("wc", answered(doneImplementer))
	got := f.dispatch(t)
	wantCode(t, got, outcome.OK)
	f.wantCalls(t, "wa", "wc")
	if text := f.read(t, got.ReportFile.Path); !strings.Contains(text, "call_impossible: read prompts/none.md") {
		t.Errorf("report:\n%s", text)
	}
}
