package vendor

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

// Refusal is the error of a call that cannot be made: the code under which it
// ends, and what is at fault.
type Refusal struct {
	Code   outcome.Code
	Detail string
}

func (r *Refusal) Error() string { return r.Detail }

// Preview returns the argument vector that a call would run, with the prompt
// shown as <prompt>, or a *Refusal. It refuses everything that Call refuses
// without starting the program, so that nobody pays to find out. Nothing is
// started and nothing is charged.
func (r *Runner) Preview(c Call) ([]string, error) {
	p, err := r.plan(c)
	if err != nil {
		return nil, err
	}
	return p.command.shown, nil
}

// prepared is a call with everything filled in.
type prepared struct {
	command command
	extra   map[string]string
	path    string    // of the program
	hide    []string  // files of the tree that the program would run
	orca    bool      // a worker of Orca, instead of a program
	ask     *question // of a model server, instead of a program
}

// plan fills a call in and finds its program. The arguments are held against the
// rules twice: as they are written, so that a prompt at fault is named where the
// program is missing too, and for the file that was found, since a batch file
// takes fewer of them than a program. The error is a *Refusal unless it cannot be
// told.
func (r *Runner) plan(c Call) (prepared, error) {
	if c.Profile.Runner == "local" {
		return planLocal(c)
	}
	if c.Profile.Runner == "orca" {
		return r.planOrca(c)
	}
	p, err := prepare(c)
	if err != nil {
		return p, &Refusal{outcome.RolePromptUndeliverable, err.Error()}
	}
	if err := deliverable(c.Profile, p.command.run, r.GOOS); err != nil {
		return p, &Refusal{outcome.RolePromptUndeliverable, err.Error()}
	}
	if p.path, err = r.locate(c.Profile.Command, c.Dir, c.Env); err != nil {
		return p, &Refusal{outcome.RoleCommandFailed, "start " + c.Profile.Command + ": " + err.Error()}
	}
	p.command.run[0] = p.path
	if _, named := p.extra["PATH"]; c.Profile.ReadOnly && !named {
		// Who judges does not start, by a name, what the candidate brought.
		p.extra["PATH"] = proc.PathOutside(c.Env, c.Dir)
	}
	if err := deliverable(c.Profile, p.command.run, r.GOOS); err != nil {
		return p, &Refusal{outcome.RolePromptUndeliverable, err.Error()}
	}
	hide, err := agentFiles(c.Profile, c.Dir)
	if err != nil {
		return p, err
	}
	if len(hide) > 0 && (c.Sandbox == nil || c.Sandbox.Backend == sandbox.Landlock) {
		return p, &Refusal{outcome.Unconfined, fmt.Sprintf("%s runs code from %s of the repository whatever its flags say, and without bubblewrap that cannot be stopped", c.Profile.Command, strings.Join(hide, ", "))}
	}
	p.hide = hide
	if c.Sandbox == nil || c.HomeDir == "" {
		return p, nil
	}
	for _, name := range c.Profile.HomeShare {
		if _, _, err := shareable(c.HomeDir, name); err != nil {
			return p, &Refusal{outcome.RoleCommandFailed, fmt.Sprintf("profile %q: %v", c.Profile.Name, err)}
		}
	}
	return p, nil
}

func prepare(c Call) (prepared, error) {
	values := map[string]string{}
	for k, v := range c.Values {
		values[k] = v
	}
	values["model"], values["effort"], values["prompt_file"] = c.Profile.Model, c.Profile.Effort, c.PromptFile
	tools, fault := policy.ToolsOf(c.Profile)
	if fault != "" {
		return prepared{}, fmt.Errorf("profile %q: tools.allow: %s", c.Profile.Name, fault)
	}
	values["tools"] = tools.Argument
	cmd, err := build(c.Profile, values, string(c.Prompt))
	if err != nil {
		return prepared{}, err
	}
	extra, err := environment(c.Profile, values)
	if err != nil {
		return prepared{}, err
	}
	if err := keys(c.Profile, c.Env, extra); err != nil {
		return prepared{}, err
	}
	return prepared{command: cmd.attach(c.Profile.AttachmentFlag, c.Pictures), extra: extra}, nil
}
