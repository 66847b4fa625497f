package git

import (
	"context"
	"fmt"
)

// Change is one path that differs from the base commit. Modes are git's;
// "000000" is "not there". The content counts as git would store it: with line
// ends as .gitattributes and the operator's settings convert them, and no other
// conversion.
type Change struct {
	Path    string
	Kind    byte   // 'A' added, 'M' modified, 'D' deleted, 'T' another type
	Mode    string // now
	OldMode string // at the base
	SHA256  string // of the content, or of a link's target; empty when deleted or a submodule
	Blob    string // object id that the content has or would have; empty like SHA256
	Before  string // object id at the base; empty when added
}

// Refusal is a path that no candidate may hold, and why.
type Refusal struct{ Path, Why string }

// Snapshot is what a worktree was at one moment. Paths that git ignores, and
// what lies inside a submodule that was checked out before the start, are not
// covered.
type Snapshot struct {
	Changes []Change // by path; .warden included, .warden/runs not
	Source  string   // fingerprint without .warden: the candidate_fingerprint
	Full    string   // fingerprint with .warden
	Refused []Refusal
}

// SourcePaths returns the changed paths outside .warden, in order.
func (s Snapshot) SourcePaths() []string { return s.paths(false) }

// ContractPaths returns the changed paths in .warden, in order.
func (s Snapshot) ContractPaths() []string { return s.paths(true) }

func (s Snapshot) paths(contract bool) []string {
	var out []string
	for _, c := range s.Changes {
		if isContract(c.Path) == contract {
			out = append(out, c.Path)
		}
	}
	return out
}

// Snapshot looks at the worktree: one call of git, and one reading of each
// changed file. Changed files with CRLF line ends cost a few calls more.
func (j *Judge) Snapshot(ctx context.Context) (Snapshot, error) {
	c := j.call("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames",
		"--ignore-submodules=dirty", "--no-ahead-behind")
	// The index is ours: what this look learns of touched files, the next need not read.
	c.Env = []string{"GIT_OPTIONAL_LOCKS=1"}
	res, err := j.git.Do(ctx, c)
	if err != nil {
		return Snapshot{}, fmt.Errorf("look at the worktree: %w", err)
	}
	seen, err := parseStatus(string(res.Stdout))
	if err != nil {
		return Snapshot{}, err
	}
	changes, err := j.read(ctx, merge(j.ahead, seen))
	if err != nil {
		return Snapshot{}, err
	}
	s := Snapshot{Changes: changes}
	if s.Refused, err = j.refuse(changes, seen.nested); err != nil {
		return Snapshot{}, err
	}
	s.Source, s.Full = fingerprint(s, false), fingerprint(s, true)
	return s, nil
}
