package git

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// CommitSpec says what a candidate commit is made of besides its tree.
type CommitSpec struct {
	Parent      string // object id
	Message     string
	Name, Email string // author and committer
	When        time.Time

	// Source, when set, is the fingerprint that the tree must have.
	Source string
	// Seen, when set, is a look since which no child has run: Commit takes none of its
	// own, and stores exactly what was seen or fails.
	Seen *Snapshot
}

// Commit writes the worktree's changes, without anything of .warden, on top of
// the base's tree as a commit whose parent is Parent, and returns its id. The
// objects are in GitDir; no ref, no worktree and no index of a repository is
// touched. It checks that the tree holds exactly what a snapshot saw. A tree with
// refused paths is a *RefusedError, one without a change ErrNothingToCommit.
func (j *Judge) Commit(ctx context.Context, spec CommitSpec) (string, error) {
	if err := spec.check(); err != nil {
		return "", fmt.Errorf("commit the candidate: %w", err)
	}
	snap, err := j.seen(ctx, spec)
	if err != nil {
		return "", fmt.Errorf("commit the candidate: %w", err)
	}
	if len(snap.Refused) > 0 {
		return "", fmt.Errorf("commit the candidate: %w", &RefusedError{Refused: snap.Refused})
	}
	if spec.Source != "" && spec.Source != snap.Source {
		return "", fmt.Errorf("commit the candidate: the worktree has fingerprint %s, not %s", snap.Source, spec.Source)
	}
	id, err := j.commit(ctx, spec, snap, nil)
	switch {
	case errors.Is(err, ErrNothingToCommit):
		return "", err
	case err != nil:
		return "", fmt.Errorf("commit the candidate: %w", err)
	}
	return id, nil
}

func (j *Judge) seen(ctx context.Context, spec CommitSpec) (Snapshot, error) {
	if spec.Seen != nil {
		return *spec.Seen, nil
	}
	return j.Snapshot(ctx)
}

// Park is Commit for work that is not a candidate. It keeps what it can of the
// worktree's changes and returns the paths that it left out, sorted: the refused
// ones and those that leave names. Source and Seen of spec are not looked at.
func (j *Judge) Park(ctx context.Context, spec CommitSpec, leave func(path string) bool) (id string, left []string, err error) {
	if err := spec.check(); err != nil {
		return "", nil, fmt.Errorf("park the work: %w", err)
	}
	snap, err := j.Snapshot(ctx)
	if err != nil {
		return "", nil, fmt.Errorf("park the work: %w", err)
	}
	without := map[string]bool{}
	for _, r := range snap.Refused {
		without[r.Path] = true
	}
	for _, c := range snap.Changes {
		if !isContract(c.Path) && leave(c.Path) {
			without[c.Path] = true
		}
	}
	left = slices.Sorted(maps.Keys(without))
	id, err = j.commit(ctx, spec, snap, without)
	if err != nil && !errors.Is(err, ErrNothingToCommit) {
		err = fmt.Errorf("park the work: %w", err)
	}
	return id, left, err
}

// commit writes the tree of a snapshot as a commit on the parent of spec.
func (j *Judge) commit(ctx context.Context, spec CommitSpec, snap Snapshot, without map[string]bool) (string, error) {
	tree, err := j.writeTree(ctx, snap, without)
	if err != nil {
		return "", err
	}
	before, err := j.run(ctx, "rev-parse", "--verify", "--end-of-options", spec.Parent+"^{tree}")
	if err != nil {
		return "", err
	}
	if oneLine(before) == tree {
		return "", ErrNothingToCommit
	}
	return j.git.CommitTree(ctx, j.cfg.GitDir, tree, []string{spec.Parent}, spec)
}

