package runner

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/workflow"
)

// PlanReviewStep is the reading of a draft.
func PlanReviewStep() workflow.Step {
	return workflow.Step{Stage: workflow.Stage{Name: "plan_review", Run: workflow.RunRole, Role: workflow.PlanReviewer, OnFail: workflow.RouteStop, OnFindings: workflow.RouteStop}}
}

// PlanSteps are the stages of a preparation under a policy: a draft is read where the
// policy names somebody for it.
func PlanSteps(h policy.Home) []workflow.Step {
	steps := []workflow.Step{PlanStep()}
	if _, declared := h.Policy.Roles[workflow.PlanReviewer]; declared {
		steps = append(steps, PlanReviewStep())
	}
	return steps
}

// reviewed has the contract of an accepted draft read, if anybody reads drafts. A
// task that is there is read in the place of the draft, since it is what will run,
// and no other draft could change it.
func (p *preparation) reviewed(ctx context.Context, n int, drafted engine.RoleOutcome) (code outcome.Code, detail string, more bool, err error) {
	if len(PlanSteps(p.order.Home)) == 1 {
		return outcome.Prepared, drafted.Summary, false, nil
	}
	text := p.contract()
	if n > 0 && bytes.Equal(text, p.read) {
		return outcome.PlanReviewFindingsRemain, "the second draft is the first one, byte for byte, so it was not read again: " + objections(p.findings), false, nil
	}
	task, err := contract.ParseTask(p.out.Task.File, text, p.order.Project)
	if err != nil {
		return "", "", false, err
	}
	task.Path = strings.TrimPrefix(p.out.Task.File, ".warden/")
	by := *p.roles
	by.order.Task = task
	call := engine.RoleCall{Step: PlanReviewStep(), Attempt: n, Context: draftText(text, drafted.Answer, p.findings)}
	for _, c := range drafted.Calls {
		call.Writers = append(call.Writers, c.Vendor)
	}
	out, err := p.attempt(ctx, &by, call, "plan-review")
	if err != nil {
		return "", "", false, err
	}
	if !out.OK {
		return workflow.Reason(PlanReviewStep().Stage, out.Code), out.Detail, false, nil
	}
	p.read, p.findings = text, out.Findings
	if len(outcome.Blocking(out.Findings)) == 0 {
		return outcome.Prepared, drafted.Summary, false, nil
	}
	return outcome.PlanReviewFindingsRemain, objections(out.Findings), p.order.Text == nil, nil
}

// contract is the text that the run after the preparation would be judged by.
func (p *preparation) contract() []byte {
	if p.order.Text != nil {
		return p.order.Text
	}
	return p.out.Task.YAML
}

// question keeps what a person needs to answer: the text that would be the contract,
// and the goal for another draft.
func (p *preparation) question() ([]ledger.File, error) {
	e, dir := &p.out.Ending, p.order.Ledger.ID()+"/context/"
	e.NextAction, e.OpenFindings = engine.HumanEscalation, p.findings
	text, err := p.order.Ledger.WriteFile(dir+"task.yaml", p.contract())
	if err != nil {
		return nil, err
	}
	goal, err := p.order.Ledger.WriteFile(dir+"goal.txt", []byte(p.ask.Goal))
	if err != nil {
		return nil, err
	}
	c := ledger.ContractChange{File: p.out.Task.File, Text: text.Path, After: text.SHA256}
	if p.order.Text != nil {
		c.Before = hexDigest(p.order.Text)
	}
	if text.SHA256 != hexDigest(p.contract()) {
		c.After, c.Problem = "", "the draft holds a secret"
	}
	for _, f := range outcome.Blocking(p.findings) {
		c.Findings = append(c.Findings, f.ID)
	}
	e.ContractChange = &c
	return []ledger.File{text, goal}, nil
}

// objections are the blocking findings in one line each, as data.
func objections(findings []outcome.Finding) string {
	var out []string
	for _, f := range outcome.Blocking(findings) {
		out = append(out, plain.Line(fmt.Sprintf("%s (%s, %s): %s; expected: %s", f.ID, f.Category, f.Field, f.Message, f.Expected), 600))
	}
	const most = 20
	if len(out) > most {
		out = append(out[:most], fmt.Sprintf("and %d more", len(out)-most))
	}
	return "the reader of the draft objects: " + strings.Join(out, "\n")
}

// draftText is what the reader of a draft is given: the contract, what the planner
// said beside it, and what the reader objected to before.
func draftText(text, answer []byte, before []outcome.Finding) []byte {
	var b strings.Builder
	b.WriteString("# The contract as it was drafted\n\n" + fenced(string(text)))
	b.WriteString("\n# What the planner answered\n\n" + fenced(string(answer)))
	if len(before) > 0 {
		b.WriteString("\n# What you objected to in the first draft\n\nKeep the id of what still stands.\n\n" + fenced(objections(before)))
	}
	return []byte(b.String())
}

// fenced sets a text apart; no run of backticks in it ends the block.
func fenced(text string) string {
	bar := "```"
	for strings.Contains(text, bar) {
		bar += "`"
	}
	return bar + "text\n" + strings.TrimSuffix(text, "\n") + "\n" + bar + "\n"
}

func hexDigest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
