package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/git"
)

func (a *app) init() *cobra.Command {
	var baseRef, dir string
	cmd := &cobra.Command{
		Use:   "init",
		Short: "Write the first contract of a project, and never overwrite one",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			root, err := filepath.Abs(dir)
			if err != nil {
				return err
			}
			if root, baseRef, err = a.firstBase(cmd.Context(), root, baseRef); err != nil {
				return err
			}
			out, err := first(cmd.Context(), draft.InitRequest{Root: root, BaseRef: baseRef})
			if err != nil {
				return err
			}
			if at := (&local{root: root}).at(); at != "" || a.program() != "warden" {
				out.Next = "review " + out.ProjectFile + ", commit it, then: " + a.program() + " do" + at + " \"<goal>\""
			}
			a.narrate("base  %s: what candidates are compared with, see base_ref in %s", baseRef, out.ProjectFile)
			return a.print(initialised{out})
		},
	}
	cmd.Flags().StringVar(&baseRef, "base-ref", "", "what a candidate is compared with; the main branch of origin, or the branch checked out, when empty")
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

// firstBase says what the first contract of a repository compares with. A project
// that could not be worked on is refused here already.
func (a *app) firstBase(ctx context.Context, dir, ref string) (root, base string, err error) {
	g, err := git.New()
	if err != nil {
		return "", "", err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", "", noDirectory(dir)
	}
	if root, err = top(ctx, g, dir); err != nil {
		return "", "", err
	}
	if real, err := filepath.EvalSymlinks(dir); err != nil || real != root {
		return "", "", errors.Join(err, below(real, root))
	}
	if ref == "" {
		ref, err = draft.Base(ctx, g, root)
		return root, ref, err
	}
	if _, err := g.Resolve(ctx, root, ref); err != nil {
		a.narrate("note: the base %q is not here yet: %v", ref, err)
	}
	return root, ref, nil
}

type initialised struct{ draft.Initialised }

func (i initialised) succeeded() bool { return i.OK }
