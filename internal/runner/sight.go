package runner

import (
	"context"
	"fmt"
	"slices"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/preview"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/visual"
	"github.com/tolboy/warden/internal/workflow"
)

// noLoopback is said where nothing gives a preview a network of its own.
const noLoopback = "a preview cannot have a loopback of its own under %s, and gets no other network: install bubblewrap, or say authority.network: true in the task"

// PageNetwork says in which network a page is looked at that a task's command
// serves and whose task grants none; "" with the reason where in none can be.
func PageNetwork(ctx context.Context, environ []string, held sandbox.Report) (network, why string) {
	switch held.Backend {
	case sandbox.None:
		return visual.NetworkHost, ""
	case sandbox.Bubblewrap:
		if err := sandbox.ProbeLoopback(ctx, held.Path, trial(environ)); err != nil {
			return "", fmt.Sprintf("preview and browser cannot share a loopback of their own here: %v; let the machine nest user namespaces, or say authority.network: true in the task", err)
		}
		return visual.NetworkLoopback, ""
	}
	return "", fmt.Sprintf(noLoopback, held.Backend)
}

// unseen says what would keep a browser from seeing a page, as far as it shows
// before anything is started; nil for nothing. How it would be looked at goes into
// the report.
func (m *Machine) unseen(ctx context.Context, l Look, r *visual.Report) *visual.Fault {
	o, fault := m.order(ctx, l, "", r)
	switch {
	case fault != nil:
		return fault
	case o.Command == "" && !r.UsedExisting:
		return &visual.Fault{Code: outcome.VisualUnavailable, Why: preview.Undeclared, Text: fmt.Sprintf(
			"nobody answers at %s, and no command that serves it is declared or was found: set visual_qa.start, or leave it and visual_qa.url to a preview of the project", o.URL)}
	case o.Command != "" && !preview.Local(o.URL):
		return &visual.Fault{Code: outcome.VisualUnavailable, Why: preview.Elsewhere, Text: fmt.Sprintf(
			"a command cannot serve %s: only 127.0.0.1, [::1] and localhost are this machine's alone", o.URL)}
	}
	if fault := m.network(l, &o); fault != nil {
		return fault
	}
	return m.unnested(ctx, o)
}

// Blind says why no browser could see the page of a task in dir, for those who would be
// paid before a run of it begins; nil when one could, or none has to.
func (m *Machine) Blind(ctx context.Context, h policy.Home, t contract.Task, dir string) *engine.Refusal {
	looks := func(s workflow.Step) bool { return s.Run == workflow.RunBrowser && s.Skip == "" }
	if !slices.ContainsFunc(Steps(h, t), looks) {
		return nil
	}
	if fault := m.unseen(ctx, Look{Task: t, Worktree: dir}, &visual.Report{}); fault != nil {
		return &engine.Refusal{Code: fault.Code, Detail: fault.Text}
	}
	return nil
}

// unnested says why preview and browser cannot be held together as an order wants
// them held; nil where they can.
func (m *Machine) unnested(ctx context.Context, o visual.Order) *visual.Fault {
	if o.Network != visual.NetworkLoopback {
		return nil
	}
	if _, why := PageNetwork(ctx, m.Environ, m.Sandbox); why != "" {
		return &visual.Fault{Code: outcome.VisualUnavailable, Why: visual.NoNetwork, Text: why}
	}
	return nil
}
