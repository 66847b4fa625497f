package contract

import (
	"fmt"
	"io/fs"
	"time"

	"github.com/tolboy/warden/internal/strict"
)

const projectFile = "project.yaml"

// LoadProject reads project.yaml from a file system rooted at .warden. Faults of
// the file come as strict.Faults; another error means that it could not be read.
func LoadProject(fsys fs.FS) (Project, error) {
	data, err := read(fsys, projectFile)
	if err != nil {
		return Project{}, err
	}
	return ParseProject(".warden/"+projectFile, data)
}

// ParseProject reads the text of a project.yaml; file is its name in messages.
func ParseProject(file string, data []byte) (Project, error) {
	var raw rawProject
	src := strict.Source{File: file}
	faults := strict.Read(src, data, raw.shape())
	report := func(at strict.At, message, hint string) { faults = append(faults, src.Fault(at, message, hint)) }
	p := raw.project()
	for _, scope := range raw.Scopes.V {
		checkWhole(scope.Of.V, report)
	}
	raw.checkCaches(report)
	if r := raw.DefaultChecks; r.Set {
		if _, ok := p.CheckSet(r.V); !ok && raw.Checks.Set {
			report(r.At, fmt.Sprintf("no set of checks is named %q", r.V), strict.Suggest(r.V, p.checkNames()))
		}
	}
	if r := raw.DefaultBaseline; r.Set && raw.Checks.Set {
		switch commands, ok := p.CheckSet(r.V); {
		case !ok:
			report(r.At, fmt.Sprintf("no set of checks is named %q", r.V), strict.Suggest(r.V, p.checkNames()))
		case len(commands) == 0:
			report(r.At, fmt.Sprintf("the set %q is empty: nothing would be checked", r.V), "name a set that has a command, or remove the key")
		}
	}
	if r := raw.ForgeScope; r.Set {
		if _, ok := p.ScopePaths(r.V); !ok {
			report(r.At, fmt.Sprintf("no scope is named %q", r.V), strict.Suggest(r.V, p.scopeNames()))
		}
	}
	if err := faults.Err(); err != nil {
		return Project{}, err
	}
	return p, nil
}

// checkWhole refuses the whole-repository word beside a path.
func checkWhole(items []strict.Value[string], report func(strict.At, string, string)) {
	for _, item := range items {
		if item.V == Repository && len(items) > 1 {
			report(item.At, Repository+" stands beside other entries", "it means every path: make it the only entry, or remove it")
			return
		}
	}
}

// project fills in the defaults. It is called before faults are told, so it
// takes whatever was read.
func (r *rawProject) project() Project {
	p := Project{
		Name: r.Name.V, BaseRef: r.BaseRef.Or("origin/main"), Setup: strict.Strings(r.Setup.V),
		Caches:  Caches{Home: oneForms(r.CacheHome), KeyedBy: oneForms(r.CacheKeys)},
		Preview: Preview{Start: r.PreviewStart.V, URL: r.PreviewURL.V},
		Land:    Land{Remote: r.LandRemote.V, Base: r.LandBase.V, PullRequest: strict.Strings(r.PullRequest.V)},
		Forge: ForgeKeys{
			Label: r.Label.Or("warden"), Scope: r.ForgeScope.V, BranchPrefix: r.Prefix.Or("warden/"),
			Decide:  Decide{Permission: r.Permission.Or("write"), SelfAccept: r.SelfAccept.Or(true), Approvals: r.Approvals.Or(1)},
			Publish: Publish{Screenshots: r.Screenshots.Or(true), Transcripts: r.Transcripts.Or(false)},
		},
	}
	for _, set := range r.Checks.V {
		p.CheckSets = append(p.CheckSets, CheckSet{Name: set.Name, Commands: strict.Strings(set.Of.V)})
	}
	for _, scope := range r.Scopes.V {
		var paths []string
		for _, item := range scope.Of.V {
			paths = appendNew(paths, oneForm(item.V))
		}
		p.Scopes = append(p.Scopes, Scope{Name: scope.Name, Paths: paths})
	}
	first := ""
	if len(p.CheckSets) > 0 {
		first = p.CheckSets[0].Name
	}
	p.Defaults = Defaults{
		Checks: r.DefaultChecks.Or(first), BaselineChecks: r.DefaultBaseline.V, Risk: r.DefaultRisk.Or("medium"),
		MaxFixAttempts: r.DefaultFixes.Or(2), Timeout: time.Duration(r.DefaultMinutes.Or(30)) * time.Minute,
		GateTTL: time.Duration(r.DefaultGateTTL.V) * time.Hour,
	}
	return p
}

// oneForm is the normal form of a path that was already checked.
func oneForm(s string) string {
	if s == Repository {
		return s
	}
	p, _, _ := normalPath(s)
	return p
}
