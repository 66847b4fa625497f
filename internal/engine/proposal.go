package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/workflow"
)

// Contract is the task's file as it was read for the run, and the project that it
// was read against. Without the text no edit of it can be offered.
type Contract struct {
	Text    []byte
	Project contract.Project
}

// propose turns what readers would have added to the task into an edit that a person
// can have made, and keeps the text as it would be written. It is offered where
// nothing else stands in the way: while a finding is the writer's to mend, the
// contract is not what holds the work up.
func (r *run) propose() ([]ledger.File, error) {
	e := &r.end
	if e.OK || r.DryRun || len(r.Contract.Text) == 0 || r.Task.Path == "" || len(outcome.Mendable(e.OpenFindings)) > 0 || !r.stoppedByFindings() {
		return nil, nil
	}
	c := ledger.ContractChange{File: ".warden/" + r.Task.Path, Before: hexSum(r.Contract.Text)}
	for _, f := range outcome.ForPeople(e.OpenFindings) {
		if len(f.ProposedAcceptance)+len(f.ProposedScope) == 0 {
			continue
		}
		c.Findings = append(c.Findings, f.ID)
		c.Acceptance, c.Scope = union(c.Acceptance, f.ProposedAcceptance), union(c.Scope, f.ProposedScope)
	}
	if len(c.Findings) == 0 {
		return nil, nil
	}
	e.ContractChange = &c
	text, err := contract.Amend(c.File, r.Contract.Text, r.Contract.Project, contract.Amendment{Acceptance: c.Acceptance, Scope: c.Scope})
	if err != nil {
		c.Problem = plain.Line(err.Error(), maxQuoted)
		return nil, nil
	}
	file, err := r.Journal.WriteFile(r.RunID+"/context/proposed-"+path.Base(r.Task.Path), text)
	if err != nil {
		return nil, err
	}
	if c.Text, c.After = file.Path, file.SHA256; file.SHA256 != hexSum(text) {
		c.Problem, c.After = "the proposed text holds a secret", ""
	}
	return []ledger.File{file}, nil
}

// stoppedByFindings reports whether it is findings that the run ended with.
func (r *run) stoppedByFindings() bool {
	return slices.ContainsFunc(r.Steps, func(s workflow.Step) bool { return s.Name == r.end.Stage && s.FindingsReason() == r.end.Code })
}

// proposalText is what a person does about a proposed edit.
func proposalText(c ledger.ContractChange) string {
	var adds []string
	for _, a := range []struct {
		what string
		list []string
	}{{"acceptance", c.Acceptance}, {"scope", c.Scope}} {
		if len(a.list) > 0 {
			adds = append(adds, a.what+": "+plain.Line(strings.Join(a.list, " && "), maxQuoted))
		}
	}
	return fmt.Sprintf("read what a reader would add to %s (%s), as it would stand in %s; answer apply to have exactly that written, which ends every verdict given under the contract of now, or abort",
		plain.Line(c.File, maxQuoted), strings.Join(adds, "; "), ".warden/runs/"+c.Text)
}

func union(list, more []string) []string {
	for _, m := range more {
		if !slices.Contains(list, m) {
			list = append(list, m)
		}
	}
	return list
}

func hexSum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
