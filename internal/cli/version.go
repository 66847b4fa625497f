package cli

import "github.com/spf13/cobra"

func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version as JSON",
		Args:  exactly(),
		RunE: func(*cobra.Command, []string) error {
			return a.print(object{"ok": true, "version": Version})
		},
	}
}
