package cli

import "github.com/spf13/cobra"

func (a *app) validate() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "validate TASK",
		Short: "Read a contract and say what it resolves to; needs no network and no credential",
		Args:  exactly("TASK"),
		RunE: func(_ *cobra.Command, args []string) error {
			l, err := a.openLocal(dir)
			if err != nil {
				return err
			}
			t, err := l.task(args[0])
			if err != nil {
				return err
			}
			if err := t.ScenarioFaults().Err(); err != nil {
				return err
			}
			return a.print(object{"ok": true, "project": t.Project, "task_id": t.ID, "risk": t.Risk, "scope_paths": t.Scope,
				"baseline_commands": list(t.Baseline), "acceptance_commands": list(t.Acceptance)})
		},
	}
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

// list keeps an empty list from reading as null.
func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
