package decision

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/plain"
)

// check holds what every state must keep.
func (s State) check() error {
	options := s.Kind.Options()
	switch {
	case options == nil:
		return fmt.Errorf("kind %q is none", s.Kind)
	case !slices.Equal(s.Options, options):
		return fmt.Errorf("options %v are not those of kind %q", s.Options, s.Kind)
	case s.Kind == Success && s.Fingerprint == "" && s.Commit == "":
		return errors.New("a success without a candidate")
	case s.UpdatedAt.Before(s.CreatedAt):
		return errors.New("updated before it was created")
	case s.State == Pending && (s.Decision != nil || s.Actor != nil || s.Note != nil):
		return errors.New("pending, and answered")
	case s.State == Resolved && (!slices.Contains(options, s.Answer()) || s.Actor == nil || *s.Actor == ""):
		return errors.New("resolved without an answer of somebody")
	}
	return nil
}

const (
	maxActor  = 100
	maxReason = 8 << 10
	// MaxNote is the longest note, in bytes.
	MaxNote = 512 << 10
)

// checkActor refuses an answer that cannot be that of a person. What permits
// something needs one; what refuses may come from a machine.
func checkActor(run string, a Answer) error {
	login := a.Actor.Login
	bad := func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }
	switch {
	case !knownSource(a.Source):
		return refuse(run, InvalidActor, "%q is no way to answer", clip(a.Source))
	case plain.Blank(login):
		return refuse(run, InvalidActor, "nobody is named")
	case len(login) > maxActor || !utf8.ValidString(login) || strings.ContainsFunc(login, bad):
		return refuse(run, InvalidActor, "the name is too long, or has characters that do not show")
	case a.onForge() && a.Actor.ID == 0:
		return refuse(run, InvalidActor, "the account of %q is not known", login)
	case Permits(a.Decision) && a.Actor.Bot:
		return refuse(run, InvalidActor, "%q is a bot, and only a person may %s", login, a.Decision)
	case Permits(a.Decision) && a.Source == SourceAutomatic:
		return refuse(run, InvalidActor, "only a person may %s", a.Decision)
	}
	return nil
}

// checkCandidate makes sure that an accept is about what was shown.
func checkCandidate(s State, a Answer) error {
	if a.Decision != Accept {
		return nil
	}
	if a.Fingerprint == "" && a.Commit == "" {
		return refuse(s.RunID, CandidateUnverifiable, "the answer does not say which candidate it is about")
	}
	for _, c := range []struct{ name, shown, answered string }{
		{"fingerprint", s.Fingerprint, a.Fingerprint},
		{"commit", s.Commit, a.Commit},
	} {
		switch {
		case c.answered == "" || c.answered == c.shown:
		case c.shown == "":
			return refuse(s.RunID, CandidateUnverifiable, "the run recorded no %s of the candidate", c.name)
		case c.name == "commit":
			return refuse(s.RunID, CandidateChanged, "the candidate that was shown is commit %s, and the answer names %s", c.shown, clip(c.answered))
		default:
			return refuse(s.RunID, CandidateChanged, "the tree changed since it was shown: %sit was %s, it is %s", named(a.Changed), c.shown, clip(c.answered))
		}
	}
	return nil
}

// checkContract makes sure that an accept is given under the contract that the
// candidate was judged by: an edit of it ends every verdict. On a forge that
// contract is pinned by the base commit, so that nobody can edit it in between. A
// proposed edit is of that contract too, and would overwrite what came after it.
func checkContract(run ledger.RunHead, a Answer) error {
	switch {
	case a.Decision != Accept && a.Decision != Apply && a.Decision != Proceed || a.Decision == Accept && a.onForge() && a.Contract == "":
		return nil
	case run.ContractSHA256 == "":
		return refuse(run.RunID, CandidateUnverifiable, "the run recorded no contract")
	case a.Contract == "":
		return refuse(run.RunID, CandidateUnverifiable, "the answer does not say under which contract it is given")
	case a.Contract != run.ContractSHA256 && a.Decision != Accept:
		return refuse(run.RunID, ContractChanged, "somebody has edited .warden since the run: the edit that was proposed is of another text, and nothing was written")
	case a.Contract != run.ContractSHA256:
		return refuse(run.RunID, ContractChanged, "the candidate was judged by another state of .warden than that of now; restore it, or run the task again")
	}
	return nil
}

// named lists the first of the paths that changed.
func named(paths []string) string {
	const most = 10
	switch n := len(paths); {
	case n == 0:
		return ""
	case n > most:
		return fmt.Sprintf("%s and %d more; ", strings.Join(paths[:most], ", "), n-most)
	}
	return strings.Join(paths, ", ") + "; "
}

// onForge reports whether the answer was given on a forge, where an account is
// an identity.
func (a Answer) onForge() bool {
	return a.Source != SourceCLI && a.Source != SourceAutomatic
}

// sameQuestion reports whether the question was put already, before a crash.
func sameQuestion(s State, e ledger.DecisionPending) bool {
	return s.State == Pending && s.Kind == Kind(e.Kind) && s.Reason == e.Reason &&
		s.Fingerprint == e.Fingerprint && s.Commit == e.Commit && s.SealedHead == e.SealedHead
}

func clip(s string) string {
	if len(s) > 100 {
		return s[:100] + "..."
	}
	return s
}
