package worktree

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// checkoutSettings gives a checkout the operator's line ends and file modes, and
// empties every filter that the repository's settings define: a filter is a
// program, and what is checked out may be a candidate.
func checkoutSettings(ctx context.Context, g *git.Git, repo string) ([]string, error) {
	settings, err := g.Settings(ctx, repo)
	if err != nil {
		return nil, err
	}
	out := append([]string{"checkout.workers=0"}, settings.Core...)
	keys, err := g.Run(ctx, repo, "config", "-z", "--name-only", "--get-regexp", `^filter\..*\.(clean|smudge|process|required)$`)
	var failed *git.CommandError
	if errors.As(err, &failed) && failed.ExitCode == 1 {
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	for key := range bytes.SplitSeq(keys, []byte{0}) {
		name := string(key)
		switch {
		case name == "":
		case strings.ContainsAny(name, "=\n"):
			return nil, errors.New("a filter of the repository has a name that cannot be switched off")
		case strings.HasSuffix(name, ".required"):
			out = append(out, name+"=false")
		default:
			out = append(out, name+"=")
		}
	}
	return out, nil
}
