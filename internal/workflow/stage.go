// Package workflow is the loop: which stage runs, when a failure goes back to
// the writer, and where the run stops. It is pure. It performs nothing, reads no
// clock, and is asked one question: given this state and this event, what now?
package workflow

import "github.com/tolboy/warden/internal/outcome"

// Kind is what a stage runs.
type Kind string

// The kinds of stage.
const (
	RunRole      Kind = "role"
	RunGates     Kind = "machine_gates"
	RunBrowser   Kind = "visual_harness"
	Implementer       = "implementer"
	Reviewer          = "reviewer"
	VisualQA          = "visual_qa"
	Architect         = "architect"
	Planner           = "planner"
	PlanReviewer      = "plan_reviewer"
)

// Route is where a failure, or blocking findings, lead.
type Route string

// The routes. RouteNone leaves findings unrouted.
const (
	RouteNone Route = ""
	RouteStop Route = "stop"
	RouteFix  Route = "fix"
)

// Condition is a condition under which a stage runs. The set is closed: an
// unknown word read as false would be the permissive answer.
type Condition string

// The conditions.
const (
	Always           Condition = "always"
	ReviewRequired   Condition = "review_required"
	VisualQARequired Condition = "visual_qa_required"
	RiskLow          Condition = "risk_low"
	RiskMedium       Condition = "risk_medium"
	RiskHigh         Condition = "risk_high"
)

// Stage is one declared step of the loop.
type Stage struct {
	Name       string      `json:"stage"`
	Run        Kind        `json:"run"`
	Role       string      `json:"role,omitempty"`
	When       []Condition `json:"when,omitempty"`
	OnFail     Route       `json:"on_fail"`
	OnFindings Route       `json:"on_findings,omitempty"`
	Recheck    bool        `json:"recheck_after_fix"`
	FixWith    string      `json:"fix_with"`
	Sees       string      `json:"sees,omitempty"`
}

// BuiltIn is the chain that runs when a policy declares none.
func BuiltIn() []Stage {
	return []Stage{
		{Name: "implement", Run: RunRole, Role: Implementer, OnFail: RouteStop, FixWith: Implementer},
		{Name: "gates", Run: RunGates, OnFail: RouteFix, Recheck: true, FixWith: Implementer},
		{Name: "review", Run: RunRole, Role: Reviewer, When: []Condition{ReviewRequired},
			OnFail: RouteStop, OnFindings: RouteFix, Recheck: true, FixWith: Implementer},
		{Name: "browser", Run: RunBrowser, When: []Condition{VisualQARequired},
			OnFail: RouteFix, Recheck: true, FixWith: Implementer},
		{Name: "look", Run: RunRole, Role: VisualQA, When: []Condition{VisualQARequired}, Sees: "browser",
			OnFail: RouteStop, OnFindings: RouteFix, FixWith: Implementer},
	}
}

// FailureReason names how a run ends when the stage fails with a code that has
// no name of its own.
func (s Stage) FailureReason() outcome.Code {
	switch {
	case s.Run == RunGates:
		return outcome.GatesNotSatisfied
	case s.Role == VisualQA:
		return outcome.VisualRoleFailed
	case s.Run == RunBrowser:
		return outcome.VisualFailed
	}
	return outcome.Code(s.Role + "_failed")
}
