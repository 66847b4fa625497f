package runner

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/workflow"
)

// Whoever's turn it is must be able to be called; whoever stands in may be at
// fault, and is passed over.
func TestPreflight(t *testing.T) {
	t.Parallel()
	program := put(t, t.TempDir()+"/stub", "#!/bin/sh\nexit 97\n")
	m, sound := ordered(t, program, "Task {{task_id}}")
	reader := func(name, vendor string) policy.Profile {
		p := sound.Home.Profiles["writer"]
		p.Name, p.Vendor, p.Role, p.ReadOnly = name, vendor, "reviewer", true
		return p
	}
	second := sound.Home.Profiles["writer"]
	second.Name, second.Vendor = "second", "w"
	for _, c := range []struct {
		name   string
		broken string // profiles without their template
		change func(*Order)
		want   outcome.Code
		unfit  string // the profiles that no dispatch takes
	}{
		{"all sound", "", nil, "", ""},
		{"PR-16 the reader", "reader", nil, outcome.PromptUndeliverable, ""},
		{"PR-16 who may stand in", "second spare", nil, "", "second spare"},
		{"PR-16 the substitute that a person allowed", "second", func(o *Order) { o.Switch = &role.Switch{Role: "implementer", Profile: "second"} }, outcome.PromptUndeliverable, ""},
		{"PR-16 whom it stands in for, asked first", "writer", func(o *Order) { o.Switch = &role.Switch{Role: "implementer", Profile: "second"} }, outcome.PromptUndeliverable, ""},
		{"PR-16 whose turn it is", "second", func(o *Order) { rotate(o, 1) }, outcome.PromptUndeliverable, ""},
		{"PR-16 whose turn it is not", "second", func(o *Order) { rotate(o, 2) }, "", "second"},
		{"PR-16 the only writer of a repair", "mender", func(o *Order) { mend(o) }, outcome.PromptUndeliverable, ""},
		{"PR-16 a writer of a repair that is never bought", "mender", func(o *Order) { mend(o); o.Task.MaxFixAttempts = 0 }, "", ""},
		{"the task does not let it write", "", func(o *Order) { o.Task.Authority.WorkspaceWrite = false }, outcome.ImplementerFailed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := sound
			o.Home.Profiles = map[string]policy.Profile{"writer": sound.Home.Profiles["writer"], "second": second,
				"reader": reader("reader", "r"), "spare": reader("spare", "s")}
			o.Home.Policy.Roles = map[string]policy.Roster{
				"implementer": {Role: "implementer", Profiles: []string{"writer", "second"}, Strategy: "first"},
				"reviewer":    {Role: "reviewer", Profiles: []string{"reader", "spare"}, Strategy: "first", Independent: true},
			}
			o.Home.Policy.ReviewRisks = []string{"low"}
			if c.change != nil {
				c.change(&o)
			}
			for name := range strings.FieldsSeq(c.broken) {
				p := o.Home.Profiles[name]
				p.PromptTemplate = "prompts/none-" + name + ".md"
				o.Home.Profiles[name] = p
			}
			d := &role.Dispatcher{Home: o.Home, RunsDir: o.RunsDir, Vendor: m.Vendor, Env: m.Environ, Confine: m.confine("r1")}
			refusal := (&roles{machine: m, order: o, dispatcher: d}).Preflight(t.Context(), Steps(o.Home, o.Task))
			switch {
			case c.want == "" && refusal != nil:
				t.Errorf("refused %+v", refusal)
			case c.want != "" && (refusal == nil || refusal.Code != c.want || c.broken != "" && !strings.Contains(refusal.Detail, "prompts/none-"+c.broken+".md")):
				t.Errorf("refusal %+v, want %s", refusal, c.want)
			}
			if c.want == "" {
				for name := range o.Home.Profiles {
					if _, out := d.Unfit[name]; out != strings.Contains(c.unfit, name) {
						t.Errorf("unfit %v, want %q", d.Unfit, c.unfit)
					}
				}
			}
		})
	}
}

func rotate(o *Order, turn int) {
	r := o.Home.Policy.Roles["implementer"]
	r.Strategy = "rotate"
	o.Home.Policy.Roles["implementer"], o.Rotation = r, turn
}

// mend gives the repairs to a role of their own.
func mend(o *Order) {
	p := o.Home.Profiles["writer"]
	p.Name, p.Role = "mender", "mender"
	o.Home.Profiles["mender"] = p
	o.Home.Policy.Roles["mender"] = policy.Roster{Role: "mender", Profiles: []string{"mender"}, Strategy: "first"}
	o.Home.Policy.Stages = workflow.BuiltIn()
	o.Home.Policy.Stages[1].FixWith = "mender"
}
