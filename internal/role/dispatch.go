package role

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/roster"
	"github.com/tolboy/warden/internal/vendor"
)

// maxCalls bounds the vendor calls of one dispatch whatever the policy says.
const maxCalls = 20

// dispatch is one Dispatch as it goes on.
type dispatch struct {
	*Dispatcher
	req        Request
	result     Result
	before     git.Snapshot // the tree before the next call
	record     ledger.RoleRun
	files      []ledger.File
	began      time.Time
	retries    int
	from       *policy.Profile // whose plan was found spent, last
	quota      *vendor.Quota
	inherited  bool     // an interrupted writer left edits in the tree
	backfilled []string // values that the template left out and the prompt got anyway
	argv       []string
	passed     bool // the declared model stood in what was last run
	last       judged
	scratch    string // where a role puts the pictures that it takes; "" until it needs one
}

// Dispatch makes one dispatch. Everything that a vendor, a policy or a budget
// can refuse is a Result with a code and a report on disk; an error means that it
// cannot be told what happened, because the tree or the evidence could not be
// read or written. A Dispatcher makes one dispatch at a time.
func (d *Dispatcher) Dispatch(ctx context.Context, req Request) (Result, error) {
	if d.spent == nil {
		d.spent = map[string]*vendor.Quota{}
	}
	s := &dispatch{Dispatcher: d, req: req, began: time.Now()}
	s.record = ledger.RoleRun{Role: req.Role, Label: req.Role, Stage: req.StageName, Attempt: req.Attempt, Rotation: req.Rotation, DryRun: req.DryRun, AvoidedVendors: slices.Clone(req.Writers)}
	err := s.loop(ctx)
	err = errors.Join(err, s.sweep())
	if err != nil && s.record.Code == "" {
		s.stop(outcome.UnexpectedError, err.Error())
	}
	return s.finish(err)
}

func (s *dispatch) stop(code outcome.Code, detail string) {
	s.record.Code, s.record.Detail = code, detail
	s.record.OK = code == outcome.OK || code == outcome.DryRun
}

// loop resolves, calls, and resolves again for as long as the policy allows.
func (s *dispatch) loop(ctx context.Context) error {
	roles, configured := s.Home.Policy.Roles[s.req.Role]
	if !configured {
		s.stop(outcome.RoleNotConfigured, fmt.Sprintf("policy.yaml has no role %q", s.req.Role))
		return nil
	}
	s.record.Strategy, s.record.IndependenceRequired = roles.Strategy, roles.Independent
	for len(s.record.Calls) < maxCalls {
		choice, ok := s.choose()
		if !ok {
			return nil
		}
		again, err := s.attempt(ctx, choice)
		if err != nil || !again {
			return err
		}
	}
	s.stop(outcome.RoleCommandFailed, fmt.Sprintf("gave up after %d vendor calls in one dispatch", maxCalls))
	return nil
}

// choose picks the next profile, or stops the dispatch.
func (s *dispatch) choose() (roster.Choice, bool) {
	exclude := s.excluded()
	choice, code := s.resolve(exclude)
	s.record.Rejected = nil
	for _, r := range choice.Rejected {
		reason := r.Reason
		if r.Detail != "" {
			reason += ": " + r.Detail
		}
		s.record.Rejected = append(s.record.Rejected, ledger.Rejection{Profile: r.Profile, Reason: clip(reason, maxRecorded)})
	}
	if s.from == nil {
		s.replaced(choice, exclude)
	}
	if code != outcome.OK {
		s.unresolved(code)
		return choice, false
	}
	if s.from != nil && choice.Profile.Name != s.record.Profile && !s.mayTake(choice) {
		return choice, false
	}
	s.take(choice)
	return choice, true
}

func (s *dispatch) resolve(exclude map[string]bool) (roster.Choice, outcome.Code) {
	return roster.Resolve(roster.Request{
		Role: s.req.Role, Home: s.Home, Writers: s.req.Writers, Authors: s.req.Authors, PeerAllowed: s.req.PeerAllowed, Rotation: s.req.Rotation, Exclude: exclude, Pinned: s.req.Pinned,
		Acquires:  s.req.Look != nil && s.req.Look.Acquire,
		Available: s.available, Unfit: s.Unfit,
	})
}

func (s *dispatch) available(p policy.Profile) error { return s.Vendor.Available(p, s.Env) }

func (s *dispatch) excluded() map[string]bool {
	exclude := map[string]bool{}
	for name, out := range s.req.Exclude {
		exclude[name] = out
	}
	for name := range s.spent {
		exclude[name] = true
	}
	return exclude
}

