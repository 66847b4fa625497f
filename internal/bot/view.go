package bot

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/publish"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/usage"
)

func rules(o reconcile.Observed) publish.Rules {
	return publish.Rules{Permission: string(o.Config.DecidePermission), SelfAccept: o.Config.SelfAccept, Approvals: max(1, o.Config.Approvals)}
}

// view is a run as people see it, taken from its ledger alone.
func (b *Bot) view(ctx context.Context, o reconcile.Observed, h ledger.History) (publish.View, error) {
	head := h.Run
	base, err := b.Workshop.Base(ctx, "")
	if err != nil {
		return publish.View{}, err
	}
	v := publish.View{
		Issue: o.Issue.Number, IssueTitle: o.Issue.Title, RunID: head.RunID, Phase: publish.Running, Branch: head.Branch,
		Base: head.BaseCommit, BaseRef: base.Ref, LedgerRef: archive.Ref(head.RunID), Confinement: head.Confinement, Rules: rules(o),
	}
	if head.Forge != nil {
		v.Labeler = head.Forge.Actor.Login
	}
	if o.Pull != nil {
		v.PullNumber, v.PullURL = o.Pull.Number, o.Pull.URL
	}
	ran := false
	v.DecisionHead = h.DecisionHead()
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			return v, err
		}
		ran = ran || started(p)
		b.show(&v, l, p)
	}
	v.Unconfined = ran && strings.HasPrefix(head.Confinement, "none")
	v.LessConfined = ran && strings.HasPrefix(head.Confinement, "landlock")
	v.NothingRan = !ran && v.Reason == string(outcome.Unconfined)
	for _, r := range o.Runs {
		if r.ID == head.RunID {
			phase(&v, r)
		}
	}
	if o.Pull != nil && v.Candidate != "" && o.Pull.Open && o.Pull.HeadSHA != v.Candidate && v.Phase != publish.Waiting {
		v.Head = o.Pull.HeadSHA
	}
	return v, nil
}

// started reports whether a line tells of a child: a vendor that was called, or a
// command. What was refused leaves lines of the same types, without either.
func started(payload any) bool {
	switch p := payload.(type) {
	case *ledger.VendorCallStarted:
		return true
	case *ledger.GateRun:
		return len(p.Commands) > 0
	case *ledger.VisualRun:
		return p.Network != ""
	case *ledger.Ending:
		return p.Code == outcome.SetupFailed
	}
	return false
}

// show folds one line of the ledger into the view.
func (b *Bot) show(v *publish.View, l ledger.Line, payload any) {
	switch p := payload.(type) {
	case *ledger.RunReserved:
		v.Goal = p.Goal
		for _, s := range p.Stages {
			v.Verdicts = append(v.Verdicts, publish.Verdict{Name: s.Name, Result: "not_run"})
		}
	case *ledger.StageSkipped:
		verdict(v, p.Stage, "skipped", p.Reason)
	case *ledger.GateRun:
		name := p.Stage
		if name == "" {
			name = p.Label
			v.Verdicts = append([]publish.Verdict{{Name: name}}, v.Verdicts...)
		}
		verdict(v, name, result(p.OK), gateDetail(p))
		stage(v, name, "gates", publish.Stage{Result: string(p.Code), Duration: millis(p.DurationMillis)})
	case *ledger.VisualRun:
		verdict(v, p.Stage, result(p.OK), p.Message)
		scenarios(v, p)
		stage(v, p.Stage, "visual_harness", publish.Stage{Result: string(p.Code), Duration: millis(p.DurationMillis)})
	case *ledger.RoleRun:
		b.showRole(v, p)
	case *ledger.Ending:
		v.Reason, v.NextAction, v.Total, v.Duration, v.Findings, v.Files = string(p.Code), p.NextAction, p.Usage, millis(p.DurationMillis), p.OpenFindings, p.ChangedFiles
		v.SealedHead = l.SHA256
		for _, x := range []string{p.Detail, p.SafeNextStep} {
			if x != "" && !p.OK {
				v.Problems = append(v.Problems, x)
			}
		}
		if p.Candidate != nil {
			v.Candidate = p.Candidate.Commit
		}
		if p.Parked != nil {
			v.Parked, v.ParkedLeft, v.ParkedNot = p.Parked.Commit, p.Parked.Left, p.Parked.Problem
		}
		v.Phase = publish.Failed
		if p.OK {
			v.Phase = publish.Waiting
		}
		for _, w := range question(*p).Options() {
			v.Options = append(v.Options, string(w))
		}
	case *ledger.DecisionPending:
		v.ExpiresAt = p.ExpiresAt
	case *ledger.HumanDecision:
		v.Decisions = append(v.Decisions, publish.Decided{Word: p.Decision, Actor: p.Actor.Login, Source: p.Source, Candidate: p.Commit, NoteSHA256: p.NoteSHA256, At: p.AnsweredAt})
	case *ledger.DecisionVoid:
		v.Decisions = append(v.Decisions, publish.Decided{Word: "void", Candidate: p.Commit, Cause: p.Reason, At: l.At})
	case *ledger.Done:
		if p.Purpose == string(reconcile.PiecePull) && p.Detail == "draft_unsupported" {
			v.DraftUnsupported = true
		}
		if p.Purpose == string(reconcile.MarkReady) && !p.OK {
			v.ReadyForbidden = true
		}
	}
}

