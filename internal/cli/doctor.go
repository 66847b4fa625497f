package cli

import (
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/ci"
	"github.com/tolboy/warden/internal/doctor"
)

func (a *app) doctor() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Say what would be refused here, and why; changes nothing",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			abs, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			h, err := a.loadHome()
			if err != nil {
				return err
			}
			r, err := doctor.Examine(cmd.Context(), doctor.Request{Version: Version, Dir: abs, Home: h, Env: a.environ,
				TokenVariables: ci.TokenVariables(), Sandbox: doctor.ProbeSandbox(cmd.Context(), a.environ, abs)})
			if err != nil {
				return err
			}
			return a.print(examined{r})
		},
	}
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

type examined struct{ doctor.Report }

func (e examined) succeeded() bool { return e.OK }
