package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/reuse"
	"github.com/tolboy/warden/internal/workflow"
)

// earlier is the run that is continued, with the terms of now.
func (r *roles) earlier() *engine.Earlier {
	if r.order.Earlier == nil {
		return nil
	}
	head := r.order.Ledger.History().Run
	task := ""
	if head.Forge != nil {
		task = head.TaskSHA256 // it is no file of the contract there
	}
	return &engine.Earlier{Run: *r.order.Earlier, Terms: reuse.Terms{
		Base: head.BaseCommit, Contract: head.ContractSHA256, Acceptance: head.AcceptanceSHA256, Program: head.WardenVersion, Task: task, Role: r.terms,
	}}
}

// terms is the digest of what decides the worth of a role's word: who may be asked and
// by which rule, the whole profile that was, its prompt and schema, what confines it,
// and how the stage takes its answer. It is "" when any of it cannot be read.
func (r *roles) terms(s workflow.Step, profile string) string {
	home := r.order.Home
	p, ok := home.Profiles[profile]
	if !ok {
		return ""
	}
	of := func(path string) (string, bool) {
		if path == "" {
			return "", true
		}
		data, err := home.ReadFile(path)
		return digest(data), err == nil
	}
	prompt, readable := of(p.PromptTemplate)
	schema, legible := of(p.SchemaPath)
	if !readable || !legible {
		return ""
	}
	text, err := json.Marshal(struct {
		Role, Profile, ProfileSHA256, Prompt, Schema, Confinement string
		Roster                                                    policy.Roster
		OnFail, OnFindings                                        workflow.Route
		Recheck                                                   bool
		FixWith, Sees                                             string
	}{s.Role, p.Name, p.SHA256, prompt, schema, r.machine.Confinement(), home.Policy.Roles[s.Role],
		s.OnFail, s.OnFindings, s.Recheck, s.FixWith, s.Sees})
	if err != nil {
		return ""
	}
	return digest(text)
}

// place is the step whose terms a dispatch is made under: a repair is made under those
// of the first stage of the writer's role.
func (r *roles) place(c engine.RoleCall) workflow.Step {
	if c.Fix {
		for _, s := range Steps(r.order.Home, r.order.Task) {
			if s.Skip == "" && s.Role == c.Role {
				return s
			}
		}
	}
	return c.Step
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
