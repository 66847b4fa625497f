package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/scenario"
	"github.com/tolboy/warden/internal/strict"
)

// Bounds of the lists and texts of a plan.
const (
	maxPlanned  = 20
	maxSubtasks = 8
	maxPlanText = 500 // characters of one line
)

// planCheck gathers what is wrong with a plan.
type planCheck struct {
	plan    Plan
	ask     Ask
	project contract.Project
	faults  strict.Faults
}

func (c *planCheck) report(key, message, hint string) {
	c.faults = append(c.faults, strict.Fault{File: planFile, Line: 1, Key: key, Message: message, Hint: hint})
}

func (c *planCheck) goal() {
	if c.plan.Goal != c.ask.Goal {
		c.report("operator_goal", "it is not the goal that was given", "repeat the goal byte for byte, with its line breaks")
	}
}

// names holds scope and checks against what the project declares.
func (c *planCheck) names() {
	var scopes, sets []string
	for _, s := range c.project.Scopes {
		scopes = append(scopes, s.Name)
	}
	for _, s := range c.project.CheckSets {
		sets = append(sets, s.Name)
	}
	switch {
	case !contains(scopes, c.plan.Scope):
		c.report("scope", fmt.Sprintf("the project declares no scope named %q", shown(c.plan.Scope)), strict.Suggest(c.plan.Scope, scopes))
	case c.ask.Scope != "" && c.plan.Scope != c.ask.Scope:
		c.report("scope", fmt.Sprintf("the scope is %q, the operator said %q", c.plan.Scope, c.ask.Scope), "keep what was given")
	}
	if len(c.plan.Acceptance) > maxPlanned {
		c.report("acceptance", fmt.Sprintf("%d entries, the limit is %d", len(c.plan.Acceptance), maxPlanned), "")
		return
	}
	for i, a := range c.plan.Acceptance {
		if !contains(sets, a.Check) {
			c.report(fmt.Sprintf("acceptance[%d].check", i+1), fmt.Sprintf("the project declares no set of checks named %q", shown(a.Check)),
				"a plan names sets, never commands; "+strict.Suggest(a.Check, sets))
		}
	}
}

// powers holds what the plan would need, and the risk by which it is read, against
// what was given.
func (c *planCheck) powers() {
	p, granted := c.plan.Access, c.ask.Authority
	for _, a := range []struct {
		key         string
		asks, grant bool
	}{{"network", p.Network, granted.Network}, {"land", p.Land, false}, {"workspace_write", p.Write, granted.WorkspaceWrite}} {
		if a.asks && !a.grant {
			c.report("required_access."+a.key, "the task is not granted it", "plan without it, or answer with status blocked and say why it is needed")
		}
	}
	if !p.Write {
		c.report("required_access.workspace_write", "work that changes no file makes no candidate", "plan a change, or answer with status blocked")
	}
	if c.plan.Target != "local" {
		c.report("target", fmt.Sprintf("the target is %q, and the work is done on files alone", shown(c.plan.Target)), "write local, or answer with status blocked")
	}
	ranks := []string{"low", "medium", "high"}
	rank, least := slices.Index(ranks, c.plan.Risk), slices.Index(ranks, c.project.Defaults.Risk)
	switch {
	case rank < 0:
		c.report("risk", fmt.Sprintf("unknown word %q", shown(c.plan.Risk)), "low, medium or high")
	case c.ask.Risk != "" && c.plan.Risk != c.ask.Risk:
		c.report("risk", fmt.Sprintf("the risk is %s, the operator said %s", c.plan.Risk, c.ask.Risk), "keep what was given")
	case c.ask.Risk == "" && rank < least:
		c.report("risk", fmt.Sprintf("the risk is %s, below the project's %s", c.plan.Risk, c.project.Defaults.Risk), "only a person lowers it: it decides who reads the work")
	}
}

// texts bounds what the model wrote, and the order of its steps.
func (c *planCheck) texts() {
	p := c.plan
	c.lines("non_goals", p.NonGoals, maxPlanned)
	c.lines("stop_conditions", p.Stops, maxPlanned)
	if c.plan.Visual != nil {
		c.lines("visual_qa.scenarios", p.Visual.Scenarios, maxPlanned)
		c.sayable(c.scenarios())
	}
	if len([]rune(p.Addition)) > maxPlanText {
		c.report("goal_addition", fmt.Sprintf("more than %d characters", maxPlanText), "the goal is the operator's; an addition is short")
	}
	if strings.TrimSpace(p.Deliverable) == "" {
		c.report("deliverable", "it is empty", "say what there is when the work is done")
	}
	if len(p.Subtasks) > maxSubtasks {
		c.report("subtasks", fmt.Sprintf("%d entries, the limit is %d", len(p.Subtasks), maxSubtasks), "")
		return
	}
	var earlier []string
	for i, s := range p.Subtasks {
		key := fmt.Sprintf("subtasks[%d]", i+1)
		if s.ID == "" || contains(earlier, s.ID) {
			c.report(key+".id", "it is empty, or was used before", "")
		}
		for _, d := range s.DependsOn {
			if !contains(earlier, d) {
				c.report(key+".depends_on", fmt.Sprintf("no earlier step is named %q", shown(d)), "put a step behind those that it needs")
			}
		}
		earlier = append(earlier, s.ID)
	}
}

func (c *planCheck) lines(key string, list []string, most int) {
	if len(list) > most {
		c.report(key, fmt.Sprintf("%d entries, the limit is %d", len(list), most), "")
		return
	}
	for i, s := range list {
		if len([]rune(s)) > maxPlanText || strings.ContainsAny(s, "\r\n") || strings.TrimSpace(s) == "" {
			c.report(fmt.Sprintf("%s[%d]", key, i+1), "not one line of text", fmt.Sprintf("at most %d characters", maxPlanText))
		}
	}
}

// sayable holds the scenarios to the language of them: one that cannot be run would
// stop the task before its first call.
func (c *planCheck) sayable(scenarios []string) {
	for i, s := range scenarios[:min(len(scenarios), maxPlanned)] {
		_, faults := scenario.Read(s)
		for _, f := range faults {
			c.report(fmt.Sprintf("visual_qa.scenarios[%d]", i+1), shown(f.Scenario()+": "+f.Error()), "write for example: 1280x720: testid=save click -> text=Saved visible")
		}
	}
}

func contains(list []string, s string) bool { return slices.Contains(list, s) }

// shown is what a model wrote, short enough for a message.
func shown(s string) string { return plain.Line(s, 80) }
