package doctor

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/roster"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/workflow"
)

// Request says what to examine.
type Request struct {
	Version        string
	Dir            string      // where the command was started, absolute
	Home           policy.Home // of the operator, loaded
	Program        string      // as it is started by hand, with what that needs; "warden" when ""
	Env            []string    // of this process
	TokenVariables []string    // under which a forge token is looked for, in order
	Sandbox        sandbox.Report
	Browser        Browser
	// Fault says why no call of a profile could be made in a tree; outcome.OK when
	// one could. Nil looks at no profile that closely.
	Fault func(root string, p policy.Profile) (outcome.Code, string)
}

// Examine looks at machine, project, home and environment. The error means that
// the examination itself was interrupted; everything else is in the report.
func Examine(ctx context.Context, req Request) (Report, error) {
	env := environment(req.Env)
	r := Report{
		WardenVersion: req.Version, ArgumentEncoding: arguments(env), Git: gitAnswers(ctx, req.Dir),
		OrcaAdapter: orcaAdapter(env), Limits: []string{}, RoleExecutionBlockedBy: []Block{},
		Note: "nothing was changed, and neither a vendor nor a forge was called",
	}
	var project contract.Project
	r.Project, project = findProject(req.Dir)
	r.ProjectConfigFound = r.Project.Root != ""
	ground := survey(ctx, req, r.Project, project)
	r.UserConfig = userConfig(req.Home, env, req.adviser())
	r.UserConfig.Problems = problems(req, r.Project.Root)
	r.Sandbox = confinement(req, env)
	r.Browser = req.Browser
	r.MachineGatesReady = r.Git.OK && r.Sandbox.inside == nil && ground.gates
	r.Workflow = Workflow{Declared: req.Home.Policy.WorkflowDeclared, Stages: stages(req.Home.Policy.Stages)}
	r.RoleExecutionBlockedBy = append(r.RoleExecutionBlockedBy, blocks(req, r.Project.Root)...)
	r.RoleExecutionReady = len(r.RoleExecutionBlockedBy) == 0
	r.DirectCLIReady = slices.ContainsFunc(req.Home.ProfileNames(), func(name string) bool {
		p := req.Home.Profiles[name]
		return p.Runner == "direct" && p.Verified() && Startable(p, req.Env) == nil
	})
	r.Limits = append(r.Limits, WarnLimits(req.Home, project, req.Env)...)
	r.Forge = forgeOf(env, req.TokenVariables)
	r.OK = r.Git.OK && r.Sandbox.inside == nil && ground.repository && r.ProjectConfigFound && r.Project.Problem == "" && req.Home.Policy.Err == nil
	r.Problems = troubles(req, r, ground)
	return r, ctx.Err()
}

