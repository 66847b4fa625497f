package runner

import (
	"context"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/role"
)

// Refuses says who runs cannot finish a task, as a run of it would find before its
// first stage. Nil means that they can.
func (m *Machine) Refuses(ctx context.Context, h policy.Home, t contract.Task) *engine.Refusal {
	r := &roles{machine: m, order: Order{Task: t, Home: h}, dispatcher: &role.Dispatcher{
		Home: h, Vendor: m.Vendor, Env: m.Environ, Confine: m.confine(""),
	}}
	return r.Preflight(ctx, Steps(h, t))
}
