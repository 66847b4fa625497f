package contract

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/strict"
)

// LoadTask reads the task that a selector names: a path such as
// .warden/tasks/t1.yaml or tasks/t1.yaml, a file name, or an id. Faults of the
// file come as strict.Faults, an unknown selector as *TaskNotFoundError; another
// error means that the file could not be read.
func LoadTask(fsys fs.FS, selector string, p Project) (Task, error) {
	path, err := FindTask(fsys, selector)
	if err != nil {
		return Task{}, err
	}
	data, err := read(fsys, path)
	if err != nil {
		return Task{}, err
	}
	t, err := ParseTask(".warden/"+path, data, p)
	if err != nil {
		return Task{}, err
	}
	t.Path = path
	return t, nil
}

// ParseTask reads the text of a task against its project; file is its name in
// messages.
func ParseTask(file string, data []byte, p Project) (Task, error) {
	var raw rawTask
	src := strict.Source{File: file}
	r := &resolver{project: p, src: src, faults: strict.Read(src, data, raw.shape())}
	t := r.task(&raw)
	if err := r.faults.Err(); err != nil {
		return Task{}, err
	}
	return t, nil
}

type resolver struct {
	project Project
	src     strict.Source
	faults  strict.Faults
}

func (r *resolver) report(at strict.At, message, hint string) {
	r.faults = append(r.faults, r.src.Fault(at, message, hint))
}

func (r *resolver) task(raw *rawTask) Task {
	d := r.project.Defaults
	t := Task{
		ID: raw.ID.V, Goal: raw.Goal.V, NonGoals: strict.Strings(raw.NonGoals.V), Risk: raw.Risk.Or(d.Risk),
		Authority: Authority{WorkspaceWrite: raw.WorkspaceWrite.Or(true), Network: raw.Network.V, Land: raw.Land.V},
		Assurance: raw.Assurance.Or(Independent), MaxRoleRuns: raw.MaxRoleRuns.Or(6), MaxCostUSD: raw.MaxCost.Or(20), MaxFixAttempts: raw.Fixes.Or(d.MaxFixAttempts),
		Timeout: d.Timeout, GateTTL: d.GateTTL, BaseRef: r.project.BaseRef, Project: r.project.Name,
	}
	if raw.Minutes.Set {
		t.Timeout = time.Duration(raw.Minutes.V) * time.Minute
	}
	if raw.GateTTL.Set {
		t.GateTTL = time.Duration(raw.GateTTL.V) * time.Hour
	}
	t.MaxElapsed, t.StrictCost = time.Duration(raw.Elapsed.V)*time.Minute, raw.CostCap.V == "strict"
	if t.StrictCost && t.MaxCostUSD == 0 {
		r.report(raw.CostCap.At, "a strict cap needs a ceiling, and max_cost_usd is 0", "set budgets.max_cost_usd, or remove cost_cap")
	}
	if t.Authority.Land {
		r.report(raw.Land.At, "no task may land its own work", "remove the key: a person lands an accepted candidate")
	}
	t.Visual = r.visual(raw)
	t.Scope = r.scope(raw.Scope)
	t.Baseline, t.Acceptance = r.commands(raw, t.Visual)
	t.Reproduce = r.reproduce(raw.Reproduce, t)
	return t
}

// scope resolves names and paths. A bare word is only ever a name: read as a
// path, a misspelt name would be a scope that nothing can leave.
func (r *resolver) scope(c strict.Choice) []string {
	if !c.Set {
		return nil
	}
	if c.Bare {
		paths, ok := r.project.ScopePaths(c.V[0].V)
		if !ok {
			r.report(c.At, fmt.Sprintf("no scope is named %q", c.V[0].V), bareHint(c.V[0].V, r.project.scopeNames(), "path"))
		}
		return paths
	}
	var out []string
	for _, item := range c.V {
		if !item.Set {
			continue // its fault is already told
		}
		if paths, ok := r.project.ScopePaths(item.V); ok {
			out = appendNew(out, paths...)
			continue
		}
		if item.V == Repository {
			out = appendNew(out, Repository)
			continue
		}
		path, message, hint := normalPath(item.V)
		if message != "" {
			r.report(item.At, message, hint)
			continue
		}
		out = appendNew(out, path)
	}
	if slices.Contains(out, Repository) && len(out) > 1 {
		r.report(c.At, Repository+" stands beside other entries", "it means every path: make it the only entry, or remove it")
	}
	return out
}

