package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/launcher"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/preview"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/scenario"
	"github.com/tolboy/warden/internal/visual"
)

// lookLimit is what scenarios may take beside what they wait for themselves.
const lookLimit = 2 * time.Minute

// Look asks for one look at the page of a tree.
type Look struct {
	RunID    string
	Task     contract.Task
	Worktree string
	Source   string // the git directory that holds the base commit
	Base     string // commit of the baselines
	Server   string // address of a server that is there, used in place of the task's own; "" for none
	Browser  string // path or name; "" leaves it to WARDEN_BROWSER and the well-known ones
	Limit    time.Duration
}

// See looks at the page and keeps every picture by keep. What keeps it from seeing
// anything is in the report; the error says that the machine failed us otherwise.
func (m *Machine) See(ctx context.Context, l Look, keep visual.Keep) (visual.Report, error) {
	r := visual.Report{SchemaVersion: 1, TaskID: l.Task.ID, RunID: l.RunID, FinishedAt: m.Now().UTC()}
	dir, err := m.lookDir(l.RunID)
	if err != nil {
		return r, err
	}
	order, fault := m.order(ctx, l, dir, &r)
	if fault == nil {
		fault = m.confineLook(l, &order, &r)
	}
	seen := visual.Seen{Fault: fault}
	var base *visual.Baselines
	if fault == nil {
		base, err = m.baselines(ctx, l)
	}
	if fault == nil && err == nil {
		seen = visual.Look(ctx, launcher.Self(), m.Environ, order)
		if seen.Fault != nil && ctx.Err() == nil {
			// Where the two cannot be held together, that is the cause of whatever else is said.
			if deeper := m.unnested(ctx, order); deeper != nil {
				seen = visual.Seen{Fault: deeper}
			}
		}
		if seen.Fault == nil || len(seen.Report.Scenarios) > 0 {
			r.Network = order.Network
		}
	}
	if err == nil {
		r, err = visual.Settle(r, seen, order.Pictures, base, keep)
	}
	r.FinishedAt = m.Now().UTC()
	return r, errors.Join(err, os.RemoveAll(dir))
}

// lookDir makes the private directory of one look, with places for its pictures and
// for what the browser keeps.
func (m *Machine) lookDir(runID string) (string, error) {
	parent := filepath.Join(m.StateDir, "visual")
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return "", fmt.Errorf("make a place for the pictures: %w", err)
	}
	dir, err := os.MkdirTemp(parent, runID+"-")
	for _, name := range []string{"pictures", "scratch"} {
		if err == nil {
			err = os.Mkdir(filepath.Join(dir, name), 0o700)
		}
	}
	if err != nil {
		return "", fmt.Errorf("make a place for the pictures: %w", err)
	}
	return dir, nil
}

// order decides at what the browser looks, and who serves it, and says so in the report.
func (m *Machine) order(ctx context.Context, l Look, dir string, r *visual.Report) (visual.Order, *visual.Fault) {
	o := visual.Order{
		Scenarios: l.Task.Visual.Scenarios, Origins: l.Task.Visual.Origins, Ignore: l.Task.Visual.BaselineIgnore,
		Pictures: filepath.Join(dir, "pictures"), Scratch: filepath.Join(dir, "scratch"),
		Dir: l.Worktree, Env: proc.Environ(m.Environ, nil), Bwrap: m.Sandbox.Path,
	}
	var list []scenario.Scenario
	for _, text := range o.Scenarios {
		s, faults := scenario.Parse(text)
		if len(faults) > 0 {
			return o, &visual.Fault{Code: outcome.VisualContractInvalid, Why: visual.Internal, Text: fmt.Sprintf("scenario %q: %v", text, faults)}
		}
		list = append(list, s)
	}
	o.Limit = scenario.Limit(lookLimit, list)
	if l.Limit > 0 {
		o.Limit = min(o.Limit, l.Limit)
	}
	if o.Ready = time.Duration(l.Task.Visual.Ready) * time.Second; l.Limit > 0 {
		o.Ready = min(cmp.Or(o.Ready, preview.ReadyLimit), l.Limit)
	}
	r.LimitSeconds = o.Limit.Seconds()
	if fault := m.page(ctx, l, &o, r); fault != nil {
		return o, fault
	}
	path, err := browser.Find(l.Browser, m.Environ, l.Worktree)
	if err != nil {
		return o, &visual.Fault{Code: outcome.VisualUnavailable, Why: visual.NoBrowser, Text: err.Error()}
	}
	o.Browser, r.BrowserPath = path, path
	return o, nil
}

