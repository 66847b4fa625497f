package doctor

import (
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
