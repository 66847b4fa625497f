package role

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/schema"
	"github.com/tolboy/warden/internal/vendor"
)

// Fault says why a call of the profile could not be made, or nil. It reads what
// the profile names and plans the call as a dispatch would, so that a fault of
// the home is found before anybody is paid, also for a role whose turn comes
// late. The prompt is the one of an unchanged tree: what is not known yet, such
// as the diff, is held against the same rules by the dispatch.
func (d *Dispatcher) Fault(p policy.Profile, req Request) *Refused {
	if refused := denied(p, req); refused != nil {
		return refused
	}
	m, err := d.material(p)
	if err != nil {
		return &Refused{outcome.RolePromptUndeliverable, err.Error()}
	}
	text, err := render(p.PromptTemplate, m.template, promptValues(req, m.schemaJSON))
	if err != nil {
		return &Refused{outcome.RolePromptUndeliverable, err.Error()}
	}
	prompts := filepath.Join(d.RunsDir, filepath.FromSlash(req.EvidenceDir), "prompts")
	c := d.call(p, req, m, []byte(text), filepath.Join(prompts, req.Role+".md"), filepath.Join(prompts, req.Role+".schema.json"))
	_, refused, err := d.plan(&c)
	if err != nil {
		return &Refused{outcome.UnexpectedError, err.Error()}
	}
	return refused
}

// denied holds the profile against what the task lets a role do.
func denied(p policy.Profile, req Request) *Refused {
	if p.ReadOnly || req.Task.Authority.WorkspaceWrite {
		return nil
	}
	return &Refused{outcome.AuthorityDenied, fmt.Sprintf("profile %q writes and the task's authority.workspace_write is false", p.Name)}
}

// material is what a profile names in the home.
type material struct {
	template   string
	schemaJSON string         // in one line; empty without a schema
	schema     *schema.Schema // nil when answers are not held against it
}

// material reads the template and the schema of a profile and checks both. An
// error names the file.
func (d *Dispatcher) material(p policy.Profile) (material, error) {
	if p.PromptTemplate == "" {
		return material{}, fmt.Errorf("profile %q has no prompt_template", p.Name)
	}
	template, err := d.Home.ReadFile(p.PromptTemplate)
	if err != nil {
		return material{}, err
	}
	m := material{template: string(template)}
	if err := CheckTemplate(p.PromptTemplate, m.template); err != nil {
		return material{}, err
	}
	if p.SchemaPath == "" {
		return m, nil
	}
	raw, err := d.Home.ReadFile(p.SchemaPath)
	if err != nil {
		return material{}, err
	}
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return material{}, fmt.Errorf("schema %s: %w", p.SchemaPath, err)
	}
	m.schemaJSON = b.String()
	if p.EnforceSchema {
		if m.schema, err = schema.CompileBytes(p.SchemaPath, raw); err != nil {
			return material{}, fmt.Errorf("schema %s: %w", p.SchemaPath, err)
		}
	}
	return m, nil
}

// call is the call of a profile with a prompt; the files are where prompt and
// schema lie.
func (d *Dispatcher) call(p policy.Profile, req Request, m material, prompt []byte, promptFile, schemaFile string) vendor.Call {
	return vendor.Call{
		Profile: p, Prompt: prompt, PromptFile: promptFile,
		Values: map[string]string{
			"schema_json": m.schemaJSON, "schema_file": schemaFile, "repo_root": req.Root,
			"run_id": req.RunID, "task_id": req.Task.ID, "evidence_dir": filepath.Join(d.RunsDir, filepath.FromSlash(req.EvidenceDir)),
		},
		Dir: req.Root, Env: d.Env, Bwrap: d.Confine.Bwrap, HomeDir: d.Confine.HomeDir,
	}
}

// plan confines a call and asks whether it can be made. The error means that it
// cannot be told.
func (d *Dispatcher) plan(c *vendor.Call) (argv []string, refused *Refused, err error) {
	switch c.Profile.Runner {
	case "local": // a server is no child to confine
	case "orca":
		if d.Confine.Required {
			err = fmt.Errorf("profile %q would run as a worker of Orca, outside of the sandbox that this run requires", c.Profile.Name)
		}
	default:
		c.Sandbox, err = d.Confine.spec(c.Profile, c.Dir)
	}
	if err != nil {
		return nil, &Refused{outcome.Unconfined, err.Error()}, nil
	}
	argv, err = d.Vendor.Preview(*c)
	var no *vendor.Refusal
	if errors.As(err, &no) {
		return nil, &Refused{no.Code, no.Detail}, nil
	}
	return argv, nil, err
}
