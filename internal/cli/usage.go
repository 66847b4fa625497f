package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/strict"
)

// usageError is a command line that cannot be carried out.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// commandLine are the codes, beside usage itself, of a word on the command line
// that names nothing: they end with the same exit status.
func commandLine(code string) bool {
	return slices.Contains([]string{"project_not_found", "risk_unknown", "scope_required", "scope_unknown", "unknown_decision", "unsafe_run_id"}, code)
}

// exactly requires the named arguments and no others.
func exactly(names ...string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < len(names) {
			return usagef("missing argument %s", names[len(args)])
		}
		return atMost(len(names), "")(cmd, args)
	}
}

// atMost allows so many arguments; hint says what a further one may mean.
func atMost(n int, hint string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		if hint != "" {
			hint = " (" + hint + ")"
		}
		return usagef("unexpected argument %q%s", args[n], hint)
	}
}

// noSuchCommand is for the root, which takes a command and nothing else.
func noSuchCommand(root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	hint := "see " + root.CommandPath() + " --help"
	if near := strict.Nearest(args[0], names); near != "" {
		hint = "did you mean " + near + "?"
	}
	return usagef("unknown command %q (%s)", args[0], hint)
}

// nameOne is for a command that does nothing by itself. Its help goes to stderr, since
// stdout is for the object that says so.
func nameOne(what string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		cmd.SetOut(cmd.ErrOrStderr())
		if err := cmd.Help(); err != nil {
			return err
		}
		return usagef("name %s", what)
	}
}

// generated holds the commands that the parser brings to the rules of ours: a word that
// names nothing is a usage error there too.
func generated(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(_ *cobra.Command, args []string) error {
				if at, _, err := root.Find(args); err == nil && (at != root || len(args) == 0) {
					return nil
				}
				return noSuchCommand(root, args)
			}
		case "completion":
			c.Args, c.RunE = noSuchCommand, nameOne("a shell")
			for _, shell := range c.Commands() {
				shell.Args = atMost(0, "")
			}
		}
	}
}

// badFlag names the flag that was probably meant.
func badFlag(cmd *cobra.Command, err error) error {
	word, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return usagef("%v", err)
	}
	var flags []string
	for line := range strings.Lines(cmd.Flags().FlagUsages()) {
		if _, rest, ok := strings.Cut(line, "--"); ok {
			flags = append(flags, strings.Fields(rest)[0])
		}
	}
	if near := strict.Nearest(word, flags); near != "" {
		return usagef("%v (did you mean --%s?)", err, near)
	}
	return usagef("%v (see %s --help)", err, cmd.CommandPath())
}
