package cli

import (
	"io"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/report"
)

func (a *app) reportCommand() *cobra.Command {
	var text, html bool
	var dir string
	cmd := &cobra.Command{
		Use:   "report RUN",
		Short: "Show how a run went, joined from its ledger",
		Args:  exactly("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			l, err := a.openLocal(dir)
			if err != nil {
				return err
			}
			h, err := ledger.Read(l.runsDir, args[0])
			if err != nil {
				return l.refusal(cmd.Context(), args[0], err)
			}
			r := report.Build(h)
			switch {
			case text && html:
				return usagef("choose --text or --html")
			case text:
				_, err = io.WriteString(a.stdout, report.Text(r, l.runsDir, plain.Terminal))
				return err
			case html:
				page, err := report.HTML(r, l.runsDir, func(path string) ([]byte, error) { return ledger.ReadNamed(l.runsDir, h, path) })
				if err != nil {
					return err
				}
				_, err = a.stdout.Write(page)
				return err
			}
			return a.print(reported{r})
		},
	}
	cmd.Flags().BoolVar(&text, "text", false, "as text")
	cmd.Flags().BoolVar(&html, "html", false, "as a page")
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

type reported struct{ report.Report }

// succeeded is true when there is a report, whatever the run came to.
func (reported) succeeded() bool { return true }
