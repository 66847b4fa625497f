package cli

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/plain"
)

func (a *app) ledgerCommand() *cobra.Command {
	var dir string
	var text bool
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Add up what all runs of the project did and cost, from their ledgers",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			// The contract is not read: a broken one must not hide what was spent.
			root, err := findRoot(dir)
			if err != nil {
				return err
			}
			sums, err := metrics.Read(filepath.Join(root, ".warden", "runs"))
			if err != nil {
				return err
			}
			if text {
				_, err = io.WriteString(a.stdout, metrics.Text(sums, harmless))
				return err
			}
			for _, u := range sums.Unverified {
				a.narrate("%s", harmless(u.RunID+": "+u.Code+": "+u.First))
			}
			return a.print(counted{sums})
		},
	}
	cmd.Flags().BoolVar(&text, "text", false, "as text")
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

type counted struct{ metrics.Ledger }

// succeeded is true when the runs were added up, whatever they came to.
func (counted) succeeded() bool { return true }

// harmless is foreign text on one line of a terminal.
func harmless(s string) string { return plain.Line(plain.Terminal(s), 300) }
