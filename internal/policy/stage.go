package policy

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

func conditions() []string {
	return []string{string(workflow.Always), string(workflow.ReviewRequired), string(workflow.VisualQARequired),
		string(workflow.RiskLow), string(workflow.RiskMedium), string(workflow.RiskHigh)}
}

// stages turns the declared chain into stages of the workflow. Each stage only
// looks back: what it sees must already have been made.
func (c *policyCheck) stages(raws []rawStage) []workflow.Stage {
	var out []workflow.Stage
	names := map[string]string{}
	browser := ""
	for _, raw := range raws {
		s := raw.stage()
		if raw.Name.Set {
			if first, taken := names[strings.ToLower(s.Name)]; taken {
				c.report(raw.Name.At, fmt.Sprintf("a stage is already named %q", first), "give it another name: the evidence of a stage lies under its name")
			}
			names[strings.ToLower(s.Name)] = s.Name
		}
		c.stage(raw, s)
		if s.Role == workflow.VisualQA && s.Run == workflow.RunRole && !raw.Sees.Set {
			s.Sees = browser
			if browser == "" {
				c.report(raw.Role.At, "no browser stage stands before the stage that looks at its pictures", "put a stage with run: visual_harness before it")
			}
		}
		if raw.Sees.Set && s.Run == workflow.RunRole && !harness(out, s.Sees) {
			c.report(raw.Sees.At, fmt.Sprintf("no earlier stage %q has run: visual_harness", s.Sees), "name a browser stage that stands before this one")
		}
		if s.Run == workflow.RunBrowser {
			browser = s.Name
		}
		out = append(out, s)
	}
	return out
}

func harness(stages []workflow.Stage, name string) bool {
	for _, s := range stages {
		if s.Name == name && s.Run == workflow.RunBrowser {
			return true
		}
	}
	return false
}

func (r rawStage) stage() workflow.Stage {
	s := workflow.Stage{
		Name: r.Name.V, Run: workflow.Kind(r.Run.V), Role: r.Role.V, OnFail: workflow.Route(r.OnFail.Or("stop")),
		OnFindings: workflow.Route(r.OnFindings.V), Recheck: r.Recheck.Or(r.Run.V != string(workflow.RunRole)),
		FixWith: r.FixWith.Or(workflow.Implementer), Sees: r.Sees.V,
	}
	for _, w := range r.When.V {
		s.When = append(s.When, workflow.Condition(w.V))
	}
	return s
}

// stage checks what the keys of one stage say together.
func (c *policyCheck) stage(raw rawStage, s workflow.Stage) {
	if !raw.Run.Set {
		return
	}
	isRole := s.Run == workflow.RunRole
	if isRole && !raw.Role.Set && !c.bad(raw.Place.At.Key+".role") {
		c.report(strict.At{Line: raw.Place.At.Line, Key: raw.Place.At.Key + ".role"}, "the key is missing", "run: role needs the role that runs")
	}
	for _, k := range []struct {
		set  bool
		at   strict.At
		what string
	}{{raw.Role.Set, raw.Role.At, "role"}, {raw.OnFindings.Set, raw.OnFindings.At, "on_findings"}, {raw.Sees.Set, raw.Sees.At, "sees"}} {
		if !isRole && k.set {
			c.report(k.at, "only a stage with run: role has "+k.what, "remove the key")
		}
	}
	if s.Role == workflow.Planner && isRole {
		c.report(raw.Role.At, "the planner is no stage: it drafts the task before there is a chain", "remove the stage, and ask for it with --prepare")
	}
	if s.Role == workflow.PlanReviewer && isRole {
		c.report(raw.Role.At, "the plan_reviewer is no stage: it reads the draft of a planner, before there is a chain", "remove the stage: naming the role under roles is enough")
	}
	if raw.FixWith.Set && Reads(s.FixWith) {
		c.report(raw.FixWith.At, "the role "+s.FixWith+" cannot write, so it cannot fix", "name a role that writes, such as implementer")
	}
}
