package doctor

import (
	"cmp"
	"fmt"
	"maps"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
)

func (r Request) fault(root string, p policy.Profile) (outcome.Code, string) {
	if r.Fault == nil {
		return outcome.OK, ""
	}
	return r.Fault(root, p)
}

// problems are the faults of the home's files, by file or profile: those of
// loading it, and prompts that would reach nobody. A program that is missing is
// no fault of the home.
func problems(r Request, root string) map[string]string {
	return Problems(r.Home, func(p policy.Profile) (outcome.Code, string) { return r.fault(root, p) })
}

// Problems adds to the faults of loading a home those of the prompts that its
// profiles name.
func Problems(h policy.Home, fault func(policy.Profile) (outcome.Code, string)) map[string]string {
	out := map[string]string{}
	maps.Copy(out, h.Problems)
	for name, p := range h.Profiles {
		code, detail := fault(p)
		if code != outcome.RolePromptUndeliverable {
			continue
		}
		if out[name] != "" {
			detail = out[name] + "; " + detail
		}
		out[name] = detail
	}
	return out
}

func (r Request) program() string { return cmp.Or(r.Program, "warden") }

func (r Request) adviser() Adviser {
	return Adviser{Home: r.Home, Program: r.program(), Available: func(p policy.Profile) error { return Startable(p, r.Env) }}
}

// troubles are all that is missing, in the order in which it is best mended.
func troubles(req Request, r Report, g ground) []Trouble {
	out := append([]Trouble{}, g.troubles...)
	if r.Sandbox.Required && !r.Sandbox.OK {
		out = append(out, Trouble{r.Sandbox.Message, "install bubblewrap"})
	}
	out = append(out, req.adviser().Files(r.UserConfig.Problems)...)
	for _, b := range r.RoleExecutionBlockedBy {
		if b.Role == "" {
			continue // the policy, which is among the files
		}
		out = append(out, Trouble{fmt.Sprintf("nobody can be called as %s (stage %s): %s", b.Role, b.Stage, b.Code), b.Next})
	}
	return out
}
