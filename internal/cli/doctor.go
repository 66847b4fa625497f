package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/ci"
	"github.com/tolboy/warden/internal/doctor"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/sandbox"
)

func (a *app) doctor() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what would be refused here, and why; changes nothing",
		Args:  atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			h, err := a.loadHome()
			if err != nil {
				return err
			}
			held, _ := runner.Probe(cmd.Context(), a.environ, abs) // a program inside is told by the examination
			eyes := a.browser(abs)
			eyes.Network, eyes.NetworkMessage = runner.PageNetwork(cmd.Context(), a.environ, held)
			r, err := doctor.Examine(cmd.Context(), doctor.Request{Version: Version, Dir: abs, Home: h, Program: a.program(), Env: a.environ,
				TokenVariables: ci.TokenVariables(), Sandbox: held, Browser: eyes, Fault: a.faults(h, held)})
			if err != nil {
				return err
			}
			a.diagnose(r)
			return a.print(examined{r})
		},
	}
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

// browser is what a page would be looked at with.
func (a *app) browser(dir string) doctor.Browser {
	path, err := browser.Find("", a.environ, dir)
	if err != nil {
		return doctor.Browser{Message: err.Error()}
	}
	return doctor.Browser{Path: path}
}

// faults looks at profiles as a run would look at them before it pays anybody.
func (a *app) faults(h policy.Home, held sandbox.Report) func(string, policy.Profile) (outcome.Code, string) {
	home, err := homeDir(a.env)
	if err != nil {
		home = "" // shares nothing, which no fault depends on
	}
	return runner.Faults(h, a.environ, home, held)
}

type examined struct{ doctor.Report }

func (e examined) succeeded() bool { return e.OK }
