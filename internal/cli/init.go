package cli

import (
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/draft"
)

func (a *app) init() *cobra.Command {
	var baseRef, dir string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write the first contract of a project, and never overwrite one",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			out, err := draft.Init(cmd.Context(), draft.InitRequest{Root: root, BaseRef: baseRef})
			var unknown *draft.UnrecognisedError
			switch {
			case errors.Is(err, draft.ErrExists):
				return &refused{Code: "already_initialised", Message: err.Error()}
			case errors.As(err, &unknown):
				return &refused{Code: "project_not_initialized", Message: unknown.Error()}
			case err != nil:
				return err
			}
			return a.print(initialised{out})
		},
	}
	cmd.Flags().StringVar(&baseRef, "base-ref", "origin/main", "what a candidate is compared with")
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

type initialised struct{ draft.Initialised }

func (i initialised) succeeded() bool { return i.OK }
