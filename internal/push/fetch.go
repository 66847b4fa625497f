package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// Refs returns the remote's refs that match the patterns of git ls-remote, or
// all, by their full names.
func (p *Pusher) Refs(ctx context.Context, r Remote, patterns ...string) (map[string]string, error) {
	if err := r.check(); err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	for _, pattern := range patterns {
		if err := git.CheckBranch(strings.ReplaceAll(pattern, "*", "x")); err != nil {
			return nil, fmt.Errorf("list refs: %w", err)
		}
	}
	dir, done, err := emptyDir()
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	defer done()
	res, err := p.remote(ctx, r, git.Call{Dir: dir, GitDir: dir, Args: append([]string{"ls-remote", "--refs", "--quiet", "--", r.URL}, patterns...)})
	if err != nil {
		return nil, fmt.Errorf("list refs: %w", err)
	}
	return parseRefs(res.Stdout)
}

func parseRefs(out []byte) (map[string]string, error) {
	refs := map[string]string{}
	for line := range bytes.Lines(out) {
		id, ref, ok := strings.Cut(strings.TrimRight(string(line), "\n"), "\t")
		if !ok || !git.IsObjectID(id) || git.CheckRef(ref) != nil {
			// A name that we refuse for ourselves is the remote's own affair.
			if ok && git.IsObjectID(id) {
				continue
			}
			return nil, fmt.Errorf("list refs: git printed %.80q", line)
		}
		refs[ref] = id
	}
	return refs, nil
}

// Fetch brings refspecs into gitDir, which must be a git directory of Warden's
// own: one with a setting that Warden does not write is refused, since such a
// setting could send the credential elsewhere. Submodules and tags that no
// refspec names stay away.
func (p *Pusher) Fetch(ctx context.Context, r Remote, gitDir string, refspecs ...string) error {
	if err := r.check(); err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	if len(refspecs) == 0 {
		return errors.New("fetch: no refspec")
	}
	for _, spec := range refspecs {
		if err := checkRefspec(spec); err != nil {
			return fmt.Errorf("fetch: %w", err)
		}
	}
	if err := p.ownSettings(ctx, gitDir); err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	_, err := p.remote(ctx, r, git.Call{Dir: gitDir, GitDir: gitDir, Args: append([]string{
		"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--no-auto-maintenance", "--", r.URL,
	}, refspecs...)})
	if err != nil {
		return fmt.Errorf("fetch: %w", err)
	}
	return nil
}

// checkRefspec asks for "[+]from:to" with at most one star on each side.
func checkRefspec(spec string) error {
	from, to, ok := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
	if !ok || !strings.HasPrefix(to, "refs/") {
		return fmt.Errorf("refspec %q names no ref for what it fetches", spec)
	}
	for _, ref := range []string{from, to} {
		if git.IsObjectID(ref) {
			continue
		}
		if err := git.CheckBranch(strings.Replace(ref, "*", "x", 1)); err != nil {
			return fmt.Errorf("refspec %q: %w", spec, err)
		}
	}
	return nil
}

// ownSettings accepts the settings that git.MakeDir writes, and what git itself
// may add to a repository.
func (p *Pusher) ownSettings(ctx context.Context, gitDir string) error {
	res, err := p.git.Do(ctx, git.Call{Dir: gitDir, GitDir: gitDir, Args: []string{"config", "--local", "--includes", "-z", "--name-only", "--list"}})
	if err != nil {
		return err
	}
	for key := range bytes.SplitSeq(res.Stdout, []byte{0}) {
		switch string(key) {
		case "", "core.repositoryformatversion", "core.bare", "core.filemode", "core.logallrefupdates", "core.autocrlf", "core.eol",
			"core.symlinks", "core.ignorecase", "core.precomposeunicode", "core.excludesfile", "extensions.objectformat":
		default:
			return fmt.Errorf("%s has a setting that Warden did not write: %.80q", gitDir, key)
		}
	}
	return nil
}
