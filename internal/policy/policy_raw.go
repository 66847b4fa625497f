package policy

import "github.com/tolboy/warden/internal/strict"

// rawPolicy is policy.yaml as written. Its shape is the one list of keys.
type rawPolicy struct {
	Version         strict.Value[int]
	Roles           strict.Value[[]strict.Entry[rawRoster]]
	ReviewRisks     strict.Value[[]strict.Value[string]]
	ReviewNote      strict.Value[string]
	Failover        strict.Value[string]
	FailoverNote    strict.Value[string]
	Reserve         strict.Value[string]
	BudgetNote      strict.Value[string]
	Stages          strict.Value[[]rawStage]
	AllowUnconfined strict.Value[bool]
	Attempts        strict.Value[int]
	Backoff         strict.Value[int]
	RetryNote       strict.Value[string]
	Reviews         strict.Value[int]
	Rungs           strict.Value[[]rawRung]
	EscalationNote  strict.Value[string]
}

type rawRung struct {
	Place                 strict.Value[struct{}]
	Implementer, Reviewer strict.Value[string]
}

type rawRoster struct {
	Profiles    strict.Value[[]strict.Value[string]]
	Strategy    strict.Value[string]
	Independent strict.Value[bool]
	Peer        strict.Value[struct{}]
	PeerWriter  strict.Value[string]
	PeerReader  strict.Value[string]
}

type rawStage struct {
	Place      strict.Value[struct{}]
	Name       strict.Value[string]
	Run        strict.Value[string]
	Role       strict.Value[string]
	When       strict.Value[[]strict.Value[string]]
	OnFail     strict.Value[string]
	OnFindings strict.Value[string]
	Recheck    strict.Value[bool]
	FixWith    strict.Value[string]
	Sees       strict.Value[string]
}

func (r *rawPolicy) shape() strict.Object {
	note := func(v *strict.Value[string]) strict.Field {
		return strict.Field{Key: "note", Doc: "anything for people", Of: strict.Text(v)}
	}
	return strict.Object{
		Fields: []strict.Field{
			{Key: "version", Required: true, Doc: "the version of this file, 1", Of: strict.Int(&r.Version, 1, 1)},
			{Key: "roles", Required: true, Doc: "who fills which role", Of: strict.Table(&r.Roles, 1, role(), (*rawRoster).shape)},
			{Key: "review", Doc: "when a review is required", Of: strict.Object{Fields: []strict.Field{
				{Key: "required_for_risk", Doc: "risks of tasks; default medium and high", Of: strict.Texts(&r.ReviewRisks, 0, strict.Words("low", "medium", "high"))},
				note(&r.ReviewNote),
			}}},
			{Key: "failover", Doc: "what happens when a vendor's plan is spent", Of: strict.Object{Fields: []strict.Field{
				{Key: "on_quota_exhausted", Doc: "ask a person, switch, or stop; default confirm", Of: strict.Text(&r.Failover, strict.Words("confirm", "auto", "stop"))},
				note(&r.FailoverNote),
			}}},
			{Key: "budget", Doc: "how vendor calls are reserved", Of: strict.Object{Fields: []strict.Field{
				{Key: "repair_reserve", Doc: "how much of the chain a fix round must leave affordable; default full", Of: strict.Text(&r.Reserve, strict.Words("full", "partial"))},
				note(&r.BudgetNote),
			}}},
			{Key: "workflow", Doc: "the order of the stages, in place of the built-in one", Of: strict.Object{Fields: []strict.Field{
				{Key: "stages", Required: true, Doc: "the stages in order", Of: strict.List(&r.Stages, 1, (*rawStage).shape)},
			}}},
			{Key: "allow_unconfined", Doc: "run without a sandbox where one is required; every result says so; default false", Of: strict.Bool(&r.AllowUnconfined)},
			{Key: "retry", Doc: "what happens when a vendor is busy", Of: strict.Object{Fields: []strict.Field{
				{Key: "rate_limited", Doc: "calls that hit a rate limit", Of: strict.Object{Fields: []strict.Field{
					{Key: "max_attempts", Doc: "further calls; default 0", Of: strict.Int(&r.Attempts, 0, 5)},
					{Key: "backoff_seconds", Doc: "pause before each; default 30", Of: strict.Int(&r.Backoff, 1, 900)},
					note(&r.RetryNote),
				}}},
			}}},
			{Key: "escalation", Doc: "who takes over when reviews keep blocking", Of: strict.Object{Fields: []strict.Field{
				{Key: "after_blocking_reviews", Doc: "blocking reviews before each rung; default 2", Of: strict.Int(&r.Reviews, 1, 10)},
				{Key: "rungs", Required: true, Doc: "the pairs in order", Of: strict.List(&r.Rungs, 1, (*rawRung).shape)},
				note(&r.EscalationNote),
			}}},
		},
	}
}

