package runner

import (
	"fmt"
	"maps"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/vendor"
	"github.com/tolboy/warden/internal/workflow"
)

// nobody stands for programs in a dry run that nobody may be called in: it finds
// every one of them, and calls none.
type nobody struct{ role.Caller }

// Available implements role.Caller.
func (nobody) Available(policy.Profile, []string) error { return nil }

// Preview implements role.Caller. What cannot be started has no arguments.
func (n nobody) Preview(c vendor.Call) ([]string, error) {
	if n.Caller.Available(c.Profile, c.Env) != nil {
		return nil, nil
	}
	return n.Caller.Preview(c)
}

// assume lets a dry run render for a profile that is not proven, or whose program
// is not here, where nobody else could take the role: what it shows is the prompt.
// Everything else that keeps a profile from a role holds. It returns what is to be
// said of each such profile, by name.
func (r *roles) assume(s workflow.Step, writers []string) map[string]string {
	choice, code := r.resolve(s, writers, nil, "")
	if code == outcome.OK {
		return nil
	}
	said := map[string]string{}
	home := r.order.Home
	home.Profiles = maps.Clone(home.Profiles)
	for _, x := range choice.Rejected {
		p, ok := home.Profiles[x.Profile]
		if !ok {
			continue
		}
		said[x.Profile] = fmt.Sprintf("rendered for %s, which could not be called: %s (%s)", x.Profile, x.Reason, x.Detail)
		if !p.Verified() {
			p.Verification.VerifiedOn = "assumed"
			home.Profiles[x.Profile] = p
		}
	}
	r.order.Home, r.dispatcher.Home, r.dispatcher.Vendor = home, home, nobody{r.dispatcher.Vendor}
	return said
}
