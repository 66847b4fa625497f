package role

import (
	"context"
	"fmt"
	"slices"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/grace"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/vendor"
)

// What the check of a read-only role proves, and what it does not.
const (
	checkMethod = "fingerprint of every changed file and of .warden, before and after the call"
	checkCovers = "all files that git does not ignore, .warden without its runs, and files that git would refuse to hold"
	checkMisses = "git-ignored paths are not covered"
)

// perform makes a call that was paid for and judges what it left: the tree
// first, then the vendor's own account, then the answer.
func (s *dispatch) perform(ctx context.Context, p policy.Profile, prep *prepared) (again bool, err error) {
	before := s.before
	res, err := s.Vendor.Call(ctx, prep.call)
	res = s.cleaned(res)
	s.settle(p, res)
	if err != nil {
		s.account(p, prep, res, nil, nil, outcome.UnexpectedError, err.Error())
		return false, err
	}
	out, errOut, err := s.raw(prep, res)
	if err != nil {
		return false, err
	}
	lasting, done := grace.Context(ctx, grace.Period)
	defer done()
	after, err := s.look(lasting, "after")
	if err != nil {
		s.account(p, prep, res, out, errOut, outcome.UnexpectedError, err.Error())
		return false, err
	}
	s.result.After = after
	verdict := s.verdict(p, prep, res, before, after)
	s.last = verdict
	s.account(p, prep, res, out, errOut, verdict.code, verdict.detail)
	s.stop(verdict.code, verdict.detail)
	return s.afterwards(ctx, p, prep, res, verdict, before, after)
}

func (s *dispatch) look(ctx context.Context, when string) (git.Snapshot, error) {
	snap, err := s.Judge.Snapshot(ctx)
	if err != nil {
		return git.Snapshot{}, fmt.Errorf("look at the tree %s the call: %w", when, err)
	}
	return snap, nil
}

// verdict holds a finished call against the tree and the schema.
func (s *dispatch) verdict(p policy.Profile, prep *prepared, res vendor.Result, before, after git.Snapshot) judged {
	if p.ReadOnly {
		same := before.Full == after.Full && slices.Equal(before.Refused, after.Refused)
		s.record.ReadOnlyCheck = &ledger.ReadOnlyCheck{Method: checkMethod, Before: before.Full, After: after.Full, Matched: same, Covers: checkCovers, DoesNotCover: checkMisses}
		if !same {
			return judged{code: outcome.RoleViolatedReadOnly, detail: fmt.Sprintf("profile %q is read-only and the tree changed during its call; its answer was discarded", p.Name)}
		}
	}
	if res.Code != outcome.OK {
		return judged{code: res.Code, detail: res.Detail}
	}
	v := accept(res.Artifact, s.req, p.RequiredFields, prep.schema)
	if prep.gaze == nil || v.code != outcome.OK {
		return v
	}
	if code, detail := s.looked(prep, v.artifact); code != outcome.OK {
		return judged{code: code, detail: detail, received: v.received}
	}
	return v
}

// afterwards keeps what was accepted, or decides whether to call again.
func (s *dispatch) afterwards(ctx context.Context, p policy.Profile, prep *prepared, res vendor.Result, v judged, before, after git.Snapshot) (bool, error) {
	switch v.code {
	case outcome.OK:
		return false, s.keep(v)
	case outcome.RoleReportedBlocked, outcome.RoleReportedAborted:
		s.result.Summary, s.record.Summary = v.summary, clip(v.summary, maxRecorded)
	case outcome.RoleQuotaExhausted:
		s.inherit(p, before, after)
		s.retire(p, res.Quota)
		return true, nil
	case outcome.RoleRateLimited:
		again, err := s.retry(ctx, res.Quota)
		if again {
			s.inherit(p, before, after)
		}
		return again, err
	}
	return false, nil
}

// inherit remembers that a writer was stopped with edits in the tree.
func (s *dispatch) inherit(p policy.Profile, before, after git.Snapshot) {
	if !p.ReadOnly && before.Full != after.Full {
		s.inherited = true
	}
}

// maxRecorded bounds a model's prose in the ledger, in bytes.
const maxRecorded = 8 << 10

// keep writes an accepted artifact and takes over what it says.
func (s *dispatch) keep(v judged) error {
	f, err := s.write(s.req.EvidenceDir+"/artifacts/"+s.req.Role+".json", append(slices.Clone([]byte(v.artifact)), '\n'))
	if err != nil {
		return err
	}
	s.record.Artifact, s.record.ArtifactSHA256 = f.Path, f.SHA256
	s.record.Verdict, s.record.Summary, s.record.Findings = clip(v.verdict, 80), clip(v.summary, maxRecorded), v.findings
	s.record.Blocking = len(outcome.Blocking(v.findings))
	s.record.FilesChanged = claimed(v.artifact)
	s.result.Artifact, s.result.Verdict, s.result.Summary, s.result.Findings = v.artifact, v.verdict, v.summary, v.findings
	return nil
}

func (s *dispatch) settle(p policy.Profile, res vendor.Result) {
	s.result.Usage = s.result.Usage.Add(res.Usage)
	if s.req.Settle != nil {
		s.req.Settle(p, res.Usage)
	}
}

// raw keeps both streams as they came.
func (s *dispatch) raw(prep *prepared, res vendor.Result) (out, errOut *ledger.File, err error) {
	base := s.req.EvidenceDir + "/raw/" + prep.evidence
	o, err := s.write(base+".stdout.txt", res.Stdout)
	if err != nil {
		return nil, nil, err
	}
	e, err := s.write(base+".stderr.txt", res.Stderr)
	if err != nil {
		return nil, nil, err
	}
	return &o, &e, nil
}

// account adds one finished call to the record.
func (s *dispatch) account(p policy.Profile, prep *prepared, res vendor.Result, out, errOut *ledger.File, code outcome.Code, detail string) {
	call := ledger.VendorCall{
		VendorAttempt: len(s.record.Calls) + 1, Profile: p.Name, Vendor: p.Vendor, Runner: orWord(p.Runner, "direct"),
		Model: p.Model, ModelReported: clip(res.Model, 200), OK: code == outcome.OK, Code: code, Detail: clip(detail, maxRecorded),
		ExitCode: res.ExitCode, TimedOut: res.TimedOut, Usage: res.Usage,
		SessionID: clip(res.SessionID, 200), StopReason: clip(res.StopReason, 200), Quota: ledgerQuota(res.Quota),
		Argv: prep.argv, StdoutTail: res.StdoutTail, StderrTail: res.StderrTail,
	}
	if res.Duration > 0 {
		call.DurationMillis = usage.Known(float64(res.Duration.Milliseconds()))
	}
	if out != nil && errOut != nil {
		call.Stdout, call.Stderr = out.Path, errOut.Path
	}
	s.record.ModelReported = call.ModelReported
	s.passed = res.ModelPassed
	s.record.Calls = append(s.record.Calls, call)
}
