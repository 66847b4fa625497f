package ledger

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/durable"
)

// Codes of a verification.
const (
	CodeVerified           = "verified"
	CodeUnsealed           = "unsealed"            // it fits so far, and the work has not ended
	CodeVerifiedToAnchor   = "verified_to_anchor"  // it fits, and the anchor lies before what people decided
	CodeTorn               = "ledger_torn"         // a crash cut the last line off; Open repairs it
	CodeAltered            = "ledger_altered"      // a line or a file does not fit
	CodeHeadMismatch       = "head_mismatch"       // the anchor is not in the chain, or before the seal
	CodeBindingMismatch    = "binding_mismatch"    // the chain is about something else
	CodeProjectionMismatch = "projection_mismatch" // a summary does not follow from the chain
)

// Projection computes a summary file from the chain.
type Projection func(History) ([]byte, error)

// Expect is what the anchor was kept for. A zero field is not compared.
type Expect struct {
	Repo        string // "owner/name"
	Issue       int
	PullRequest int
	Commit      string // of the candidate
	Fingerprint string // of the candidate
}

// VerifyOptions says what to compare besides the chain and its files.
type VerifyOptions struct {
	// Published accepts that transcripts, prompts, context and pictures are
	// missing, and lists them.
	Published bool
	// Projections computes the summaries by file name ("report.json"). A summary
	// without one is not looked at.
	Projections map[string]Projection
	Expect      Expect
}

// Verification is what came of it. OK says only that the files fit each other.
// Anchored says so much more for the first AnchoredLines lines: they are those
// that the anchor was kept for. Whoever can write the ledger can have changed or
// dropped what follows them.
type Verification struct {
	OK       bool   `json:"ok"`
	Code     string `json:"code"`
	RunID    string `json:"run_id"`
	First    string `json:"first,omitempty"` // the first thing that does not fit: "line 3: ..."
	Problems int    `json:"problems"`
	Lines    int    `json:"lines"`
	Files    int    `json:"files"`
	Head     string `json:"head"`
	Sealed   string `json:"sealed_head,omitempty"`
	Anchored bool   `json:"anchored"`
	// AnchoredLines and UnanchoredLines add up to Lines.
	AnchoredLines   int `json:"anchored_lines"`
	UnanchoredLines int `json:"unanchored_lines"`
	// DecisionHead is the hash of the last line in which a person decided, or in
	// which that ceased to hold. As an anchor it covers that line too.
	DecisionHead string `json:"decision_head,omitempty"`
	Torn         int64  `json:"torn_bytes,omitempty"`
	Redacted     int    `json:"redacted"`
	// Withheld are files that a published ledger does not have.
	Withheld []string `json:"withheld,omitempty"`
	// Extra are files beside the evidence that no event names. They prove nothing,
	// and are not looked for when something does not fit.
	Extra []string `json:"extra,omitempty"`
	// Stale are summaries that follow from an earlier part of the chain.
	Stale []string `json:"stale,omitempty"`
	// Newer are the numbers of lines of types that this version does not know.
	Newer []int `json:"unknown_events,omitempty"`
}

// Verify computes the whole ledger of a run again and changes nothing. against,
// unless "", is a hash that was kept elsewhere: it must be the sealed head or a
// later line, or, while the run is not sealed, any line. It speaks for the lines up
// to it, and for none behind it. An error means that it
// could not be read; what does not fit is part of the result.
func Verify(runsDir, id, against string, opt VerifyOptions) (Verification, error) {
	dir, err := openRuns(runsDir, id)
	if err != nil {
		return Verification{}, err
	}
	defer dir.Close()
	// The summaries are read before the chain, which is always ahead of them: a
	// run that goes on meanwhile must not look altered.
	summaries, err := readSummaries(dir, id, opt.Projections)
	if err != nil {
		return Verification{}, err
	}
	c, err := readChain(dir, id)
	if err != nil {
		return Verification{}, err
	}
	v := Verification{RunID: id}
	c.check(against)
	v.summarise(c)
	code := CodeAltered
	if len(c.faults) == 0 && against != "" {
		v.anchor(c, against)
		code = CodeHeadMismatch
	}
	if len(c.faults) == 0 {
		if c.bind(opt.Expect); len(c.faults) > 0 {
			code = CodeBindingMismatch
		}
	}
	if len(c.faults) == 0 {
		code = CodeAltered
		if err := c.checkFiles(dir, opt.Published, &v); err != nil {
			return Verification{}, err
		}
	}
	if len(c.faults) == 0 {
		code = CodeProjectionMismatch
		c.project(summaries, opt.Projections, &v)
	}
	if len(c.faults) == 0 {
		if v.Extra, err = extra(dir, id, c.lines); err != nil {
			return Verification{}, err
		}
	}
	v.conclude(c, code)
	return v, nil
}

