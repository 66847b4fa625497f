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
	var expect ledger.Expect
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Compute a ledger again, offline, and name the first thing that does not fit",
		Args:  exactly("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := stated(cmd, "against", "repository", "issue", "pull-request", "candidate", "runs-dir", "rev"); err != nil {
				return err
			}
			for flag, hash := range map[string]string{"--against": against, "--candidate": expect.Commit} {
				if hash != "" && !wholeHash(hash) {
					return usagef("%s %q is no whole hash: 64 hexadecimal digits in small letters, or 40 where a commit is meant", flag, hash)
				}
			}
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
			at := &local{root: runs}
			if runs == "" {
				root, err := findRoot(dir)
				if err != nil {
					return err
				}
				// A contract that does not read is no reason not to look at a ledger.
				if at, err = a.openLocal(root); err != nil {
					at = &local{root: root}
				}
				runs = filepath.Join(root, ".warden", "runs")
			}
			v, err := ledger.Verify(runs, args[0], against, ledger.VerifyOptions{Published: published, Projections: report.Projections(), Expect: expect})
			if rev != "" && errors.Is(err, ledger.ErrUnknownRun) {
				return &refused{Code: "unknown_run", Message: err.Error(), Hint: "looked in commit " + rev}
			}
			if err != nil {
				return at.refusal(cmd.Context(), args[0], err)
			}
			if v.OK {
				a.narrate("%s", verdictOf(v, a.program()))
				return a.print(verified{Verification: v})
			}
			message := v.Code + ": " + v.First
			a.narrate("warden: %s", message)
			return a.print(verified{v, message})
		},
	}
	f := cmd.Flags()
	f.StringVar(&against, "against", "", "a head as it was kept elsewhere, such as in the pull request: the sealed one covers the work, that of the decision covers both")
	f.StringVar(&expect.Repo, "repository", "", "OWNER/NAME that the ledger must be about")
	f.IntVar(&expect.Issue, "issue", 0, "number of the issue that it must be about")
	f.IntVar(&expect.PullRequest, "pull-request", 0, "number of the pull request that it must be about")
	f.StringVar(&expect.Commit, "candidate", "", "the whole commit that must be its candidate, such as the head of the pull request")
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
		return "", noRepository(dir)
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

type verified struct {
	ledger.Verification
	Message string `json:"message,omitempty"` // of a failure
}

func (v verified) succeeded() bool { return v.OK }
