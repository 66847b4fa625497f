package runner

import (
	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/role"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/vendor"
	"github.com/tolboy/warden/internal/workflow"
)

// Faults says of a profile, with no task at hand, why no call of it could be
// made; the code is OK when it could. The root is the tree that it would work in,
// "" for none.
func Faults(h policy.Home, environ []string, homeDir string, held sandbox.Report) func(root string, p policy.Profile) (outcome.Code, string) {
	d := &role.Dispatcher{Home: h, Vendor: vendor.New(), Env: environ,
		Confine: role.Confinement{Backend: held.Backend, Bwrap: held.Path, HomeDir: homeDir}}
	t := contract.Task{Authority: contract.Authority{WorkspaceWrite: true}}
	return func(root string, p policy.Profile) (outcome.Code, string) {
		if fault := d.Fault(p, role.Request{Role: p.Role, Root: root, Task: t}); fault != nil {
			return fault.Code, fault.Detail
		}
		return outcome.OK, ""
	}
}

// faults looks at every profile that the steps may ask: in its turn, or because a
// plan is spent, or for a repair.
func (r *roles) faults(steps []workflow.Step) map[string]*role.Refused {
	found := map[string]*role.Refused{}
	for _, s := range steps {
		for _, name := range r.order.Home.Policy.Roles[s.Role].Profiles {
			p, ok := r.order.Home.Profiles[name]
			if !ok || p.Role != s.Role || found[name] != nil || r.available(p) != nil {
				continue // passed over for a reason of its own
			}
			if fault := r.dispatcher.Fault(p, r.request(s)); fault != nil {
				found[name] = fault
			}
		}
	}
	return found
}

// passOver keeps dispatches from the profiles at fault.
func (r *roles) passOver(faults map[string]*role.Refused) {
	r.dispatcher.Unfit = map[string]string{}
	for name, fault := range faults {
		r.dispatcher.Unfit[name] = string(fault.Code) + ": " + fault.Detail
	}
}

// request is what every dispatch of a step asks, whatever has happened before it.
func (r *roles) request(s workflow.Step) role.Request {
	return role.Request{
		RunID: r.runID(), EvidenceDir: ledger.StageDir(r.runID(), s.Role, 0), StageName: s.Name, Role: s.Role,
		Task: r.order.Task, ProjectName: r.order.Task.Project, Project: r.order.Project, Root: r.order.Worktree, Base: r.order.Base,
		Switch: r.order.Switch, Carried: r.order.Reserved.CarriedFailovers, Rotation: r.rotation(s),
	}
}

// repairs are the steps by which writers mend what a step complains of.
func (r *roles) repairs(steps []workflow.Step) []workflow.Step {
	var out []workflow.Step
	for _, s := range steps {
		if s.Skip == "" && r.order.Task.MaxFixAttempts > 0 && (s.OnFail == workflow.RouteFix || s.OnFindings == workflow.RouteFix) {
			out = append(out, workflow.Step{Stage: workflow.Stage{Name: s.Name, Run: workflow.RunRole, Role: s.FixWith}})
		}
	}
	return out
}
