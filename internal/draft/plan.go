package draft

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/strict"
)

// Plan is what a planner makes of a goal. It is a model's proposal and decides
// nothing until Compile has held it against the contract.
type Plan struct {
	Goal        string           `json:"operator_goal"`
	Addition    string           `json:"goal_addition"` // no part of the goal, and shown apart from it
	Kind        string           `json:"task_kind"`
	Deliverable string           `json:"deliverable"`
	NonGoals    []string         `json:"non_goals"`
	Subtasks    []Subtask        `json:"subtasks"`
	Acceptance  []PlannedCheck   `json:"acceptance"`
	Target      string           `json:"target"`
	Access      PlannedAuthority `json:"required_access"`
	Risk        string           `json:"risk"`
	Scope       string           `json:"scope"`
	Estimate    Estimate         `json:"estimate"`
	Stops       []string         `json:"stop_conditions"`
	Visual      *PlannedLook     `json:"visual_qa"`
	Summary     string           `json:"summary"`
}

// Subtask is one step of a plan; it depends on earlier ones only.
type Subtask struct {
	ID        string   `json:"id"`
	Goal      string   `json:"goal"`
	DependsOn []string `json:"depends_on"`
}

// PlannedCheck names a set of checks of the project and what it would show.
type PlannedCheck struct {
	Check  string `json:"check"`
	Covers string `json:"covers"`
}

// PlannedAuthority is what the planner thinks that the work needs.
type PlannedAuthority struct {
	Write   bool `json:"workspace_write"`
	Network bool `json:"network"`
	Land    bool `json:"land"`
}

// Estimate is the planner's guess. It moves no ceiling.
type Estimate struct {
	Rationale string  `json:"rationale"`
	RoleRuns  int     `json:"role_runs"`
	CostUSD   float64 `json:"cost_usd"`
}

// PlannedLook is what a person would want to see in a browser.
type PlannedLook struct {
	Required  bool     `json:"required"`
	Scenarios []string `json:"scenarios"`
}

// ParsePlan reads a planner's answer. Fields that it does not know are allowed;
// faults come as strict.Faults.
func ParsePlan(answer []byte) (Plan, error) {
	var p Plan
	err := strict.JSON(answer, &p, strict.JSONOptions{Name: planFile})
	return p, err
}

// planFile is how faults name a planner's answer.
const planFile = "the planner's answer"

// Ask is what the operator gave and granted. Scope and Risk are "" where they left
// the choice to the planner.
type Ask struct {
	ID        string
	Goal      string
	Scope     string // name of a declared scope
	Risk      string
	Authority contract.Authority
	Browser   bool // browser stages can run here
	Pageless  bool // the repository serves no page that a browser could open
}

// Compile makes the contract of a plan. The goal is the operator's, byte for byte;
// scope and checks are names that the project declares, and the default checks are
// among them; no access is wider and no risk lower than what was given. What does
// not fit is refused whole, as strict.Faults, and nothing is left out in silence.
func Compile(p Plan, ask Ask, project contract.Project) (Task, error) {
	if ask.ID == "" {
		ask.ID = contract.TaskSlug(ask.Goal)
	}
	c := planCheck{plan: p, ask: ask, project: project}
	c.goal()
	c.names()
	c.powers()
	c.texts()
	if err := c.faults.Err(); err != nil {
		return Task{}, err
	}
	_, text, err := contract.Synthesize(ask.ID, ask.Goal, contract.IssueBlock{
		Scope: []string{p.Scope}, Risk: p.Risk, Checks: c.checks(), NonGoals: p.NonGoals, Scenarios: c.scenarios(),
	}, project)
	if err != nil {
		return Task{}, fmt.Errorf("compile the plan of task %q: %w", ask.ID, err)
	}
	return assemble(ask.ID, ask.Goal, text, c.notes(), project)
}

// checks are the default set and those that the plan names, in that order: a plan
// can ask for more to be checked and never for less.
func (c *planCheck) checks() []string {
	var out []string
	for _, name := range append([]string{c.project.Defaults.Checks}, c.named()...) {
		if name != "" && !contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

func (c *planCheck) named() []string {
	var out []string
	for _, a := range c.plan.Acceptance {
		out = append(out, a.Check)
	}
	return out
}

func (c *planCheck) scenarios() []string {
	if c.plan.Visual == nil || !c.plan.Visual.Required || !c.ask.Browser || c.ask.Pageless {
		return nil
	}
	return c.plan.Visual.Scenarios
}

// notes say beside the contract what the planner meant, for the person who reads
// it, and what of it could not be taken over.
func (c *planCheck) notes() []string {
	p := c.plan
	var out []string
	if p.Addition != "" {
		out = append(out, "The planner would add, and it is no part of the goal: "+p.Addition)
	}
	out = append(out, "Deliverable: "+p.Deliverable)
	for _, s := range p.Subtasks {
		out = append(out, "Step "+s.ID+": "+s.Goal)
	}
	for _, a := range p.Acceptance {
		out = append(out, "Check "+a.Check+" covers: "+a.Covers)
	}
	for _, s := range p.Stops {
		out = append(out, "Stop when: "+s)
	}
	out = append(out, fmt.Sprintf("Planner's guess: %d vendor calls, $%.2f. %s", p.Estimate.RoleRuns, p.Estimate.CostUSD, p.Estimate.Rationale))
	if p.Visual != nil && p.Visual.Required {
		why := ""
		switch {
		case !c.ask.Browser:
			why = "No browser stage can run here"
		case c.ask.Pageless:
			why = "The repository serves no page that a browser could open"
		}
		if why != "" {
			out = append(out, why+", so what the planner wants to be seen is left out: "+strings.Join(p.Visual.Scenarios, "; "))
		}
	}
	return out
}