func gitAnswers(ctx context.Context, dir string) Git {
	g, err := git.New(dir)
	if err != nil {
		return Git{Message: err.Error()}
	}
	out, err := g.Run(ctx, dir, "version")
	if err != nil {
		return Git{Message: err.Error()}
	}
	return Git{OK: true, Version: strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")}
}

const maxDepth = 100

// findProject walks up to the directory that holds .warden/project.yaml.
func findProject(dir string) (Project, contract.Project) {
	for range maxDepth {
		if _, err := os.Lstat(filepath.Join(dir, ".warden", "project.yaml")); err == nil {
			p, err := contract.LoadProject(os.DirFS(filepath.Join(dir, ".warden")))
			if err != nil {
				return Project{Root: dir, Problem: err.Error()}, contract.Project{}
			}
			return Project{Root: dir, Name: p.Name}, p
		}
		up := filepath.Dir(dir)
		if up == dir {
			break
		}
		dir = up
	}
	return Project{Problem: "no .warden/project.yaml here or above; warden init writes one"}, contract.Project{}
}

func userConfig(h policy.Home, env map[string]string, a Adviser) UserConfig {
	u := UserConfig{
		Home: h.Dir, PolicyPresent: h.Policy.Present, ProfilesLoaded: len(h.Profiles),
		VerifiedProfiles: []string{}, UnverifiedProfiles: []Unverified{}, Dangling: []string{}, MissingKeys: []string{}, ToolsUnenforced: []string{},
	}
	u.Dangling = append(u.Dangling, h.Dangling()...)
	for _, name := range h.ProfileNames() {
		p := h.Profiles[name]
		if p.Verified() {
			u.VerifiedProfiles = append(u.VerifiedProfiles, name)
		} else {
			u.UnverifiedProfiles = append(u.UnverifiedProfiles, Unverified{Profile: name, VerifyWith: a.Prove(name)})
		}
		if tools, _ := policy.ToolsOf(p); tools.EnforcedBy == policy.ToolsAsked {
			u.ToolsUnenforced = append(u.ToolsUnenforced, name)
		}
		for _, variable := range p.APIKeyEnv {
			if env[variable] == "" {
				u.MissingKeys = append(u.MissingKeys, name+": "+variable)
			}
		}
	}
	return u
}

func confinement(req Request, env map[string]string) Sandbox {
	s := Sandbox{Report: req.Sandbox, Required: env["GITHUB_ACTIONS"] == "true" && !req.Home.Policy.AllowUnconfined, NotHeld: []string{}}
	for _, p := range sandbox.Properties() {
		if !p.Holds(req.Sandbox) {
			s.NotHeld = append(s.NotHeld, p.Says)
		}
	}
	s.OK = s.Backend == sandbox.Bubblewrap || !s.Required
	var missing *proc.NotFoundError
	if _, err := proc.LookOutside("bwrap", req.Env, req.Dir); errors.As(err, &missing) && missing.Inside {
		s.OK, s.inside, s.Message = false, err, "a run here would be refused: "+err.Error()
		return s
	}
	switch {
	case s.Backend == sandbox.Bubblewrap:
	case s.Required:
		s.Message = "a run here would be refused: the process beside the child holds a write token, and what confines the child is " + s.String() + "; install bubblewrap, or say allow_unconfined: true in policy.yaml"
	case s.Backend == sandbox.Landlock:
		s.Message = s.String() + ", which holds less than bubblewrap: not_held says what"
	default:
		s.Message = "children would not be confined: they see and write what you see and write"
	}
	return s
}

func stages(chain []workflow.Stage) []string {
	if len(chain) == 0 {
		chain = workflow.BuiltIn()
	}
	out := make([]string, 0, len(chain))
	for _, s := range chain {
		text := s.Name
		for i, c := range s.When {
			joint := ", "
			if i == 0 {
				joint = " when "
			}
			text += joint + string(c)
		}
		out = append(out, text)
	}
	return out
}

// blocks names what would keep the chain's stages from running.
func blocks(req Request, root string) []Block {
	h := req.Home
	if h.Policy.Err != nil {
		return []Block{{Stage: "policy", Code: string(outcome.PolicyInvalid), Detail: []string{h.Policy.Err.Error()}, Next: "correct " + h.Dir + "/policy.yaml"}}
	}
	chain := h.Policy.Stages
	if len(chain) == 0 {
		chain = workflow.BuiltIn()
	}
	var out []Block
	var writers, likely []string
	for _, s := range chain {
		switch {
		case s.Run == workflow.RunBrowser || s.Role == workflow.VisualQA || s.Role == workflow.Planner:
			continue // refused by themselves when a task asks for one
		case s.Run != workflow.RunRole:
			continue
		}
		choice, code := roster.Resolve(roster.Request{Role: s.Role, Home: h, Writers: readersOf(s.Role, writers), Available: func(p policy.Profile) error { return Startable(p, req.Env) }})
		if code != outcome.OK {
			next, vendor := req.adviser().Fill(s.Role, slices.Concat(writers, likely))
			out = append(out, Block{Stage: s.Name, Role: s.Role, Code: string(code), Detail: rejections(choice.Rejected), Next: next})
			if s.Role == workflow.Implementer && vendor != "" {
				likely = append(likely, vendor) // who would write when that advice is taken
			}
			continue
		}
		if code, detail := req.fault(root, choice.Profile); code != outcome.OK {
			out = append(out, Block{Stage: s.Name, Role: s.Role, Code: string(code), Detail: []string{choice.Profile.Name + ": " + detail}, Next: correct(h, choice.Profile, code)})
		}
		if !choice.Profile.ReadOnly {
			writers = append(writers, choice.Profile.Vendor)
		}
	}
	return out
}

// orcaAdapter says whether a worker of Orca could be asked from here.
func orcaAdapter(env map[string]string) string {
	if env["ORCA_TERMINAL_HANDLE"] == "" {
		return "this is no terminal of Orca: profiles with runner orca cannot be asked here"
	}
	return "this is a terminal of Orca"
}

// correct says how a call of a profile becomes possible.
func correct(h policy.Home, p policy.Profile, code outcome.Code) string {
	if code == outcome.RoleLocalKeyMissing {
		return "set " + strings.Join(p.APIKeyEnv, " or ") + " to the key of profile " + p.Name
	}
	return "correct profile " + p.Name + " and the files that it names, in " + h.Dir
}

// readersOf leaves the writer itself out of the comparison with writers.
func readersOf(role string, writers []string) []string {
	if role == workflow.Implementer {
		return nil
	}
	return writers
}

func rejections(list []roster.Rejection) []string {
	var out []string
	for _, r := range list {
		text := r.Profile + ": " + r.Reason
		if r.Detail != "" {
			text += " (" + r.Detail + ")"
		}
		out = append(out, text)
	}
	return out
}

// Startable reports why the program of a profile cannot be started.
func Startable(p policy.Profile, env []string) error {
	if p.Runner == "local" {
		return nil // a server, which is asked only when it is its turn
	}
	program := p.Command
	if p.Runner == "orca" {
		program = cmp.Or(environment(env)["ORCA_CLI_COMMAND"], "orca")
	}
	look := proc.LookPath
	if !filepath.IsAbs(program) {
		look = func(name string, env []string) (string, error) { return proc.LookOutside(name, env) }
	}
	_, err := look(program, env)
	return err
}

func arguments(env map[string]string) ArgumentEncoding {
	locale := env["LANG"]
	for _, name := range []string{"LC_CTYPE", "LC_ALL"} {
		if env[name] != "" {
			locale = env[name]
		}
	}
	a := ArgumentEncoding{NonASCIISafe: true, Locale: locale, Message: "arguments arrive as they were typed"}
	if _, charset, ok := strings.Cut(locale, "."); ok {
		charset, _, _ = strings.Cut(charset, "@")
		if name := strings.ReplaceAll(strings.ToLower(charset), "-", ""); name != "utf8" {
			a.NonASCIISafe = false
			a.Message = "this terminal writes " + charset + ", not UTF-8: put a goal with other letters into a UTF-8 file and use --goal-file"
		}
	}
	return a
}

func environment(env []string) map[string]string {
	out := map[string]string{}
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok {
			out[k] = v
		}
	}
	return out
}
