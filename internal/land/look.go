package land

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// Remotes lists the remotes as the operator's git knows them, by name. A URL that
// only a push goes to comes before the one that is fetched from.
func (p Performer) Remotes(ctx context.Context) ([]Remote, error) {
	settings, err := p.Git.OperatorSettings(ctx, p.Root, `^remote\..*\.(url|pushurl|fetch)$`)
	if err != nil {
		return nil, err
	}
	var remotes []Remote
	for key := range settings {
		name, ok := strings.CutSuffix(strings.TrimPrefix(key, "remote."), ".url")
		if !ok || git.CheckBranch(name) != nil {
			continue
		}
		r := Remote{Name: name, URLs: settings["remote."+name+".pushurl"]}
		if len(r.URLs) == 0 {
			r.URLs = settings[key]
		}
		r.Tracks = slices.Contains(settings["remote."+name+".fetch"], "+refs/heads/*:refs/remotes/"+name+"/*")
		if r.Default, err = p.symbolic(ctx, "refs/remotes/"+name+"/HEAD", "refs/remotes/"+name+"/"); err != nil {
			return nil, err
		}
		remotes = append(remotes, r)
	}
	slices.SortFunc(remotes, func(a, b Remote) int { return strings.Compare(a.Name, b.Name) })
	return remotes, nil
}

func (p Performer) symbolic(ctx context.Context, ref, below string) (string, error) {
	out, err := p.Git.Run(ctx, p.Root, "symbolic-ref", "--quiet", ref)
	var none *git.CommandError
	if errors.As(err, &none) && none.ExitCode == 1 {
		return "", nil
	}
	name, _ := strings.CutPrefix(strings.TrimSuffix(string(out), "\n"), below)
	return name, err
}

// Staged lists the paths whose index entry differs from HEAD. No file is read.
func (p Performer) Staged(ctx context.Context) ([]string, error) {
	out, err := p.Git.Run(ctx, p.Root, "diff-index", "--cached", "--name-only", "--no-renames", "-z", "HEAD", "--")
	if err != nil {
		return nil, fmt.Errorf("read what is staged: %w", err)
	}
	var paths []string
	for name := range bytes.SplitSeq(out, []byte{0}) {
		if len(name) > 0 {
			paths = append(paths, string(name))
		}
	}
	return paths, nil
}

// tracked returns where the remote's branch was seen last, or "".
func (p Performer) tracked(ctx context.Context, r Remote, branch string) (string, error) {
	if !r.Tracks {
		return "", nil
	}
	id, err := p.Git.Resolve(ctx, p.Root, "refs/remotes/"+r.Name+"/"+branch)
	var none *git.UnresolvableError
	if errors.As(err, &none) {
		return "", nil
	}
	return id, err
}
