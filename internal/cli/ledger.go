package cli

import (
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/corpus"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/plain"
)

func (a *app) ledgerCommand() *cobra.Command {
	var dir, project string
	var text, global bool
	var paths []string
	cmd := &cobra.Command{
		Use:   "ledger",
		Short: "Add up what all runs of the project did and cost, from their ledgers",
		Args:  atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case len(paths) > 0 && (global || text || project != ""):
				return usagef("--import goes by itself")
			case len(paths) > 0:
				return a.importRuns(cmd.Context(), paths)
			case project != "" && !global:
				return usagef("--project-id needs --global")
			case global && cmd.Flags().Changed("project"):
				return usagef("--global reads the home and no project: choose --global or --project")
			case global:
				return a.globalLedger(project, text)
			}
			// The contract is not read: a broken one must not hide what was spent.
			root, err := findRoot(dir)
			if err != nil {
				return err
			}
			from := metrics.Source{RunsDir: filepath.Join(root, ".warden", "runs"), Index: a.index()}
			sums, err := metrics.ReadAll([]metrics.Source{from}, nil)
			if err != nil {
				return err
			}
			return a.showLedger(sums, text, counted{sums})
		},
	}
	f := cmd.Flags()
	f.BoolVar(&text, "text", false, "as text")
	f.StringVar(&dir, "project", ".", "directory of the project")
	f.BoolVar(&global, "global", false, "add up the copies in the home instead, of every project")
	f.StringVar(&project, "project-id", "", "of the copies only those of this project")
	f.StringArrayVar(&paths, "import", nil, "copy the runs of this directory into the home: a run, a directory of runs, or a project")
	return cmd
}

// globalLedger adds up the copies of ledgers in the home.
func (a *app) globalLedger(project string, text bool) error {
	if project != "" {
		if err := corpus.CheckProject(project); err != nil {
			return usagef("%v", err)
		}
	}
	c, err := a.corpus()
	if err != nil {
		return err
	}
	sums, err := c.Read(project, a.index())
	if err != nil {
		return err
	}
	return a.showLedger(sums.Ledger, text, everywhere{sums})
}

func (a *app) showLedger(sums metrics.Ledger, text bool, whole result) error {
	if text {
		_, err := io.WriteString(a.stdout, metrics.Text(sums, harmless))
		return err
	}
	for _, u := range sums.Unverified {
		a.narrate("%s", harmless(u.RunID+": "+u.Code+": "+u.First))
	}
	return a.print(whole)
}

// corpus is where the home keeps copies of ledgers.
func (a *app) corpus() (corpus.Corpus, error) {
	home, err := a.configHome()
	return corpus.At(filepath.Join(home, "ledger")), err
}

type counted struct{ metrics.Ledger }

// succeeded is true when the runs were added up, whatever they came to.
func (counted) succeeded() bool { return true }

type everywhere struct{ corpus.Numbers }

func (everywhere) succeeded() bool { return true }

// harmless is foreign text on one line of a terminal.
func harmless(s string) string { return plain.Line(plain.Terminal(s), 300) }
