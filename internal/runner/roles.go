package runner

import (
	"context"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/roster"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/vendor"
	"github.com/tolboy/warden/internal/workflow"
)

// roles dispatches for the engine.
type roles struct {
	machine    *Machine
	order      Order
	eyes       *eyes
	dispatcher *role.Dispatcher
}

// Preflight implements engine.Roles: a roster that cannot finish the chain is
// found before the first vendor is paid.
func (r *roles) Preflight(_ context.Context, steps []workflow.Step) *engine.Refusal {
	p := r.order.Home.Policy
	if p.Present && p.Err != nil {
		return &engine.Refusal{Code: outcome.PolicyInvalid, Detail: p.Err.Error()}
	}
	if r.machine.Required && r.machine.Sandbox.Backend == sandbox.None {
		return &engine.Refusal{Code: outcome.Unconfined, Detail: "this run requires a sandbox and there is none: " + r.machine.Sandbox.Reason}
	}
	writers := append([]string{}, r.order.Writers...)
	for _, s := range steps {
		if s.Skip != "" || s.Run != workflow.RunRole {
			continue
		}
		choice, code := r.resolve(s, writers)
		if code != outcome.OK {
			return unresolved(s, choice, code)
		}
		if !choice.Profile.ReadOnly {
			writers = append(writers, choice.Profile.Vendor)
		}
	}
	return nil
}

func (r *roles) resolve(s workflow.Step, writers []string) (roster.Choice, outcome.Code) {
	v := vendor.New()
	return roster.Resolve(roster.Request{
		Role: s.Role, Home: r.order.Home, Writers: writers, Rotation: r.rotation(s),
		Pinned:    r.pinned(s.Role),
		Available: func(p policy.Profile) error { return v.Available(p, r.machine.Environ) },
	})
}

func unresolved(s workflow.Step, choice roster.Choice, code outcome.Code) *engine.Refusal {
	var why []string
	for _, x := range choice.Rejected {
		why = append(why, x.Profile+": "+x.Reason)
		if x.Reason == string(outcome.JudgeNotReadOnly) {
			code = outcome.JudgeNotReadOnly
		}
	}
	reason := outcome.Code(s.Role + "_failed")
	if s.Role != workflow.Implementer {
		reason = outcome.IndependentReviewMissing
	}
	if code == outcome.JudgeNotReadOnly {
		reason = code
	}
	return &engine.Refusal{Code: reason, Detail: fmt.Sprintf("nobody may take the role %s (%s)", s.Role, strings.Join(why, "; "))}
}

func (r *roles) rotation(s workflow.Step) int {
	n, _ := roster.Rotation(r.order.Home.Policy, s.Name, s.Role, r.order.Rotation)
	return n
}

func (r *roles) pinned(name string) string {
	if s := r.order.Switch; s != nil && s.Role == name {
		return s.Profile
	}
	return ""
}

// Dispatch implements engine.Roles.
func (r *roles) Dispatch(ctx context.Context, c engine.RoleCall) (engine.RoleOutcome, error) {
	req := role.Request{
		RunID: r.order.Ledger.ID(), EvidenceDir: c.Evidence, StageName: c.Step.Name, Role: c.Role, Attempt: c.Attempt,
		Task: r.order.Task, ProjectName: r.order.Task.Project, Root: r.order.Worktree, Base: r.order.Base,
		Changed: c.Before.Changed, Context: c.Context, Writers: readers(c), DryRun: c.DryRun,
		Switch: r.order.Switch, Rotation: r.rotation(c.Step),
	}
	if c.Settle != nil {
		req.Settle = func(_ policy.Profile, u usage.Call) { c.Settle(u) }
	}
	if c.Charge != nil {
		req.Reserve = func(p policy.Profile) error { return nil }
		req.OnDispatch = func(d role.Dispatch) error { return r.charge(c, d) }
	}
	res, err := r.dispatcher.Dispatch(ctx, req)
	out := engine.RoleOutcome{RoleRun: res.Record, Switched: res.Switched, Files: res.Files, Duration: res.Duration}
	if err != nil {
		return out, err
	}
	if res.After.Source != "" {
		out.After, err = r.eyes.tree(res.After)
	}
	return out, err
}

// charge asks the engine for the call and tells the narration who makes it.
func (r *roles) charge(c engine.RoleCall, d role.Dispatch) error {
	limit := d.Limit
	if limit <= 0 {
		limit = d.Profile.WallClock
	}
	refusal := c.Charge(ledger.VendorCallStarted{
		Profile: d.Profile.Name, Vendor: d.Profile.Vendor, Model: d.Profile.Model, VendorAttempt: d.VendorAttempt,
		LimitSeconds: int64(limit.Seconds()), PromptSHA256: d.PromptSHA256,
	})
	if refusal != nil {
		return &role.Refused{Code: refusal.Code, Detail: refusal.Detail}
	}
	if c.Notice != nil {
		c.Notice(engine.Notice{Kind: engine.NoticeDispatch, Stage: c.Step.Name, Text: c.Role, Profile: d.Profile.Name,
			Vendor: d.Profile.Vendor, Model: d.Profile.Model, Limit: limit})
	}
	return nil
}

// readers are the vendors that a judging role must not share; the writer is
// never compared with itself.
func readers(c engine.RoleCall) []string {
	if c.Role == workflow.Implementer {
		return nil
	}
	return c.Writers
}