// page decides who serves the page: the task's command, one that is found, or
// somebody who does so already.
func (m *Machine) page(ctx context.Context, l Look, o *visual.Order, r *visual.Report) *visual.Fault {
	v := l.Task.Visual
	if l.Server != "" {
		o.URL, r.URL, r.UsedExisting = l.Server, l.Server, true
		return nil
	}
	o.URL, o.Command = v.URL, v.Start
	found, served := draft.DetectPreview(os.DirFS(l.Worktree))
	if o.URL == "" && o.Command == "" && served {
		o.URL = found.URL
	}
	if o.URL == "" {
		o.URL = contract.DefaultURL
	}
	if o.Command == "" && served && found.URL == o.URL {
		o.Command = found.Start
	}
	r.URL, r.Start, r.StartDeclared = o.URL, o.Command, v.Start != ""
	// A page that answers before anything was started is somebody else's. The same
	// is said where a namespace would keep it away, so that a task has one answer on
	// every machine.
	switch taken := preview.Taken(ctx, o.URL); {
	case taken && v.Start != "":
		return &visual.Fault{Code: outcome.VisualPortOccupied, Why: preview.Occupied,
			Text: fmt.Sprintf("something answers at %s already, and visual_qa.start is to serve it", o.URL)}
	case taken:
		o.Command, r.Start, r.UsedExisting = "", "", true
	}
	return nil
}

// confineLook gives the preview and the browser the confinement of the commands
// that decide, and the two together a network of their own where there can be one.
func (m *Machine) confineLook(l Look, o *visual.Order, r *visual.Report) *visual.Fault {
	backend := m.Sandbox.Backend
	r.BrowserConfinedBy = string(sandbox.None)
	if o.Command != "" {
		r.PreviewConfinedBy = string(backend)
	}
	if fault := m.network(l, o); fault != nil {
		return fault
	}
	spec, err := m.Checks(l.RunID, l.Worktree)
	if err != nil {
		return &visual.Fault{Code: outcome.VisualUnavailable, Why: visual.Internal, Text: fmt.Sprintf("prepare the preview: %v", err)}
	}
	if spec != nil {
		spec.Network = true // of the namespace that it is in
		o.Preview = spec
	}
	if backend == sandbox.Bubblewrap {
		r.BrowserConfinedBy = string(backend)
		o.Chromium = &sandbox.Spec{Backend: backend, Home: "/tmp/home", MaskHomes: m.Homes, Mounts: m.browserMounts(o.Browser), Hide: append(m.hidden(), l.Worktree)}
	}
	return nil
}

// network decides in which network a page is looked at. It never gives the candidate's
// program more of one than the commands that decide have.
func (m *Machine) network(l Look, o *visual.Order) *visual.Fault {
	switch backend := m.Sandbox.Backend; {
	case o.Command == "" || l.Task.Authority.Network || backend == sandbox.None:
		o.Network = visual.NetworkHost
	case backend == sandbox.Bubblewrap:
		o.Network = visual.NetworkLoopback
	default:
		return &visual.Fault{Code: outcome.VisualUnavailable, Why: visual.NoNetwork, Text: fmt.Sprintf(noLoopback, backend)}
	}
	return nil
}

// browserMounts shares the directory of a browser that lies in a home.
func (m *Machine) browserMounts(path string) []sandbox.Mount {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil
	}
	for _, home := range m.Homes {
		if dir := filepath.Dir(real); within(dir, home) && dir != home {
			return []sandbox.Mount{{Source: dir, Target: dir}}
		}
	}
	return nil
}
