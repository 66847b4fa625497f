package doctor_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/doctor"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/sandbox"
)

const projectText = "version: 1\nproject: p\nbase_ref: main\nchecks:\n  fast: [\"true\"]\nscopes:\n  code: [src]\n"

func profile(name, role, vendor, command string, more string) string {
	return "version: 1\nprofile: " + name + "\nrole: " + role + "\nvendor: " + vendor + "\ncommand: " + command + "\nprompt_template: prompts/p.md\n" + more
}

const verified = "verification:\n  verified_on: 2026-01-01\n"

func home(t *testing.T, files map[string]string) policy.Home {
	t.Helper()
	fsys := fstest.MapFS{}
	for name, text := range files {
		fsys[name] = &fstest.MapFile{Data: []byte(text)}
	}
	h, err := policy.Load("/home", fsys)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

const policyText = "version: 1\nroles:\n  implementer:\n    profiles: [writer]\n    strategy: first\n  reviewer:\n    profiles: [reader, ghost]\n"

func ready() map[string]string {
	return map[string]string{
		"policy.yaml":          policyText,
		"profiles/writer.yaml": profile("writer", "implementer", "a", "/bin/sh", "read_only: false\n"+verified),
		"profiles/reader.yaml": profile("reader", "reviewer", "b", "/bin/sh", "api_key_env: READER_KEY\n"+verified),
	}
}

func examine(t *testing.T, change func(*doctor.Request), files map[string]string) doctor.Report {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, ".warden"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".warden/project.yaml"), []byte(projectText), 0o644); err != nil {
		t.Fatal(err)
	}
	git(t, dir, "init", "-q", "-b", "main")
	git(t, dir, "add", "-A")
	git(t, dir, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "the project")
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	req := doctor.Request{
		Version: "1.2.3", Dir: deep, Home: home(t, files), Env: []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"},
		TokenVariables: []string{"WARDEN_GITHUB_TOKEN", "GITHUB_TOKEN"},
		Sandbox:        sandbox.Report{Backend: sandbox.Bubblewrap, Path: "/usr/bin/bwrap"},
	}
	if change != nil {
		change(&req)
	}
	before := tree(t, dir)
	r, err := doctor.Examine(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, tree(t, dir)); diff != "" {
		t.Errorf("the examination changed the project:\n%s", diff)
	}
	return r
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err == nil {
			out[path] = info.Mode().String() + info.ModTime().String()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestExamine(t *testing.T) {
	t.Parallel()
	t.Run("all in order", func(t *testing.T) {
		t.Parallel()
		r := examine(t, nil, ready())
		if !r.OK || !r.Git.OK || r.Git.Version == "" || !r.ProjectConfigFound || r.Project.Name != "p" || !r.MachineGatesReady {
			t.Errorf("machine half: %+v", r)
		}
		if !r.RoleExecutionReady || !r.DirectCLIReady || !r.Sandbox.OK || r.Sandbox.Required || r.Forge != nil {
			t.Errorf("roles: ready %v, blocked by %+v, sandbox %+v", r.RoleExecutionReady, r.RoleExecutionBlockedBy, r.Sandbox)
		}
		if !slices.Equal(r.UserConfig.VerifiedProfiles, []string{"reader", "writer"}) || !slices.Equal(r.UserConfig.Dangling, []string{"reviewer -> ghost"}) || !slices.Equal(r.UserConfig.MissingKeys, []string{"reader: READER_KEY"}) {
			t.Errorf("user config %+v", r.UserConfig)
		}
		if r.Workflow.Declared || len(r.Workflow.Stages) != 5 || r.Workflow.Stages[2] != "review when review_required" {
			t.Errorf("workflow %+v", r.Workflow)
		}
	})
	t.Run("every key of the report", func(t *testing.T) {
		t.Parallel()
		text, err := json.Marshal(examine(t, nil, ready()))
		if err != nil {
			t.Fatal(err)
		}
		var keys map[string]any
		if err := json.Unmarshal(text, &keys); err != nil {
			t.Fatal(err)
		}
		for _, key := range strings.Fields("ok warden_version argument_encoding project_config_found machine_gates_ready orca user_config workflow role_execution_ready role_execution_blocked_by direct_cli_ready orca_adapter note") {
			if keys[key] == nil {
				t.Errorf("key %q is missing in %s", key, text)
			}
		}
		user, _ := keys["user_config"].(map[string]any)
		for _, key := range strings.Fields("home policy_present profiles_loaded verified_profiles unverified_profiles problems dangling_policy_references") {
			if user[key] == nil {
				t.Errorf("key user_config.%s is missing in %s", key, text)
			}
		}
	})
	t.Run("who blocks", func(t *testing.T) {
		t.Parallel()
		unverified := ready()
		unverified["profiles/writer.yaml"] = profile("writer", "implementer", "a", "/bin/sh", "read_only: false\n")
		same := ready()
		same["profiles/reader.yaml"] = profile("reader", "reviewer", "a", "/bin/sh", verified)
		missing := ready()
		missing["profiles/writer.yaml"] = profile("writer", "implementer", "a", "no-such-program-here", "read_only: false\n"+verified)
		broken := ready()
		broken["policy.yaml"] = "version: 1\nrolls: {}\n"
		for name, c := range map[string]struct {
			files map[string]string
			stage string
			says  string
			next  string
		}{
			"an unverified profile":     {unverified, "implement", "profile_unverified", "warden profiles --verify writer"},
			"the writer's vendor reads": {same, "review", "same_vendor_as_writer", "name a profile of another vendor than the writer's (a) for the role reviewer in /home/policy.yaml, and prove it"},
			"a program that is missing": {missing, "implement", "executable_not_found", "install no-such-program-here"},
			"a policy with a fault":     {broken, "policy", "rolls", "correct /home/policy.yaml"},
			"no policy":                 {map[string]string{}, "implement", "role_not_configured", "warden setup"},
		} {
			r := examine(t, nil, c.files)
			text, _ := json.Marshal(r.RoleExecutionBlockedBy)
			if r.RoleExecutionReady || r.RoleExecutionBlockedBy[0].Stage != c.stage || !strings.Contains(string(text), c.says) || r.OK != (name != "a policy with a fault") || r.RoleExecutionBlockedBy[0].Next != c.next {
				t.Errorf("%s: ready %v, blocked by %s", name, r.RoleExecutionReady, text)
			}
		}
	})
	t.Run("PR-16_a prompt that cannot be made", func(t *testing.T) {
		t.Parallel()
		files := ready()
		files["policy.yaml"] = strings.Replace(policyText, "ghost", "spare", 1)
		files["profiles/spare.yaml"] = profile("spare", "reviewer", "c", "/bin/sh", verified)
		bad, root := "reader", ""
		fault := func(q *doctor.Request) {
			q.Fault = func(at string, p policy.Profile) (outcome.Code, string) {
				root = at
				if p.Name == bad {
					return outcome.RolePromptUndeliverable, "read prompts/p.md: it is not there"
				}
				return outcome.OK, ""
			}
		}
		r := examine(t, fault, files)
		want := []doctor.Block{{Stage: "review", Role: "reviewer", Code: "role_prompt_undeliverable", Detail: []string{"reader: read prompts/p.md: it is not there"},
			Next: "correct profile reader and the files that it names, in /home"}}
		if r.RoleExecutionReady || !reflect.DeepEqual(r.RoleExecutionBlockedBy, want) || r.UserConfig.Problems["reader"] == "" || root != r.Project.Root {
			t.Errorf("blocked by %+v, problems %v, looked at in %q", r.RoleExecutionBlockedBy, r.UserConfig.Problems, root)
		}
		bad = "spare" // stands in at most
		if r := examine(t, fault, files); !r.RoleExecutionReady || r.UserConfig.Problems["spare"] == "" {
			t.Errorf("blocked by %+v, problems %v", r.RoleExecutionBlockedBy, r.UserConfig.Problems)
		}
	})
	t.Run("no project", func(t *testing.T) {
		t.Parallel()
		r := examine(t, func(q *doctor.Request) { q.Dir = t.TempDir() }, ready())
		if r.OK || r.ProjectConfigFound || r.MachineGatesReady || !strings.Contains(r.Project.Problem, "warden init") {
			t.Errorf("%+v", r.Project)
		}
	})
	t.Run("EN-01_argument encoding", func(t *testing.T) {
		t.Parallel()
		for locale, safe := range map[string]bool{"LANG=ru_RU.KOI8-R": false, "LANG=en_US.UTF-8": true, "LANG=C": true, "LC_ALL=de_DE.ISO8859-1@euro": false, "LC_ALL=C.utf8": true} {
			r := examine(t, func(q *doctor.Request) { q.Env = append(q.Env, locale) }, ready())
			if r.ArgumentEncoding.NonASCIISafe != safe || !safe && !strings.Contains(r.ArgumentEncoding.Message, "--goal-file") {
				t.Errorf("%s: %+v", locale, r.ArgumentEncoding)
			}
		}
	})
	t.Run("in CI", func(t *testing.T) {
		t.Parallel()
		unconfined := func(q *doctor.Request) {
			q.Env = append(q.Env, "GITHUB_ACTIONS=true", "GITHUB_TOKEN=ghs_secret", "GITHUB_REPOSITORY=o/r")
			q.Sandbox = sandbox.Report{Backend: sandbox.None, Reason: "find bubblewrap: none"}
		}
		r := examine(t, unconfined, ready())
		if !r.Sandbox.Required || r.Sandbox.OK || !strings.Contains(r.Sandbox.Message, "refused") {
			t.Errorf("sandbox %+v", r.Sandbox)
		}
		if r.Forge == nil || !r.Forge.TokenPresent || r.Forge.TokenVariable != "GITHUB_TOKEN" || len(r.Forge.Permissions) == 0 {
			t.Errorf("forge %+v", r.Forge)
		}
		if text, _ := json.Marshal(r); strings.Contains(string(text), "ghs_secret") {
			t.Error("the report prints the token")
		}
		landlock := func(q *doctor.Request) {
			q.Env = append(q.Env, "GITHUB_ACTIONS=true")
			q.Sandbox = sandbox.Report{Backend: sandbox.Landlock, Path: "/usr/bin/warden", Reason: "find bubblewrap: none", ABI: 7}
		}
		if r := examine(t, landlock, ready()); r.Sandbox.OK || !strings.Contains(r.Sandbox.Message, "landlock, version 7") || len(r.Sandbox.NotHeld) == 0 {
			t.Errorf("landlock where bubblewrap is required: %+v", r.Sandbox)
		}
		allowed := ready()
		allowed["policy.yaml"] += "allow_unconfined: true\n"
		if r := examine(t, unconfined, allowed); r.Sandbox.Required || !r.Sandbox.OK {
			t.Errorf("with allow_unconfined: %+v", r.Sandbox)
		}
		r = examine(t, func(q *doctor.Request) { q.Env = append(q.Env, "GITHUB_ACTIONS=true") }, ready())
		if r.Forge.TokenPresent || r.Forge.Next == "" || len(r.Forge.LookedIn) != 2 {
			t.Errorf("without a token: %+v", r.Forge)
		}
	})
	t.Run("PR-18_limits from the environment", func(t *testing.T) {
		t.Parallel()
		if r := examine(t, func(q *doctor.Request) { q.Env = append(q.Env, "WARDEN_JOB_MINUTES=20") }, ready()); len(r.Limits) == 0 {
			t.Error("a job of 20 minutes around calls of 20 and gates of 30 passes without a word")
		}
		if r := examine(t, nil, ready()); len(r.Limits) != 0 {
			t.Errorf("warned %q without an outer limit", r.Limits)
		}
		if r := examine(t, func(q *doctor.Request) { q.Env = append(q.Env, "WARDEN_JOB_MINUTES=6h") }, ready()); len(r.Limits) != 1 || !strings.Contains(r.Limits[0], `"6h"`) {
			t.Errorf("a limit that cannot be read: %q", r.Limits)
		}
		hosted := []string{"GITHUB_ACTIONS=true", "RUNNER_ENVIRONMENT=github-hosted", "WARDEN_JOB_MINUTES=1000"}
		long := policy.Home{Profiles: map[string]policy.Profile{"w": {Role: "implementer", WallClock: 7 * time.Hour}}}
		if got := doctor.WarnLimits(long, contract.Project{}, hosted); len(got) != 1 || !strings.Contains(got[0], "GitHub's limit") {
			t.Errorf("a hosted runner ends a job after six hours, whatever it is told: %q", got)
		}
	})
}

func TestCheckLimits(t *testing.T) {
	t.Parallel()
	vendors := []doctor.VendorLimit{{Profile: "w", Role: "implementer", Limit: 40 * time.Minute}, {Profile: "r", Role: "reviewer", Limit: 25 * time.Minute}}
	for name, c := range map[string]struct {
		limits doctor.Limits
		says   []string
	}{
		"PR-18_in order":            {doctor.Limits{Job: 6 * time.Hour, Gate: 30 * time.Minute, Fixes: 2, Vendors: vendors}, nil},
		"PR-18_unknown outer":       {doctor.Limits{Gate: 30 * time.Minute, Fixes: 2, Vendors: vendors}, nil},
		"PR-18_job ends a call":     {doctor.Limits{Job: 40 * time.Minute, JobFrom: "the job", Gate: 30 * time.Minute, Vendors: vendors}, []string{"profile w"}},
		"PR-18_job ends a gate":     {doctor.Limits{Job: 30 * time.Minute, JobFrom: "the job", Gate: 30 * time.Minute, Vendors: vendors[1:]}, []string{"gate run"}},
		"PR-18_job ends a run":      {doctor.Limits{Job: 2 * time.Hour, JobFrom: "the job", Gate: 30 * time.Minute, Fixes: 2, Vendors: vendors}, []string{"4h45m0s"}},
		"PR-18_the baseline counts": {doctor.Limits{Job: 286 * time.Minute, JobFrom: "the job", Gate: 30 * time.Minute, Fixes: 2, Vendors: vendors, Baseline: true}, []string{"5h15m0s"}},
		"PR-18_both are named":      {doctor.Limits{Job: 20 * time.Minute, JobFrom: "the job", Gate: 30 * time.Minute, Vendors: vendors}, []string{"gate run", "profile w", "profile r"}},
		"PR-18_the longest counts":  {doctor.Limits{Job: 41 * time.Minute, JobFrom: "the job", Gate: time.Minute, Vendors: append(vendors[:1:1], doctor.VendorLimit{Profile: "x", Role: "implementer", Limit: time.Minute})}, []string{"41m0s"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := doctor.CheckLimits(c.limits)
			if len(got) != len(c.says) {
				t.Fatalf("warned %q, want %d warnings", got, len(c.says))
			}
			for i, want := range c.says {
				if !strings.Contains(got[i], want) {
					t.Errorf("warning %q has no %q", got[i], want)
				}
			}
		})
	}
}

func TestExplain(t *testing.T) {
	t.Parallel()
	h, ok := doctor.Explain("POST https://x: 403 GitHub Actions is not permitted to create or approve pull requests. []")
	if !ok || !strings.Contains(h.Remedy, "both levels") {
		t.Errorf("got %+v, %v", h, ok)
	}
	if h, ok := doctor.Explain("Not Found"); ok {
		t.Errorf("explained what nobody knows: %+v", h)
	}
}
