package policy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

// Absent is the policy of a home that has none: the built-in chain, nobody to
// run it.
func Absent() Policy {
	var raw rawPolicy
	p := raw.policy()
	p.Present = false
	return p
}

// ParsePolicy reads the text of a policy.yaml; file is its name in messages.
// Faults come as strict.Faults.
func ParsePolicy(file string, data []byte) (Policy, error) {
	var raw rawPolicy
	src := strict.Source{File: file}
	c := &policyCheck{src: src, faults: strict.Read(src, data, raw.shape())}
	p := raw.policy()
	if raw.Stages.Set {
		p.Stages, p.WorkflowDeclared = c.stages(raw.Stages.V), true
	}
	for _, e := range raw.Roles.V {
		seen := map[string]bool{}
		for _, v := range e.Of.Profiles.V {
			if v.Set && seen[v.V] {
				c.report(v.At, fmt.Sprintf("the profile %q stands twice", v.V), "keep one: turns are counted by place")
			}
			seen[v.V] = true
		}
		c.peer(e.Name, e.Of, seen)
	}
	c.rungs(raw, p)
	if err := c.faults.Err(); err != nil {
		return Policy{}, err
	}
	return p, nil
}

// rungs holds the pairs that take over against the rosters.
func (c *policyCheck) rungs(raw rawPolicy, p Policy) {
	writers := map[string]bool{}
	for _, rung := range raw.Rungs.V {
		w, r := rung.Implementer, rung.Reviewer
		switch {
		case !w.Set || !r.Set:
			continue
		case w.V == r.V:
			c.report(r.At, "nobody reads what he wrote", "name two profiles")
		case writers[w.V]:
			c.report(w.At, fmt.Sprintf("%q writes on an earlier rung", w.V), "each rung has a writer of its own")
		case !slices.Contains(p.Roles[workflow.Implementer].Profiles, w.V):
			c.report(w.At, fmt.Sprintf("%q is none of the implementer's profiles", w.V), "name it in roles.implementer.profiles too")
		case !slices.Contains(p.Roles[workflow.Reviewer].Profiles, r.V):
			c.report(r.At, fmt.Sprintf("%q is none of the reviewer's profiles", r.V), "name it in roles.reviewer.profiles too")
		}
		writers[w.V] = true
	}
}

// peer holds a pair against the roster that declares it.
func (c *policyCheck) peer(role string, r rawRoster, profiles map[string]bool) {
	key := "roles." + role + ".same_vendor_peer"
	switch {
	case !r.Peer.Set || c.bad(key):
	case role != workflow.Reviewer:
		c.report(r.Peer.At, "only the reviewer reads a peer", "remove the key")
	case r.Independent.Set && r.Independent.V:
		c.report(r.Peer.At, "a peer of the writer's vendor contradicts require_independent_vendor: true", "remove one of them")
	case !profiles[r.PeerReader.V]:
		c.report(r.PeerReader.At, fmt.Sprintf("%q is none of this role's profiles", r.PeerReader.V), "name one of them")
	case r.PeerReader.V == r.PeerWriter.V:
		c.report(r.PeerReader.At, "a profile is no peer of itself", "name two profiles")
	}
}

type policyCheck struct {
	src    strict.Source
	faults strict.Faults
}

func (c *policyCheck) report(at strict.At, message, hint string) {
	c.faults = append(c.faults, c.src.Fault(at, message, hint))
}

func (c *policyCheck) bad(key string) bool {
	return slices.ContainsFunc(c.faults, func(f strict.Fault) bool { return f.Key == key || strings.HasPrefix(f.Key, key+".") })
}

func (r *rawPolicy) policy() Policy {
	p := Policy{
		Present: true, Roles: map[string]Roster{}, ReviewRisks: []string{"medium", "high"},
		Failover: r.Failover.Or("confirm"), RepairReserve: r.Reserve.Or("full"), Stages: workflow.BuiltIn(),
		AllowUnconfined: r.AllowUnconfined.V,
		RateLimitRetry:  RateLimitRetry{MaxAttempts: r.Attempts.V, Backoff: time.Duration(r.Backoff.Or(30)) * time.Second},
		Notes:           map[string]string{},
	}
	if r.ReviewRisks.Set {
		p.ReviewRisks = strict.Strings(r.ReviewRisks.V)
	}
	for _, e := range r.Roles.V {
		rost := Roster{
			Role: e.Name, Profiles: strict.Strings(e.Of.Profiles.V), Strategy: e.Of.Strategy.Or("rotate"),
			Independent: e.Of.Independent.Or(e.Name == workflow.Reviewer || e.Name == workflow.PlanReviewer),
		}
		if e.Of.Peer.Set {
			rost.Peer = &Peer{Implementer: e.Of.PeerWriter.V, Reviewer: e.Of.PeerReader.V}
		}
		p.Roles[e.Name] = rost
	}
	for _, rung := range r.Rungs.V {
		p.Escalation.Rungs = append(p.Escalation.Rungs, Peer{Implementer: rung.Implementer.V, Reviewer: rung.Reviewer.V})
	}
	if len(p.Escalation.Rungs) > 0 {
		p.Escalation.After = r.Reviews.Or(2)
	}
	for key, note := range map[string]strict.Value[string]{"review.note": r.ReviewNote, "failover.note": r.FailoverNote,
		"budget.note": r.BudgetNote, "retry.rate_limited.note": r.RetryNote, "escalation.note": r.EscalationNote} {
		if note.Set {
			p.Notes[key] = note.V
		}
	}
	return p
}

// ReviewRequired reports whether a task of this risk must be reviewed.
func (p Policy) ReviewRequired(risk string) bool { return slices.Contains(p.ReviewRisks, risk) }
