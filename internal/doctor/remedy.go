package doctor

import (
	"maps"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/workflow"
)

// Trouble is one thing that keeps something from running, and what to do next.
type Trouble struct {
	Problem string `json:"problem"`
	Next    string `json:"next,omitempty"`
}

// Adviser knows what an operator can do about a home.
type Adviser struct {
	Home      policy.Home
	Program   string                     // as it is started by hand
	Available func(policy.Profile) error // nil when its program can be started
}

// Prove is the command that proves a profile.
func (a Adviser) Prove(name string) string { return a.Program + " profiles --verify " + name }

// Fill says what to do so that somebody can fill a role beside the vendors that
// write, and which vendor that would be.
func (a Adviser) Fill(role string, writers []string) (next, vendor string) {
	rost, ok := a.Home.Policy.Roles[role]
	switch {
	case !a.Home.Policy.Present:
		return a.Program + " setup", ""
	case !ok:
		return "name profiles for the role " + role + " in " + a.policyFile(), ""
	}
	var missing []policy.Profile
	dependent := false
	for _, name := range rost.Profiles {
		p, ok := a.Home.Profiles[name]
		switch {
		case !ok || p.Role != role:
		case role != workflow.Implementer && rost.Independent && slices.ContainsFunc(writers, func(w string) bool { return strings.EqualFold(w, p.Vendor) }):
			dependent = true
		case a.Available(p) != nil:
			missing = append(missing, p)
		case !p.Verified():
			return a.Prove(name), p.Vendor
		}
	}
	if len(missing) > 0 {
		return a.install(missing), missing[0].Vendor
	}
	if dependent {
		return "name a profile of another vendor than the writer's (" + strings.Join(writers, ", ") + ") for the role " + role + " in " + a.policyFile() + ", and prove it", ""
	}
	return "correct the files of " + a.Home.Dir + " that are named here", ""
}

// install names every program of which one is needed, and what comes then.
func (a Adviser) install(missing []policy.Profile) string {
	var commands []string
	for _, p := range missing {
		name := p.Command
		if p.Runner == "orca" {
			name = "Orca" // the agent that it names is Orca's to start
		}
		if !slices.Contains(commands, name) {
			commands = append(commands, name)
		}
	}
	next := "install " + strings.Join(commands, " or ")
	if first := missing[0]; !first.Verified() {
		next += ", then prove it: " + a.Prove(first.Name)
	}
	return next
}

func (a Adviser) policyFile() string { return a.Home.Dir + "/policy.yaml" }

// Files are the troubles of the home's own files.
func (a Adviser) Files(problems map[string]string) []Trouble {
	var out []Trouble
	for _, name := range slices.Sorted(maps.Keys(problems)) {
		out = append(out, Trouble{name + ": " + problems[name], "correct it in " + a.Home.Dir})
	}
	if lost := a.Home.Dangling(); len(lost) > 0 {
		out = append(out, Trouble{"policy.yaml names profiles that are not there: " + strings.Join(lost, ", "),
			"take them out of " + a.policyFile() + ", or write them into profiles/"})
	}
	return out
}

// Roster says, for every role of the policy that none of the eligible profiles
// can fill, what to do. A role whose profiles are not built is nobody's work here.
func (a Adviser) Roster(eligible []string) []Trouble {
	if !a.Home.Policy.Present {
		return []Trouble{{"there is no policy.yaml in " + a.Home.Dir, a.Program + " setup"}}
	}
	var out []Trouble
	var writers []string
	for _, role := range []string{workflow.Implementer, workflow.Architect, workflow.Reviewer} {
		rost, ok := a.Home.Policy.Roles[role]
		if !ok {
			continue
		}
		fills := func(name string) bool { return slices.Contains(eligible, name) && a.Home.Profiles[name].Role == role }
		if i := slices.IndexFunc(rost.Profiles, fills); i >= 0 {
			if role == workflow.Implementer {
				writers = append(writers, a.Home.Profiles[rost.Profiles[i]].Vendor)
			}
			continue
		}
		next, vendor := a.Fill(role, writers)
		if role == workflow.Implementer && vendor != "" {
			writers = append(writers, vendor)
		}
		out = append(out, Trouble{"nobody can be called as " + role, next})
	}
	return out
}