func (b *Bot) showRole(v *publish.View, p *ledger.RoleRun) {
	name := p.Stage
	if name == "" {
		name = fmt.Sprintf("repair %d", p.Attempt)
	} else {
		detail := p.Verdict
		if p.Blocking > 0 {
			detail = fmt.Sprintf("%s, %d blocking finding(s)", p.Verdict, p.Blocking)
		}
		if !p.OK {
			detail = string(p.Code)
		}
		verdict(v, name, result(p.OK && p.Blocking == 0), detail)
	}
	millisKnown, _ := p.DurationMillis.Get()
	stage(v, name, "role", publish.Stage{Profile: p.Profile, Vendor: p.Vendor, Model: p.Model, Result: string(p.Code), Duration: millis(int64(millisKnown))})
	for _, c := range p.Calls {
		vendor(v, c)
	}
	if p.Role == "implementer" && p.Summary != "" {
		v.Summary = p.Summary
	}
	if p.Independence != "" && p.ReadOnly {
		v.Independence = p.Independence
	}
}

func verdict(v *publish.View, name, result, detail string) {
	for i := range v.Verdicts {
		if v.Verdicts[i].Name == name {
			v.Verdicts[i].Result, v.Verdicts[i].Detail = result, detail
			return
		}
	}
}

// stage adds one execution; several of the same stage share a row.
func stage(v *publish.View, name, kind string, s publish.Stage) {
	s.Name, s.Kind, s.Attempts = name, kind, 1
	for i := range v.Stages {
		if have := &v.Stages[i]; have.Name == name && have.Profile == s.Profile {
			have.Attempts++
			have.Duration += s.Duration
			have.Result = s.Result
			return
		}
	}
	v.Stages = append(v.Stages, s)
}

func vendor(v *publish.View, c ledger.VendorCall) {
	model := c.Model
	if c.ModelReported != "" {
		model = c.ModelReported
	}
	took, _ := c.DurationMillis.Get()
	for i := range v.Vendors {
		if have := &v.Vendors[i]; have.Name == c.Vendor && have.Model == model {
			have.Usage, have.Duration = have.Usage.Add(c.Usage), have.Duration+millis(int64(took))
			return
		}
	}
	v.Vendors = append(v.Vendors, publish.Vendor{Name: c.Vendor, Model: model, Usage: usage.Total{}.Add(c.Usage), Duration: millis(int64(took))})
}

func gateDetail(p *ledger.GateRun) string {
	if !p.OK {
		return p.Message
	}
	var names []string
	for _, c := range p.Commands {
		names = append(names, c.Command)
	}
	return strings.Join(names, ", ")
}

func result(ok bool) string {
	if ok {
		return "passed"
	}
	return "failed"
}

// phase says where the run's question stands.
func phase(v *publish.View, r reconcile.Run) {
	if len(r.Decisions) == 0 {
		return
	}
	last := r.Decisions[len(r.Decisions)-1]
	switch last.Word {
	case reconcile.Accept:
		v.Phase = publish.Accepted
	case reconcile.Reject:
		v.Phase = publish.Rejected
		if last.Cause == reconcile.PullClosed {
			v.Phase = publish.Closed
		}
	case reconcile.Void:
		v.Phase = publish.Void
	case reconcile.Abort:
		v.Phase = publish.Aborted
	case reconcile.Merged:
		v.Phase = publish.Merged
	}
}

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
