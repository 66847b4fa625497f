package land

import (
	"errors"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/git"
)

// Options are what the operator asked for. Each step needs the one before it.
type Options struct {
	Commit, Push, PullRequest bool
	Remote, Base              string
}

// Escalated adds the steps that the asked ones need.
func (o Options) Escalated() Options {
	o.Push = o.Push || o.PullRequest
	o.Commit = o.Commit || o.Push
	return o
}

// Remote is one remote as the operator's git knows it.
type Remote struct {
	Name    string
	URLs    []string // that a push goes to
	Default string   // branch that its HEAD names here, or ""
	Tracks  bool     // its branches are kept below refs/remotes/NAME
}

// Facts are what a plan is made from. Those behind the first refusal need not be
// known.
type Facts struct {
	RunID    string
	Decision decision.State
	Base     string // commit that the candidate was judged against
	Seen     git.Snapshot
	Branch   string
	Remotes  []Remote
	Staged   []string // paths of the index that differ from HEAD
	Project  contract.Land
	Options  Options
}

// Plan is what will be landed, and where.
type Plan struct {
	Branch string
	Remote *Remote // nil only where none is needed
	Base   string
	Paths  []string
	Extras []string // staged, and no part of the candidate
	Before string   // what a person does before a push, "" where it can be made
}

// Accepted refuses a run that nobody accepted, before anything else is looked at.
func Accepted(s decision.State) error {
	switch {
	case s.State != decision.Resolved:
		return refuse(NotAccepted, "a person answers it: warden status "+s.RunID, "run %q was accepted by nobody: its question is open", s.RunID)
	case s.Answer() != decision.Accept:
		return refuse(NotAccepted, "only an accepted candidate lands", "run %q was answered with %q", s.RunID, s.Answer())
	}
	return nil
}

// Make decides whether and what to land. The order of its refusals is part of the
// specification.
func Make(f Facts) (Plan, error) {
	if err := Accepted(f.Decision); err != nil {
		return Plan{}, err
	}
	if f.Base == "" || f.Decision.Fingerprint == "" {
		return Plan{}, refuse(Code(decision.CandidateUnverifiable), "run the task again", "the ledger of run %q does not say what its candidate was compared with", f.RunID)
	}
	if f.Seen.Source != f.Decision.Fingerprint {
		return Plan{}, refuse(Code(decision.CandidateChanged), "put it back as it was accepted, or run the task again",
			"the source has fingerprint %.12s, the accepted candidate of run %q has %.12s", f.Seen.Source, f.RunID, f.Decision.Fingerprint)
	}
	if f.Branch == "" {
		return Plan{}, refuse(DetachedHead, "git switch -c NAME", "HEAD is on no branch")
	}
	remote, err := chooseRemote(f)
	if err != nil && f.Options.Escalated().Push {
		return Plan{}, err
	}
	before := ""
	if no := (*RefusedError)(nil); errors.As(err, &no) {
		before = no.Hint
	}
	p := Plan{Before: before, Branch: f.Branch, Remote: remote, Base: chooseBase(f, remote), Paths: f.Seen.SourcePaths()}
	if isDefault(f.Branch, p.Base, remote) {
		return Plan{}, refuse(RefusesDefaultBranch, "git switch -c NAME keeps the candidate as it is", "branch %q is the one that is asked to take the candidate", f.Branch)
	}
	if len(p.Paths) == 0 {
		return Plan{}, refuse(NothingToLand, "", "the candidate of run %q changes nothing outside .warden", f.RunID)
	}
	for _, path := range f.Staged {
		if !slices.Contains(p.Paths, path) {
			p.Extras = append(p.Extras, path)
		}
	}
	return p, nil
}

func chooseRemote(f Facts) (*Remote, error) {
	name := f.Options.Remote
	if name == "" {
		name = f.Project.Remote
	}
	if name == "" {
		switch len(f.Remotes) {
		case 0:
			return nil, refuse(NoRemote, "git remote add origin URL", "the repository has no remote")
		case 1:
			name = f.Remotes[0].Name
		default:
			var names []string
			for _, r := range f.Remotes {
				names = append(names, r.Name)
			}
			return nil, refuse(RemoteAmbiguous, "name one with --remote, or as land.remote of project.yaml", "the repository has the remotes %s", strings.Join(names, ", "))
		}
	}
	for _, r := range f.Remotes {
		if r.Name != name {
			continue
		}
		if len(r.URLs) != 1 {
			return nil, refuse(RemoteAmbiguous, "give it one URL to push to", "the remote %q has %d URLs to push to", name, len(r.URLs))
		}
		return &r, nil
	}
	return nil, refuse(NoRemote, "git remote lists those that are there", "the repository has no remote %q", name)
}

// chooseBase gives the branch that a pull request asks to take the candidate.
func chooseBase(f Facts, remote *Remote) string {
	base := f.Options.Base
	if base == "" {
		base = f.Project.Base
	}
	if base == "" && remote != nil {
		base = remote.Default
	}
	if base == "" {
		return "main"
	}
	base = strings.TrimPrefix(base, "refs/heads/")
	if remote != nil {
		base = strings.TrimPrefix(base, remote.Name+"/")
	}
	return base
}

// isDefault takes the usual names for the default branch where nothing says which
// it is.
func isDefault(branch, base string, remote *Remote) bool {
	switch {
	case branch == base:
		return true
	case remote != nil && remote.Default != "":
		return branch == remote.Default
	}
	return branch == "main" || branch == "master"
}
