package runner

import (
	"context"
	"slices"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/roster"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// roles dispatches for the engine.
type roles struct {
	machine    *Machine
	order      Order
	eyes       *eyes
	dispatcher *role.Dispatcher
	authors    []string // profiles that wrote in this run
	blocked    int      // reviews of this run that blocked
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
	req := r.request(c.Step)
	req.EvidenceDir, req.Role, req.Attempt = c.Evidence, c.Role, c.Attempt
	req.Limit = c.Limit
	req.Changed, req.Context, req.Writers, req.DryRun = c.Before.Changed, c.Context, readers(c), c.DryRun
	if l := c.Look; l != nil {
		req.Look = &role.Look{Pictures: l.Pictures, Report: l.Report, Acquire: l.Acquire}
	}
	req.Unexplained, req.PeerAllowed = c.Unexplained, r.peerAllowed()
	req.Authors = slices.Concat(r.order.Authors, r.authors)
	if c.Settle != nil {
		req.Settle = func(_ policy.Profile, u usage.Call) { c.Settle(u) }
	}
	if c.Charge != nil {
		req.Reserve = func(p policy.Profile) error { return nil }
		req.OnDispatch = func(d role.Dispatch) error { return r.charge(c, d) }
	}
	pinned, code := r.escalated(c.Role)
	if code != outcome.OK {
		return r.exhausted(c), nil
	}
	req.Pinned, req.Before = pinned, r.eyes.take()
	res, err := r.dispatcher.Dispatch(ctx, req)
	r.reviewed(c, res.Record)
	if pinned != "" && res.Code == outcome.RoleUnresolved {
		res.Record.Code = outcome.EscalationUnavailable
	}
	r.wrote(res.Record)
	res.Record.RoleContract = r.terms(r.place(c), res.Record.Profile)
	out := engine.RoleOutcome{RoleRun: res.Record, Switched: res.Switched, Files: res.Files, Duration: res.Duration, Answer: res.Artifact}
	if err != nil {
		return out, err
	}
	if res.After.Source != "" {
		r.eyes.saw(res.After)
		out.After, err = r.eyes.tree(res.After)
	}
	return out, err
}

// look is what a role that judges pictures is shown where no browser stage ran: none,
// unless the task lets it take its own.
func (r *roles) look(name string) *engine.Look {
	if name != workflow.VisualQA {
		return nil
	}
	return &engine.Look{Acquire: r.acquires(name)}
}

// acquires reports whether the role takes the pictures itself that it judges.
func (r *roles) acquires(name string) bool {
	return name == workflow.VisualQA && r.order.Task.Visual.Evidence == contract.EvidenceAgent
}

// wrote remembers by which profiles the candidate was written.
func (r *roles) wrote(record ledger.RoleRun) {
	for _, call := range record.Calls {
		if p, known := r.order.Home.Profiles[call.Profile]; !known || !p.ReadOnly {
			r.authors = append(r.authors, call.Profile)
		}
	}
}

// peerAllowed reports whether the task lets a peer of the writer's vendor read.
func (r *roles) peerAllowed() bool { return r.order.Task.Assurance == contract.SameVendorPeer }

// charge asks the engine for the call and tells the narration who makes it.
func (r *roles) charge(c engine.RoleCall, d role.Dispatch) error {
	limit := d.Profile.WallClock
	if d.Limit > 0 {
		limit = min(limit, d.Limit)
	}
	refusal := c.Charge(ledger.VendorCallStarted{
		Profile: d.Profile.Name, Vendor: d.Profile.Vendor, Model: d.Profile.Model, VendorAttempt: d.VendorAttempt,
		LimitSeconds: int64(limit.Seconds()), PromptSHA256: d.PromptSHA256, MaxCostUSD: d.Profile.MaxCostUSD,
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
