package vendor

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/policy"
)

// forbidden are prefixes of variables that carry a forge's or a runner's
// authority. No profile may name one: a vendor's key can be read by its model.
var forbidden = [...]string{"GITHUB_", "GH_", "GITLAB_", "CI_", "ACTIONS_", "RUNNER_", "INPUT_", "WARDEN_", "GIT_", "SSH_", "LD_", "DYLD_"}

// settable refuses a variable that no profile may give to a child.
func settable(name string) error {
	upper := strings.ToUpper(name)
	for _, prefix := range forbidden {
		if strings.HasPrefix(upper, prefix) {
			return fmt.Errorf("variable %s may not be given to a vendor: names beginning with %s are kept from children", name, prefix)
		}
	}
	return nil
}

// keys copies the variables that the profile names from the parent's
// environment. One that is not set is left out: the vendor may have its own
// login.
func keys(p policy.Profile, parent []string, into map[string]string) error {
	for _, name := range p.APIKeyEnv {
		if err := settable(name); err != nil {
			return fmt.Errorf("profile %q: %w", p.Name, err)
		}
		if v := lookup(parent, name); v != "" {
			into[name] = v
		}
	}
	return nil
}

func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if k, v, ok := strings.Cut(env[i], "="); ok && k == name {
			return v
		}
	}
	return ""
}
