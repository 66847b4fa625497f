package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/demo"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/report"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/sandbox"
)

func (a *app) demo() *cobra.Command {
	var keep, drop string
	var quiet, noBrowser bool
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show everything offline: a forge on loopback, scripted vendors, and a person",
		Args:  exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			self, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this program: %w", err)
			}
			git, err := proc.LookOutside("git", a.environ)
			if err != nil {
				return err
			}
			bare, err := runner.Probe(cmd.Context(), a.environ)
			if err != nil {
				return err
			}
			var held string
			if bare.Backend == sandbox.Landlock {
				held = bare.String()
			}
			blind := a.blind(cmd.Context(), bare, noBrowser)
			res, err := demo.Play(cmd.Context(), demo.Options{Action: a.inProcess(bare), Self: self, Environ: a.environ, Stderr: a.stderr, Keep: keep, Drop: drop, Quiet: quiet,
				Git: git, Path: proc.PathOutside(a.environ), Bare: bare.Reason, Held: held, Blind: blind, Page: page, Now: a.now})
			if errors.Is(err, demo.ErrNotEmpty) {
				return usagef("--keep: %v", err)
			}
			if err != nil {
				return err
			}
			for _, p := range res.Problems {
				a.narrate("problem: %s", p)
			}
			out := demonstrated{Result: res}
			if !res.OK {
				out.Code, out.Message = "demo_failed", fmt.Sprintf("the story did not end as it should: %s", strings.Join(res.Problems, "; "))
				a.complain(errors.New(out.Message))
			}
			return a.print(out)
		},
	}
	cmd.Flags().StringVar(&keep, "keep", "", "empty directory to leave repository, ledgers and reports in")
	cmd.Flags().StringVar(&drop, "drop-route", "", "let one route of the forge fail, to see the story end otherwise")
	cmd.Flags().BoolVar(&quiet, "quiet", false, "no story on stderr")
	cmd.Flags().BoolVar(&noBrowser, "no-browser", false, "leave the page out, and the browser that looks at it")
	cmd.Flags().Lookup("drop-route").Hidden = true
	cmd.AddCommand(a.demoVendor(), a.demoPage())
	return cmd
}

// blind says why the demonstration's page cannot be looked at here; "" when it can.
func (a *app) blind(ctx context.Context, held sandbox.Report, unwanted bool) string {
	if unwanted {
		return "--no-browser was given"
	}
	if held.Backend == sandbox.Landlock {
		return "under Landlock a page cannot have a network of its own (install bubblewrap)"
	}
	if _, err := browser.Find("", a.environ); err != nil {
		return err.Error()
	}
	_, why := runner.PageNetwork(ctx, a.environ, held)
	return why
}

// demoPage serves the page of the demonstration: it is what its project declares.
func (a *app) demoPage() *cobra.Command {
	var address string
	cmd := &cobra.Command{
		Use:    "page",
		Short:  "Serve index.html of the working directory",
		Hidden: true,
		Args:   exactly(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return demo.ServePage(cmd.Context(), ".", address)
		},
	}
	cmd.Flags().StringVar(&address, "address", "", "host and port to serve at")
	return cmd
}

type demonstrated struct {
	demo.Result
	Code    string `json:"code,omitempty"`    // of a failure
	Message string `json:"message,omitempty"` // of a failure
}

func (d demonstrated) succeeded() bool { return d.OK }

// inProcess is `warden action` in this process, on the machine as it was just looked at.
func (a *app) inProcess(held sandbox.Report) demo.Action {
	return func(ctx context.Context, environ []string, stderr io.Writer) ([]byte, int) {
		var out bytes.Buffer
		job := &app{environ: environ, stdin: bytes.NewReader(nil), stdout: hideProxy(environ, &out), stderr: hideProxy(environ, stderr), now: a.now, held: &held}
		status := job.run(ctx, []string{"action"})
		return out.Bytes(), status
	}
}

// demoVendor plays a vendor: it is what the demonstration's profiles start.
func (a *app) demoVendor() *cobra.Command {
	var script, role string
	cmd := &cobra.Command{
		Use:    "vendor",
		Short:  "Play a scripted vendor on stdin and the working directory",
		Hidden: true,
		Args:   exactly(),
		RunE: func(*cobra.Command, []string) error {
			s, err := demo.Load(script)
			if err != nil {
				return err
			}
			dir, err := os.Getwd()
			if err != nil {
				return err
			}
			a.status, err = s.Play(role, dir, a.stdin, a.stdout, a.stderr)
			return err
		},
	}
	cmd.Flags().StringVar(&script, "script", "", "name of a script of the demonstration, or a file")
	cmd.Flags().StringVar(&role, "role", "", "role that is played")
	return cmd
}

// page renders the report of a run.
func page(runsDir, runID string) ([]byte, error) {
	h, err := ledger.Read(runsDir, runID)
	if err != nil {
		return nil, err
	}
	return report.HTML(report.Build(h), runsDir, func(path string) ([]byte, error) { return ledger.ReadNamed(runsDir, h, path) })
}
