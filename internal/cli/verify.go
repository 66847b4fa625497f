package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/push"
	"github.com/tolboy/warden/internal/report"
)

func (a *app) verify() *cobra.Command {
	var against, dir, runs, rev string
	var published bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Compute a ledger again, offline, and name the first thing that does not fit",
		Args:  exactly("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rev != "" {
				tree, err := a.ledgerAt(cmd.Context(), dir, rev)
				if err != nil {
					return err
				}
				defer os.RemoveAll(tree)
				runs, published = tree, true
			}
			if real, err := filepath.EvalSymlinks(runs); runs != "" && err == nil {
				runs = real // who names a place may name a link to it
			}
			if runs == "" {
				root, err := findRoot(dir)
				if err != nil {
					return err
				}
				runs = filepath.Join(root, ".warden", "runs")
			}
			v, err := ledger.Verify(runs, args[0], against, ledger.VerifyOptions{Published: published, Projections: report.Projections()})
			if err != nil {
				return (&local{root: runs}).refusal(err)
			}
			if v.OK {
				a.narrate("verified %s: %d lines, %d files", v.RunID, v.Lines, v.Files)
			} else {
				a.narrate("%s: %s", v.Code, v.First)
			}
			return a.print(verified{v})
		},
	}
	f := cmd.Flags()
	f.StringVar(&against, "against", "", "the sealed head as it was kept elsewhere, such as in the pull request")
	f.StringVar(&dir, "project", ".", "directory of the project")
	f.StringVar(&runs, "runs-dir", "", "directory that holds the ledger, instead of the project's")
	f.StringVar(&rev, "rev", "", "read the ledger from this commit of the repository, such as refs/warden/runs/RUN after fetching it")
	f.BoolVar(&published, "published", false, "the ledger comes from the forge: transcripts and prompts may be withheld")
	return cmd
}

// ledgerAt writes the ledger that a commit holds into a temporary directory. It is
// data: nothing of it is run.
func (a *app) ledgerAt(ctx context.Context, dir, rev string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	g, err := git.New(dir)
	if err != nil {
		return "", err
	}
	common, err := g.CommonDir(ctx, dir)
	if err != nil {
		return "", &refused{Code: "not_a_git_repository", Message: err.Error()}
	}
	commit, err := g.Resolve(ctx, dir, rev)
	if err != nil {
		return "", usagef("%v", err)
	}
	tree, err := os.MkdirTemp("", "warden-verify-")
	if err != nil {
		return "", err
	}
	if err := push.New(g).ReadTree(ctx, common, commit, tree); err != nil {
		return "", errors.Join(err, os.RemoveAll(tree))
	}
	return tree, nil
}

type verified struct{ ledger.Verification }

func (v verified) succeeded() bool { return v.OK }