// CommitTree writes a commit object into gitDir and returns its id. Parent,
// Source and Seen of spec are not looked at.
func (g *Git) CommitTree(ctx context.Context, gitDir, tree string, parents []string, spec CommitSpec) (string, error) {
	args := []string{"commit-tree", tree}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	date := fmt.Sprintf("@%d +0000", spec.When.Unix())
	res, err := g.Do(ctx, Call{
		Dir: gitDir, GitDir: gitDir, Args: args, Stdin: []byte(strings.TrimRight(spec.Message, "\n") + "\n"),
		Env: []string{
			"GIT_AUTHOR_NAME=" + spec.Name, "GIT_AUTHOR_EMAIL=" + spec.Email, "GIT_AUTHOR_DATE=" + date,
			"GIT_COMMITTER_NAME=" + spec.Name, "GIT_COMMITTER_EMAIL=" + spec.Email, "GIT_COMMITTER_DATE=" + date,
		},
	})
	if err != nil {
		return "", err
	}
	id := oneLine(res.Stdout)
	if !IsObjectID(id) {
		return "", fmt.Errorf("git commit-tree: printed %q", id)
	}
	return id, nil
}

func (s CommitSpec) check() error {
	switch {
	case !IsObjectID(s.Parent):
		return fmt.Errorf("parent %q is no object id", s.Parent)
	case strings.TrimSpace(s.Name) == "" || s.Email == "":
		return errors.New("no name or no address to commit as")
	case strings.ContainsAny(s.Name+s.Email, "<>\n\x00"):
		return fmt.Errorf("%q and %q cannot be written as an identity", s.Name, s.Email)
	case strings.TrimSpace(s.Message) == "" || strings.ContainsRune(s.Message, 0):
		return errors.New("the message is empty or holds a NUL")
	case s.When.Unix() < 0 || s.When.IsZero():
		return errors.New("no time to commit at")
	}
	return nil
}

// writeTree stores the source changes of snap, but for the paths of without, on
// top of the base's tree and compares what was stored with what was seen.
func (j *Judge) writeTree(ctx context.Context, snap Snapshot, without map[string]bool) (string, error) {
	tmp, err := j.scratch(ctx)
	if err != nil {
		return "", err
	}
	defer tmp.remove()
	var want []Change
	var gone, here []string
	for _, c := range snap.Changes {
		if isContract(c.Path) || without[c.Path] {
			continue
		}
		want = append(want, c)
		if c.Kind == 'D' {
			gone = append(gone, c.Path)
		} else {
			here = append(here, c.Path)
		}
	}
	if err := tmp.drop(ctx, gone); err != nil {
		return "", err
	}
	if err := tmp.add(ctx, here); err != nil {
		return "", err
	}
	got, err := tmp.changes(ctx)
	if err != nil {
		return "", err
	}
	if err := sameChanges(want, got); err != nil {
		return "", err
	}
	out, err := tmp.run(ctx, nil, "write-tree")
	if err != nil {
		return "", err
	}
	return oneLine(out), nil
}

// sameChanges says where a stored tree is not what was seen in the worktree.
func sameChanges(seen, stored []Change) error {
	ids := map[string]Change{}
	for _, c := range stored {
		ids[c.Path] = c
	}
	for _, c := range seen {
		s, ok := ids[c.Path]
		if !ok || s.Mode != c.Mode || s.Blob != c.Blob {
			return fmt.Errorf("file %q changed while it was committed", c.Path)
		}
		delete(ids, c.Path)
	}
	for path := range ids {
		return fmt.Errorf("file %q changed while it was committed", path)
	}
	return nil
}

// Diff returns the difference between the base and the worktree's source as
// text, without .warden and without refused paths, and whether it was cut at
// maxBytes. Attributes that would hide a file from it have no effect.
func (j *Judge) Diff(ctx context.Context, maxBytes int) (string, bool, error) {
	snap, err := j.Snapshot(ctx)
	if err != nil {
		return "", false, err
	}
	refused := map[string]bool{}
	for _, r := range snap.Refused {
		refused[r.Path] = true
	}
	tree, err := j.writeTree(ctx, snap, refused)
	if err != nil {
		return "", false, fmt.Errorf("make a diff: %w", err)
	}
	c := j.call("diff-tree", "-p", "-r", "--no-renames", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", j.cfg.Base, tree, "--")
	c.Config = append(c.Config, "core.quotePath=false")
	c.MaxOutput, c.Cut = maxBytes, true
	res, err := j.git.Do(ctx, c)
	if err != nil {
		return "", false, fmt.Errorf("make a diff: %w", err)
	}
	return strings.ToValidUTF8(string(res.Stdout), "\uFFFD"), res.Truncated, nil
}
