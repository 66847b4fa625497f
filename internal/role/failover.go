package role

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/roster"
	"github.com/tolboy/warden/internal/vendor"
	"github.com/tolboy/warden/internal/workflow"
)

// maxPause bounds one wait before a rate-limited call is made again.
const maxPause = 15 * time.Minute

// retire takes a plan that is used up out of this process, in every role: the
// whole vendor, or only one model of it when that is what the vendor names.
func (s *dispatch) retire(p policy.Profile, q *vendor.Quota) {
	s.from, s.quota, s.retries = &p, q, 0
	s.spent[p.Name] = q
	s.record.Exhausted = append(s.record.Exhausted, p.Name)
	if q == nil || !strings.Contains(strings.ToLower(q.Message), "this model") {
		s.spent[roster.VendorKey(p.Vendor)] = q
		return
	}
	for name, other := range s.Home.Profiles {
		if other.Vendor == p.Vendor && other.Model == p.Model {
			s.spent[name] = q
		}
	}
}

// words quotes the vendor on its spent plan.
func (s *dispatch) words() string {
	if s.quota == nil || s.quota.Message == "" {
		return ""
	}
	return ". The vendor says: " + s.quota.Message
}

// mayTake decides whether another profile may stand in for a spent one. By
// default a person has to say so.
func (s *dispatch) mayTake(choice roster.Choice) bool {
	to := choice.Profile
	pending := ledger.Failover{
		Role: s.req.Role, FromProfile: s.from.Name, FromVendor: s.from.Vendor, ToProfile: to.Name, ToVendor: to.Vendor,
		Cause: string(outcome.RoleQuotaExhausted), IndependenceAfter: s.independenceAfter(choice),
		Exhausted: s.record.Exhausted, Quota: ledgerQuota(s.quota),
	}
	by := ""
	switch {
	case s.allowed(to.Name):
		by = "human_switch_decision"
	case s.Home.Policy.Failover == "auto":
		by = "policy_auto"
	case s.Home.Policy.Failover == "stop":
		s.stop(outcome.RoleFailoverDeclined, fmt.Sprintf("the plan of %s is used up and failover.on_quota_exhausted is stop; %s could stand in%s", s.from.Name, to.Name, s.words()))
		return false
	default:
		s.result.Failover, s.record.Failover = &pending, &pending
		s.stop(outcome.RoleFailoverNeedsConfirm, fmt.Sprintf("the plan of %s (%s) is used up; a person has to allow %s (%s) to take the role %s%s", s.from.Name, s.from.Vendor, to.Name, to.Vendor, s.req.Role, s.words()))
		return false
	}
	s.record.FailedOverFrom = s.from.Name
	s.result.Switched = append(s.result.Switched, ledger.RoleFailover{Stage: s.req.StageName, Attempt: s.req.Attempt, AuthorizedBy: by, Failover: pending})
	return true
}

// allowed reports whether a person let the profile take this role, in answer to
// the run before or to an earlier one of those that continue each other.
func (s *dispatch) allowed(profile string) bool {
	if sw := s.req.Switch; sw != nil && sw.Role == s.req.Role && sw.Profile == profile {
		return true
	}
	return slices.Contains(s.req.Carried, ledger.Switch{Role: s.req.Role, Profile: profile})
}

// independenceAfter says what the switch costs: for a writer, whether a reader
// of another vendor is left once the successor has written too.
func (s *dispatch) independenceAfter(choice roster.Choice) string {
	if choice.Profile.ReadOnly {
		return choice.Independence
	}
	if _, there := s.Home.Policy.Roles[workflow.Reviewer]; !there {
		return roster.None
	}
	writers := append([]string{choice.Profile.Vendor}, s.req.Writers...)
	if s.inherited {
		writers = append(writers, s.from.Vendor)
	}
	reader, code := roster.Resolve(roster.Request{
		Role: workflow.Reviewer, Home: s.Home, Writers: writers, Authors: append(slices.Clone(s.req.Authors), choice.Profile.Name), PeerAllowed: s.req.PeerAllowed, Exclude: s.excluded(), Available: s.available, Unfit: s.Unfit,
	})
	if code != outcome.OK {
		return roster.None
	}
	return reader.Independence
}

// retry waits and says whether a rate-limited call is made again. The vendor's
// own pause is used when it named one in plain seconds.
func (s *dispatch) retry(ctx context.Context, q *vendor.Quota) (bool, error) {
	rule := s.Home.Policy.RateLimitRetry
	if s.retries >= rule.MaxAttempts {
		return false, nil
	}
	pause := rule.Backoff
	if q != nil && q.Wait > pause {
		pause = q.Wait
	}
	pause = min(pause, maxPause)
	if s.req.Limit > 0 && pause >= s.left() {
		s.record.Detail += "; no time is left to wait and try again"
		return false, nil
	}
	s.retries++
	wait := s.Wait
	if wait == nil {
		wait = timer
	}
	if err := wait(ctx, pause); err != nil {
		s.stop(outcome.Interrupted, "interrupted while waiting out a rate limit")
		return false, nil
	}
	return true, nil
}

func timer(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

func ledgerQuota(q *vendor.Quota) *ledger.Quota {
	if q == nil {
		return nil
	}
	return &ledger.Quota{Kind: q.Kind, Signature: q.Signature, DetectedBy: q.DetectedBy, Message: q.Message}
}
