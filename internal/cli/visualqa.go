package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/gate"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/visual"
)

func (a *app) visualQA() *cobra.Command {
	var id, dir, address, browser string
	var propose bool
	cmd := &cobra.Command{
		Use:   "visual-qa TASK",
		Short: "Look at the task's page in a browser, with no vendor",
		Long: "Serve the page of a task, open it in a browser and check its scenarios, with no\nvendor. The report and every picture are kept below .warden/runs.\n\n" +
			"With --propose-baseline the pictures of a look that passed are written to\n.warden/baselines, for a person to commit. Nothing else ever writes there.",
		Args: exactly("TASK"),
		RunE: func(cmd *cobra.Command, args []string) error {
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
			if !t.Visual.Harness() || len(t.Visual.Scenarios) == 0 {
				return &refused{Code: "no_scenarios", Message: fmt.Sprintf("task %q asks no browser for anything", t.ID),
					Hint: "give it visual_qa.required: true and visual_qa.scenarios"}
			}
			if u, err := url.Parse(address); err != nil || address != "" && (u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil) {
				return usagef("--url %q: write http:// or https:// and a host, without a user", address)
			}
			if id == "" {
				id = a.freshID("visual")
			}
			look := &look{local: l, task: t, id: id, address: address, browser: browser, propose: propose}
			report, file, err := look.run(cmd.Context(), a)
			if err != nil {
				return err
			}
			out := object{"ok": report.OK, "code": report.Code, "message": report.Message, "report": file, "run_id": id}
			if propose {
				out["proposed"] = look.proposed
			}
			return a.print(out)
		},
	}
	cmd.Flags().StringVar(&id, "run-id", "", "name of this look")
	cmd.Flags().StringVar(&dir, "project", ".", "directory of the project")
	cmd.Flags().StringVar(&address, "url", "", "use the server that answers at this address, and start none")
	cmd.Flags().StringVar(&browser, "browser", "", "path or name of the browser; default WARDEN_BROWSER, then the well-known ones")
	cmd.Flags().BoolVar(&propose, "propose-baseline", false, "write the pictures of a look that passed to .warden/baselines")
	return cmd
}

// look is one look that belongs to no run.
type look struct {
	*local
	task     contract.Task
	id       string
	address  string
	browser  string
	propose  bool
	pictures map[string][]byte // by their path below the runs
	proposed []string
}

// run looks once and keeps the report and the pictures, as the gates do of theirs.
func (k *look) run(ctx context.Context, a *app) (visual.Report, string, error) {
	m, err := a.machine(ctx, k.root)
	if err != nil {
		return visual.Report{}, "", err
	}
	release, err := a.hold(ctx, m, k.root, k.id)
	if err != nil {
		return visual.Report{}, "", err
	}
	defer release()
	runs, stage, err := k.reserve(k.id, "visual-qa")
	if err != nil {
		return visual.Report{}, "", err
	}
	defer runs.Close()
	home, err := a.loadHome()
	if err != nil {
		return visual.Report{}, "", err
	}
	red, err := a.redactor(home)
	if err != nil {
		return visual.Report{}, "", err
	}
	report, err := k.see(ctx, m, runs, stage, red)
	if err != nil {
		return report, "", err
	}
	data, err := json.MarshalIndent(report, "", "  ")
	if err != nil {
		return report, "", fmt.Errorf("encode the report of the browser: %w", err)
	}
	data, _ = red.Bytes(data)
	name := path.Join(stage, visual.FileName)
	if err := runs.Create(name, append(data, '\n')); err != nil {
		return report, "", err
	}
	if k.propose && report.OK {
		if k.proposed, err = k.writeBaselines(report); err != nil {
			return report, "", err
		}
	}
	a.tellLook(report)
	return report, filepath.Join(k.runsDir, filepath.FromSlash(name)), nil
}

// see looks at the operator's own checkout. A base that cannot be found is a report
// that says so.
func (k *look) see(ctx context.Context, m *runner.Machine, runs *durable.Dir, stage string, red *redact.Set) (visual.Report, error) {
	if _, err := top(ctx, m.Git, k.root); err != nil {
		return visual.Report{}, err
	}
	order := runner.Look{RunID: k.id, Task: k.task, Worktree: k.root, Server: k.address, Browser: k.browser}
	order.Task.Visual.Baseline = order.Task.Visual.Baseline && !k.propose // it is to be replaced
	if order.Task.Visual.Baseline {
		base, verdict, err := gate.PinBase(ctx, m.Git, k.root, k.task.BaseRef)
		if err != nil {
			return visual.Report{}, err
		}
		if !verdict.OK {
			return visual.Report{}, &refused{Code: string(verdict.Code), Message: verdict.Message, Hint: "fetch the base, or mend base_ref"}
		}
		order.Base = base.MergeBase
		if order.Source, err = m.Git.CommonDir(ctx, k.root); err != nil {
			return visual.Report{}, err
		}
	}
	defer func() { _ = m.Discard(k.id) }()
	k.pictures = map[string][]byte{}
	return m.See(ctx, order, func(name string, data []byte) (visual.Picture, error) {
		data, _ = red.Bytes(data)
		rel := path.Join(stage, name)
		if err := runs.Mkdir(path.Dir(rel)); err != nil {
			return visual.Picture{}, err
		}
		if err := runs.Create(rel, data); err != nil {
			return visual.Picture{}, err
		}
		k.pictures[rel] = data
		sum := sha256.Sum256(data)
		return visual.Picture{Path: rel, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}, nil
	})
}

// tellLook narrates what the look came to.
func (a *app) tellLook(r visual.Report) {
	for _, s := range r.Scenarios {
		state := "ok    "
		if !s.OK {
			state = "FAILED"
		}
		a.narrate("%s %s", state, s.Raw)
		if s.Why != "" {
			a.narrate("       %s", s.Why)
		}
	}
	if !r.OK && r.Code != outcome.VisualFailed {
		a.narrate("%s: %s", r.Code, r.Message)
	}
}
