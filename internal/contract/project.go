package contract

import "time"

// Repository is the scope token that stands for every path of the repository.
// It is a word, not a path, and is always the only entry of its list.
const Repository = "<repository>"

// Project is a valid .warden/project.yaml: what the repository declares once
// for all of its tasks. Declared order is kept.
type Project struct {
	Name      string
	BaseRef   string
	CheckSets []CheckSet
	Scopes    []Scope
	Setup     []string
	Caches    Caches
	Preview   Preview
	Defaults  Defaults
	Land      Land
	Forge     ForgeKeys
}

// Caches are what the setup commands leave in the private home of a run and what every
// later worktree gets read-only. Home are paths below that home, none inside another;
// KeyedBy are files of the repository that say what belongs in them.
type Caches struct {
	Home    []string
	KeyedBy []string
}

// Preview is who serves the page of a task that says nothing of it. Start is "" when
// the project declares nobody; URL is "" for DefaultURL.
type Preview struct {
	Start string
	URL   string
}

// CheckSet is a named list of check commands. The list may be empty: a project
// that has no command yet says so instead of inventing one.
type CheckSet struct {
	Name     string
	Commands []string
}

// Scope is a named list of normalised paths, or Repository alone.
type Scope struct {
	Name  string
	Paths []string
}

// Defaults are the values of a task that does not say otherwise. Checks is the
// name of a declared set; BaselineChecks is that of a non-empty one, or "".
// Timeout is the wall clock that all commands of one gate run share; GateTTL is how
// long the question to a person stands open to an answer that permits, 0 for ever.
type Defaults struct {
	Checks         string
	BaselineChecks string
	Risk           string
	MaxFixAttempts int
	Timeout        time.Duration
	GateTTL        time.Duration
}

// Land says where an accepted candidate goes when a person asks for it.
type Land struct {
	Remote      string
	Base        string
	PullRequest []string
}

// ForgeKeys is how the project is worked on through a forge.
type ForgeKeys struct {
	Label        string
	Scope        string
	BranchPrefix string
	Decide       Decide
	Publish      Publish
}

// Decide says who may answer at the gate: the least permission, whether the
// person who asked may also accept, and how many approvals an accept needs.
type Decide struct {
	Permission string
	SelfAccept bool
	Approvals  int
}

// Publish says which parts of the evidence leave the machine beside the ledger.
type Publish struct {
	Screenshots bool
	Transcripts bool
}

// CheckSet returns the commands of a declared set.
func (p Project) CheckSet(name string) ([]string, bool) {
	for _, s := range p.CheckSets {
		if s.Name == name {
			return s.Commands, true
		}
	}
	return nil, false
}

// ScopePaths returns the paths of a declared scope.
func (p Project) ScopePaths(name string) ([]string, bool) {
	for _, s := range p.Scopes {
		if s.Name == name {
			return s.Paths, true
		}
	}
	return nil, false
}

// DefaultScope is the scope of a task that names none: forge.scope, else the
// only declared scope. It is "" when the project leaves the choice open.
func (p Project) DefaultScope() string {
	if p.Forge.Scope != "" {
		return p.Forge.Scope
	}
	if len(p.Scopes) == 1 {
		return p.Scopes[0].Name
	}
	return ""
}

func (p Project) checkNames() []string {
	names := make([]string, 0, len(p.CheckSets))
	for _, s := range p.CheckSets {
		names = append(names, s.Name)
	}
	return names
}

func (p Project) scopeNames() []string {
	names := make([]string, 0, len(p.Scopes))
	for _, s := range p.Scopes {
		names = append(names, s.Name)
	}
	return names
}
