package workflow

import "github.com/tolboy/warden/internal/outcome"

// State is where a run stands. The zero value of everything but Steps and
// MaxFix is a run that has not begun. It is a value: Next returns a new one.
type State struct {
	Steps   []Step
	MaxFix  int
	Attempt int // fix rounds begun, one counter for the whole run
	// Registry is what judging stages have said so far, in the runs before this one
	// too where they are known.
	Registry Registry

	at       int // index of the stage that is running or next
	repair   *repair
	finished bool
}

// repair is a fix round in progress.
type repair struct {
	origin  int  // the stage that complained
	recheck int  // the earlier stage being judged again, or -1 while the writer works
	judged  bool // the complaint was a finding, so only a tree it has not refused deserves another reading
}

// Event is what happened since the last action.
type Event struct {
	OK       bool
	Code     outcome.Code
	Tree     string            // source fingerprint after the stage
	Findings []outcome.Finding // of a role that answered
	Denied   bool              // the action was refused, or not let go on; Code says why
	Paid     bool              // somebody was paid for it
}

// ActionKind is what to do next.
type ActionKind string

// The actions.
const (
	DoStage  ActionKind = "stage"
	DoFix    ActionKind = "fix"
	DoFinish ActionKind = "finish"
)

// Action is the one thing that is owed next.
type Action struct {
	Kind    ActionKind
	Stage   int // index into Steps: the stage to run, or that complained
	Recheck bool
	OK      bool
	Reason  outcome.Code
}

// Begin returns the first action of a run.
func Begin(s State) (State, Action) {
	return s.advance(0, "")
}

// Next folds an event in and says what is owed. It always reaches DoFinish: each
// event either advances the chain or uses up one of MaxFix rounds.
func Next(s State, e Event) (State, Action) {
	switch {
	case s.finished:
		return s, Action{Kind: DoFinish, Reason: outcome.UnexpectedError}
	case e.Denied:
		return s.unused(e).finish(false, e.Code)
	case s.repair != nil && s.repair.recheck < 0:
		return s.afterRepair(e)
	case s.repair != nil && s.repair.recheck < s.repair.origin:
		return s.afterRecheck(e)
	}
	return s.afterStage(e)
}

// afterStage judges a stage in its own turn, in the first pass or as the
// complainer that is heard again after a repair.
func (s State) afterStage(e Event) (State, Action) {
	step := s.Steps[s.at]
	s.repair = nil
	if !e.OK {
		if step.OnFail == RouteFix && !Infrastructure(e.Code) && s.Attempt < s.MaxFix {
			return s.fix(false)
		}
		return s.finish(false, Reason(step.Stage, e.Code))
	}
	s, broken := s.read(step, e)
	switch {
	case broken != "":
		return s.finish(false, broken)
	case len(outcome.Blocking(e.Findings)) == 0 || step.OnFindings == RouteNone:
		return s.advance(s.at+1, e.Tree)
	case step.OnFindings == RouteFix && len(outcome.Mendable(e.Findings)) > 0 && s.Attempt < s.MaxFix:
		return s.fix(true)
	}
	return s.finish(false, step.FindingsReason())
}

func (s State) fix(judged bool) (State, Action) {
	s.Attempt++
	s.repair = &repair{origin: s.at, recheck: -1, judged: judged}
	return s, Action{Kind: DoFix, Stage: s.at}
}

// afterRepair judges what the writer did. A reader that objected is not paid to
// read the same bytes again, be they those it has just read or those of a round or
// two ago; a machine check is, since it costs nothing.
func (s State) afterRepair(e Event) (State, Action) {
	origin := s.Steps[s.repair.origin]
	if !e.OK {
		writer := Stage{Run: RunRole, Role: origin.FixWith}
		reason := Reason(writer, e.Code)
		if reason == writer.FailureReason() {
			reason = outcome.FixAttemptFailed
		}
		return s.unused(e).finish(false, reason)
	}
	return s.recheck(0, e.Tree)
}

// unused gives back a round for which nobody was paid.
func (s State) unused(e Event) State {
	if s.repair != nil && s.repair.recheck < 0 && !e.Paid {
		s.Attempt--
	}
	return s
}

// afterRecheck judges an earlier stage that was run again. There is no repair
// inside a repair.
func (s State) afterRecheck(e Event) (State, Action) {
	step := s.Steps[s.repair.recheck]
	if !e.OK {
		reason := Reason(step.Stage, e.Code)
		if reason == outcome.GatesNotSatisfied {
			reason = outcome.GatesNotSatisfiedAfterFix
		}
		return s.finish(false, reason)
	}
	s, broken := s.read(step, e)
	if broken != "" {
		return s.finish(false, broken)
	}
	if len(outcome.Blocking(e.Findings)) > 0 && step.OnFindings != RouteNone {
		return s.finish(false, step.FindingsReason())
	}
	return s.recheck(s.repair.recheck+1, e.Tree)
}

// recheck runs the next earlier stage that a repair invalidates, and then the
// one that complained, unless the tree is one that it has objected to already.
func (s State) recheck(from int, tree string) (State, Action) {
	r := *s.repair
	s.repair = &r
	if r.judged && s.Registry.Refused(s.Steps[r.origin].Name, tree) {
		return s.finish(false, outcome.RepairMadeNoProgress)
	}
	for i := from; i < r.origin; i++ {
		if s.Steps[i].Skip == "" && s.Steps[i].Recheck {
			r.recheck = i
			s.repair = &r
			return s, Action{Kind: DoStage, Stage: i, Recheck: true}
		}
	}
	r.recheck = r.origin
	return s, Action{Kind: DoStage, Stage: r.origin, Recheck: true}
}

// read remembers what a judging stage said, and returns the rule that it breaks.
func (s State) read(step Step, e Event) (State, outcome.Code) {
	if step.OnFindings == RouteNone {
		return s, ""
	}
	var broken outcome.Code
	s.Registry, broken = s.Registry.Read(step.Name, e.Tree, e.Findings)
	return s, broken
}

// advance runs the next stage that is owed. When none is, a tree that any judging
// stage has refused, and was not asked about again, is still refused.
func (s State) advance(to int, tree string) (State, Action) {
	for s.at = to; s.at < len(s.Steps); s.at++ {
		if s.Steps[s.at].Skip == "" {
			return s, Action{Kind: DoStage, Stage: s.at}
		}
	}
	for i, step := range s.Steps {
		if step.Skip == "" && s.Registry.Refused(step.Name, tree) {
			s.at = i
			return s.finish(false, step.FindingsReason())
		}
	}
	return s.finish(true, outcome.ReadyForHuman)
}

func (s State) finish(ok bool, reason outcome.Code) (State, Action) {
	s.finished = true
	return s, Action{Kind: DoFinish, Stage: s.at, OK: ok, Reason: reason}
}