func bareHint(word string, names []string, what string) string {
	list := "for a " + what + " write a list: [" + word + "]"
	if len(names) == 0 {
		return "the project declares none; " + list
	}
	if near := strict.Nearest(word, names); near != "" {
		return fmt.Sprintf("did you mean %q? %s", near, list)
	}
	return "declared: " + strings.Join(names, ", ") + "; " + list
}

// commands returns what must be green before, and the ordered union that
// decides at the end. The baseline comes first in it, so that a narrow task
// cannot hide that the project's health went down.
func (r *resolver) commands(raw *rawTask, v Visual) (baseline, all []string) {
	if b := r.project.Defaults.BaselineChecks; b != "" {
		baseline, _ = r.project.CheckSet(b)
	}
	own := append(r.checks(raw.Checks), strict.Strings(raw.Acceptance.V)...)
	all = own
	if len(baseline) > 0 {
		all = appendNew(appendNew(nil, baseline...), own...)
	}
	if len(r.faults) > 0 {
		return baseline, all
	}
	if len(all) > MaxCommands {
		r.report(strict.At{Line: max(raw.Checks.At.Line, raw.Acceptance.At.Line, 1), Key: "checks"},
			fmt.Sprintf("the task has %d commands, the limit is %d", len(all), MaxCommands), "gather them in a script")
	}
	if len(all) == 0 && !(v.Required && len(v.Scenarios) > 0) {
		r.report(strict.At{Line: max(raw.Checks.At.Line, raw.Acceptance.At.Line, 1), Key: "checks"},
			"nothing would be checked: the task has no command", "add a command to checks or acceptance, or require a visual_qa scenario")
	}
	return baseline, all
}

// reproduce resolves the commands that show the fault. One that does not decide at
// the end would prove nothing, and a baseline command must be green, not red.
func (r *resolver) reproduce(list strict.Value[[]strict.Value[string]], t Task) []string {
	var out []string
	for _, item := range list.V {
		if !item.Set {
			continue // its fault is already told
		}
		commands, named := r.project.CheckSet(item.V)
		if !named {
			commands = []string{item.V}
		}
		for _, c := range commands {
			switch {
			case slices.Contains(t.Baseline, c):
				r.report(item.At, fmt.Sprintf("the command %q must be green before anyone writes, and red to reproduce", c), "take it out of one of the two")
			case !slices.Contains(t.Acceptance, c):
				r.report(item.At, fmt.Sprintf("the command %q is not one that decides", c), "add it to checks or acceptance")
			}
		}
		out = appendNew(out, commands...)
	}
	return out
}

func (r *resolver) checks(c strict.Choice) []string {
	if !c.Set {
		commands, _ := r.project.CheckSet(r.project.Defaults.Checks)
		return slices.Clone(commands)
	}
	if c.Bare {
		commands, ok := r.project.CheckSet(c.V[0].V)
		if !ok {
			r.report(c.At, fmt.Sprintf("no set of checks is named %q", c.V[0].V), bareHint(c.V[0].V, r.project.checkNames(), "command"))
		}
		return slices.Clone(commands)
	}
	var out []string
	for _, item := range c.V {
		if commands, ok := r.project.CheckSet(item.V); ok {
			out = append(out, commands...)
		} else if item.Set {
			out = append(out, item.V)
		}
	}
	return out
}

// appendNew appends what is not there yet.
func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}
