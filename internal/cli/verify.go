package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/report"
)

func (a *app) verify() *cobra.Command {
	var against, dir, runs string
	var published bool
	cmd := &cobra.Command{
		Use:   "verify RUN",
		Short: "Compute a ledger again, offline, and name the first thing that does not fit",
		Args:  exactly("RUN"),
		RunE: func(_ *cobra.Command, args []string) error {
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
	f.BoolVar(&published, "published", false, "the ledger comes from the forge: transcripts and prompts may be withheld")
	return cmd
}

type verified struct{ ledger.Verification }

func (v verified) succeeded() bool { return v.OK }