func (r *rawRung) shape() strict.Shape {
	return strict.Object{Got: &r.Place, Fields: []strict.Field{
		{Key: "implementer", Required: true, Doc: "profile that writes from then on", Of: strict.Text(&r.Implementer, name("profile"))},
		{Key: "reviewer", Required: true, Doc: "profile that reads from then on", Of: strict.Text(&r.Reviewer, name("profile"))},
	}}
}

func (r *rawRoster) shape() strict.Shape {
	return strict.Object{
		Fields: []strict.Field{
			{Key: "profiles", Required: true, Doc: "names of profiles, in order of preference", Of: strict.Texts(&r.Profiles, 1, name("profile"))},
			{Key: "strategy", Doc: "take turns, or always the first that may; default rotate", Of: strict.Text(&r.Strategy, strict.Words("rotate", "first"))},
			{Key: "require_independent_vendor", Doc: "whether a vendor that wrote may not fill it; default true for reviewer", Of: strict.Bool(&r.Independent)},
			{Key: "same_vendor_peer", Doc: "a reader who may read one writer of the same vendor, where the task says so too", Of: strict.Object{Got: &r.Peer, Fields: []strict.Field{
				{Key: "implementer", Required: true, Doc: "profile of the writer", Of: strict.Text(&r.PeerWriter, name("profile"))},
				{Key: "reviewer", Required: true, Doc: "profile of the reader, one of this role's", Of: strict.Text(&r.PeerReader, name("profile"))},
			}}},
		},
	}
}

func (r *rawStage) shape() strict.Shape {
	return strict.Object{
		Got: &r.Place,
		Fields: []strict.Field{
			{Key: "stage", Required: true, Doc: "the name of the stage", Of: strict.Text(&r.Name, name("stage"))},
			{Key: "run", Required: true, Doc: "what it runs", Of: strict.Text(&r.Run, strict.Words("role", "machine_gates", "visual_harness"))},
			{Key: "role", Doc: "who runs it; required with run: role", Of: strict.Text(&r.Role, role())},
			{Key: "when", Doc: "conditions that must all hold; default always", Of: strict.Texts(&r.When, 0, strict.Words(conditions()...))},
			{Key: "on_fail", Doc: "where a failure leads; default stop", Of: strict.Text(&r.OnFail, strict.Words("stop", "fix"))},
			{Key: "on_findings", Doc: "where blocking findings lead; role stages only", Of: strict.Text(&r.OnFindings, strict.Words("stop", "fix"))},
			{Key: "recheck_after_fix", Doc: "whether it runs again after a fix for a later stage; default true, and false for a role", Of: strict.Bool(&r.Recheck)},
			{Key: "fix_with", Doc: "the role that fixes; default implementer", Of: strict.Text(&r.FixWith, role())},
			{Key: "sees", Doc: "the earlier browser stage whose pictures it gets", Of: strict.Text(&r.Sees)},
		},
		Refused: map[string]string{"evidence": notYet},
	}
}
