package cli

import (
	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/setup"
)

func (a *app) setup() *cobra.Command {
	return &cobra.Command{
		Use:   "setup",
		Short: "Write the starter files of the operator's home, the missing ones only",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			home, err := a.configHome()
			if err != nil {
				return err
			}
			r, err := setup.Write(home)
			if err != nil {
				return err
			}
			a.narrate("home  %s", r.Home)
			return a.print(object{"ok": true, "home": r.Home, "created": r.Created, "skipped_existing": r.Skipped,
				"next": "edit policy.yaml, then prove each profile that it names: " + a.program() + " profiles --verify NAME"})
		},
	}
}
