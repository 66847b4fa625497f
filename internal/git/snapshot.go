package git

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
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

// Snapshot looks at the worktree: one call of git, one walk over the directories
// beside it, and one reading of each changed file. Changed files with CRLF line
// ends cost a few calls more. Where git would wait for ever for what stands in
// place of one of its own files, that is all that the Snapshot tells.
func (j *Judge) Snapshot(ctx context.Context) (Snapshot, error) {
	if err := j.distrustLate(ctx); err != nil {
		return Snapshot{}, fmt.Errorf("look at the worktree: %w", err)
	}
	j.looked = j.now()
	seen, odd, err := j.list(ctx)
	if err != nil {
		return Snapshot{}, fmt.Errorf("look at the worktree: %w", err)
	}
	var s Snapshot
	if slices.ContainsFunc(odd, func(o oddity) bool { return o.blocks }) {
		s.Refused, err = j.refuse(nil, nil, odd)
	} else if s.Changes, err = j.read(ctx, merge(j.ahead, seen)); err == nil {
		if odd, err = j.unignored(ctx, odd); err == nil {
			s.Refused, err = j.refuse(s.Changes, seen.nested, odd)
		}
	}
	if err != nil {
		return Snapshot{}, err
	}
	s.Source, s.Full = fingerprint(s, false), fingerprint(s, true)
	return s, nil
}

// list asks git for the changes while a walk finds what git does not list. What
// git would block on ends the call: there is no list then.
func (j *Judge) list(ctx context.Context) (status, []oddity, error) {
	c := j.call("status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames",
		"--ignore-submodules=dirty", "--no-ahead-behind")
	// The index is ours: what this look learns of touched files, the next need not read.
	c.Env = []string{"GIT_OPTIONAL_LOCKS=1"}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var odd []oddity
	var walkErr error
	blocked := false
	var walk sync.WaitGroup
	walk.Go(func() {
		odd, walkErr = j.walk(ctx)
		if blocked = slices.ContainsFunc(odd, func(o oddity) bool { return o.blocks }); blocked || walkErr != nil {
			cancel()
		}
	})
	res, err := j.git.Do(ctx, c)
	if err != nil && ctx.Err() == nil {
		cancel() // the walk is for nothing
	}
	walk.Wait()
	switch {
	case blocked:
		return status{}, odd, nil
	case err != nil && walkErr == nil, err != nil && errors.Is(walkErr, context.Canceled):
		return status{}, nil, err
	case walkErr != nil:
		return status{}, nil, walkErr
	}
	seen, err := parseStatus(string(res.Stdout))
	return seen, odd, err
}