func (v *Verification) summarise(c *chain) {
	v.Lines, v.Head, v.Torn, v.Newer = len(c.lines), c.tip(), c.torn, c.newer
	v.UnanchoredLines = v.Lines
	if s := c.sealed(); s >= 0 {
		v.Sealed = c.lines[s].SHA256
	}
	if d := c.decided(); d >= 0 {
		v.DecisionHead = c.lines[d].SHA256
	}
	for _, l := range c.lines {
		v.Redacted += l.Redacted
		for _, f := range l.Files {
			v.Redacted += f.Redacted
		}
	}
}

func (v *Verification) conclude(c *chain, code string) {
	v.First, v.Problems = c.first(), len(c.faults)
	switch {
	case v.Problems > 0:
		v.Code, v.Anchored, v.AnchoredLines, v.UnanchoredLines = code, false, 0, v.Lines
	case v.Torn > 0:
		v.Code = CodeTorn
		v.First = fmt.Sprintf("%s: was cut off after %d bytes", lineName(v.Lines+1), v.Torn)
	default:
		v.OK, v.Code = true, CodeVerified
		switch {
		case v.Sealed == "":
			v.Code = CodeUnsealed
		case v.Anchored && !c.coversDecision(v.AnchoredLines):
			v.Code = CodeVerifiedToAnchor
		}
	}
}

// bind makes sure that the chain is about what its anchor was kept for.
func (c *chain) bind(want Expect) {
	forge := ForgeRef{}
	if c.head.Forge != nil {
		forge = *c.head.Forge
	}
	if want.Repo != "" && !strings.EqualFold(want.Repo, forge.Repo) {
		c.fail(0, fileHead, fmt.Sprintf("is about repository %q, not %q", forge.Repo, want.Repo))
	}
	if want.Issue != 0 && want.Issue != forge.Issue {
		c.fail(0, fileHead, fmt.Sprintf("is about issue %d, not %d", forge.Issue, want.Issue))
	}
	if want.Commit != "" || want.Fingerprint != "" {
		c.bindCandidate(want)
	}
	if want.PullRequest != 0 && !slices.ContainsFunc(c.lines, func(l Line) bool {
		p, _ := l.Payload()
		done, ok := p.(*Done)
		return ok && done.OK && done.Number == want.PullRequest
	}) {
		c.fail(len(c.lines)+1, "head", fmt.Sprintf("no event opened or found pull request %d", want.PullRequest))
	}
}

func (c *chain) bindCandidate(want Expect) {
	candidate, n := Candidate{}, len(c.lines)+1
	if s := c.sealed(); s >= 0 {
		n = s + 1
		if p, _ := c.lines[s].Payload(); p != nil && p.(*Ending).Candidate != nil {
			candidate = *p.(*Ending).Candidate
		}
	}
	if want.Commit != "" && want.Commit != candidate.Commit {
		c.fail(n, lineName(n), fmt.Sprintf("the candidate is commit %q, not %q", candidate.Commit, want.Commit))
	}
	if want.Fingerprint != "" && want.Fingerprint != candidate.Fingerprint {
		c.fail(n, lineName(n), fmt.Sprintf("the candidate has fingerprint %q, not %q", candidate.Fingerprint, want.Fingerprint))
	}
}

// checkFiles compares every file that an event names with its hash.
func (c *chain) checkFiles(dir *durable.Dir, published bool, v *Verification) error {
	seen := map[string]File{}
	order := len(c.lines) + 1
	for i, l := range c.lines {
		for _, f := range l.Files {
			if old, ok := seen[f.Path]; ok {
				if old != f {
					c.fail(i+1, lineName(i+1), fmt.Sprintf("names %q with another hash than an earlier line", f.Path))
				}
				continue
			}
			seen[f.Path] = f
			err := matches(dir, f)
			switch {
			case err == nil:
				v.Files++
			case errors.Is(err, fs.ErrNotExist) && published && withholdable(f.Path):
				v.Withheld = append(v.Withheld, f.Path)
			case errors.Is(err, fs.ErrNotExist):
				c.fail(order, f.Path, fmt.Sprintf("is missing; line %d names it", l.Seq))
			case unfit(err):
				c.fail(order, f.Path, fmt.Sprintf("is not what line %d names", l.Seq))
			default:
				return fmt.Errorf("verify run %q: %w", c.head.RunID, err)
			}
		}
	}
	return nil
}

// unfit tells a file that is wrong from one that could not be read.
func unfit(err error) bool {
	return errors.Is(err, ErrAltered) || errors.Is(err, durable.ErrLink) ||
		errors.Is(err, durable.ErrNotRegular) || errors.Is(err, durable.ErrTooLarge)
}