// replaced notices that the profile whose turn it is was found spent by an
// earlier dispatch. Another one in its place is a substitution like any other.
func (s *dispatch) replaced(choice roster.Choice, exclude map[string]bool) {
	if len(exclude) == 0 {
		return
	}
	due, code := s.resolve(nil)
	if code != outcome.OK || due.Profile.Name == choice.Profile.Name {
		return
	}
	key := due.Profile.Name
	if !exclude[key] {
		key = roster.VendorKey(due.Profile.Vendor)
	}
	if exclude[key] {
		s.from, s.quota = &due.Profile, s.spent[key]
	}
}

func (s *dispatch) take(choice roster.Choice) {
	p := choice.Profile
	s.record.Profile, s.record.Vendor, s.record.Model = p.Name, p.Vendor, p.Model
	s.record.Effort, s.record.ReadOnly, s.record.Runner = p.Effort, p.ReadOnly, orWord(p.Runner, "direct")
	tools, _ := policy.ToolsOf(p) // a fault is told by the plan of the call
	s.record.ToolsAllow, s.record.ToolsEnforcedBy = tools.Allow, tools.EnforcedBy
	s.record.Independence = choice.Independence
	if s.req.Unexplained && choice.Independence == roster.Independent {
		s.record.Independence = roster.Unproven
	}
	s.record.ModelReported = ""
}

// unresolved says why nobody is left. When a spent plan led here, that is the
// reason, with the vendor's own words.
func (s *dispatch) unresolved(code outcome.Code) {
	var why []string
	for _, r := range s.record.Rejected {
		why = append(why, r.Profile+": "+r.Reason)
	}
	detail := fmt.Sprintf("no profile can fill the role %s", s.req.Role)
	if len(why) > 0 {
		detail += " (" + strings.Join(why, "; ") + ")"
	}
	if s.from != nil {
		code = outcome.RoleQuotaExhausted
		detail = fmt.Sprintf("the plan of %s (%s) is used up and %s; add another vendor to the roster or wait%s", s.from.Name, s.from.Vendor, detail, s.words())
	}
	s.stop(code, detail)
}

// attempt makes one vendor call. It reports whether the dispatch goes on.
func (s *dispatch) attempt(ctx context.Context, choice roster.Choice) (again bool, err error) {
	p := choice.Profile
	if refused := denied(p, s.req); refused != nil {
		s.stop(refused.Code, refused.Detail)
		return false, nil
	}
	prep, err := s.prepare(ctx, p)
	if err != nil {
		return false, err
	}
	if prep == nil {
		return false, nil
	}
	if s.req.DryRun {
		s.stop(outcome.DryRun, "nothing was called")
		return false, nil
	}
	if s.req.Limit > 0 && time.Since(s.began) >= s.req.Limit {
		s.stop(outcome.RoleTimeout, fmt.Sprintf("no time is left for a call of %s within %s", p.Name, s.req.Limit))
		return false, nil
	}
	if refused := s.pay(p, prep); refused {
		return false, nil
	}
	return s.perform(ctx, p, prep)
}

// pay asks for leave to make the call and announces it.
func (s *dispatch) pay(p policy.Profile, prep *prepared) (refused bool) {
	if s.req.Reserve != nil {
		if err := s.req.Reserve(p); err != nil {
			code := outcome.BudgetExhausted
			var r *Refused
			if errors.As(err, &r) && r.Code != "" {
				code = r.Code
			}
			s.stop(code, err.Error())
			return true
		}
	}
	if s.req.OnDispatch == nil {
		return false
	}
	d := Dispatch{Profile: p, VendorAttempt: len(s.record.Calls) + 1, PromptSHA256: prep.prompt.SHA256, Limit: prep.call.Limit}
	if n := len(s.result.Switched); n > 0 && s.result.Switched[n-1].ToProfile == p.Name {
		d.Failover = &s.result.Switched[n-1]
	}
	if err := s.req.OnDispatch(d); err != nil {
		code, detail := outcome.UnexpectedError, "announce the call: "+err.Error()
		var r *Refused
		if errors.As(err, &r) && r.Code != "" {
			code, detail = r.Code, r.Detail
		}
		s.stop(code, detail)
		return true
	}
	return false
}

// left is the time the dispatch still has, or 0 when it has no limit of its own.
func (s *dispatch) left() time.Duration {
	if s.req.Limit <= 0 {
		return 0
	}
	return max(time.Second, s.req.Limit-time.Since(s.began))
}
