// Package cli is the command line: one file per command, the wiring of the
// packages below, and the one place where an outcome becomes an exit status.
// Business rules live elsewhere.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/launcher"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/visual"
)

// Version is the version of this build; a release sets it by a linker flag.
var Version = "0.1.0-dev"

// Exit statuses. See design: 0 done or ready for a human, 1 judged not good
// enough, refused or failed, 2 usage or configuration.
const (
	exitOK      = 0
	exitRefused = 1
	exitUsage   = 2
)

// app is what every command needs of the process it runs in.
type app struct {
	environ []string
	stdin   io.Reader
	stdout  io.Writer
	stderr  io.Writer
	now     func() time.Time
	held    *sandbox.Report // what a look at the machine gave in this process, if there was one
	status  int             // of the command that ran
}

// Main runs one command and returns the exit status. What signals do to it is said
// at watch.
func Main(args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	if status, own := launcher.Run(args, stderr); own {
		return status
	}
	if status, own := visual.Enter(args, stdin, stdout, stderr); own {
		return status
	}
	ctx, stop := watch()
	defer stop()
	return run(ctx, args, environ, stdin, stdout, stderr)
}

func run(ctx context.Context, args, environ []string, stdin io.Reader, stdout, stderr io.Writer) int {
	stdout, stderr = hideProxy(environ, stdout), hideProxy(environ, stderr)
	return (&app{environ: environ, stdin: stdin, stdout: stdout, stderr: stderr, now: time.Now}).run(ctx, args)
}

func (a *app) run(ctx context.Context, args []string) int {
	root := a.root()
	root.SetArgs(args)
	root.SetIn(a.stdin)
	root.SetOut(a.stdout)
	root.SetErr(a.stderr)
	generated(root) // they keep where to write to
	err := root.ExecuteContext(ctx)
	if err != nil {
		return a.fail(err)
	}
	return a.status
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "warden",
		Short:         "Run AI coding agents by role, check the result mechanically, stop in front of a human",
		Long:          "Warden runs AI coding agents by role inside a repository, checks the result\nmechanically, and stops in front of a human. It never merges anything.",
		Version:       Version,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noSuchCommand,
		RunE:          nameOne("a command"),
	}
	root.SetVersionTemplate("warden {{.Version}}\n")
	root.SetFlagErrorFunc(badFlag)
	root.AddCommand(
		a.setup(), a.init(), a.do(), a.runCommand(), a.gates(), a.visualQA(), a.role(), a.validate(), a.profiles(),
		a.doctor(), a.ledgerCommand(), a.reportCommand(), a.statusCommand(), a.approve(), a.land(), a.verify(), a.clean(), a.action(), a.demo(), a.version(),
	)
	return root
}

// env returns a variable of the process's environment.
func (a *app) env(name string) string {
	for _, kv := range a.environ {
		if len(kv) > len(name) && kv[len(name)] == '=' && kv[:len(name)] == name {
			return kv[len(name)+1:]
		}
	}
	return ""
}

// narrate writes a line of narration. What it names may be foreign.
func (a *app) narrate(format string, args ...any) {
	fmt.Fprintln(a.stderr, plain.Terminal(fmt.Sprintf(format, args...)))
}

// interrupted reports whether the context ended because somebody asked.
func interrupted(ctx context.Context) bool { return errors.Is(ctx.Err(), context.Canceled) }
