package setup

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/schema"
)

func load(t *testing.T, dir string) policy.Home {
	t.Helper()
	h, err := policy.Load(dir, os.DirFS(dir))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestStarterFilesLoadWithoutAProblem(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r, err := Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Skipped) != 0 || len(r.Created) < 25 {
		t.Errorf("created %d and skipped %d files", len(r.Created), len(r.Skipped))
	}
	h := load(t, dir)
	if len(h.Problems) != 0 {
		t.Errorf("problems: %v", h.Problems)
	}
	if len(h.Faults) != 0 || h.Policy.Err != nil || !h.Policy.Present {
		t.Errorf("faults %v, policy %+v", h.Faults, h.Policy.Err)
	}
	if d := h.Dangling(); len(d) != 0 {
		t.Errorf("policy names profiles that are not there: %v", d)
	}
	if w := h.WritingJudges(); len(w) != 0 {
		t.Errorf("judges that write: %v", w)
	}
	if len(h.Profiles) != 24 {
		t.Errorf("%d profiles, want 24", len(h.Profiles))
	}
	for name, p := range h.Profiles {
		if p.Verified() {
			t.Errorf("%s ships as verified", name)
		}
		if p.Role == "visual_qa" {
			// What it has to say is in a picture that is drawn when it is tried.
			if !strings.Contains(p.Verification.Probe, `"$`+pictureVariable) || p.Vision.Delivery == "" {
				t.Errorf("%s has no probe that proves sight", name)
			}
		} else if p.Verification.Probe == "" || p.Verification.Expect == "" {
			t.Errorf("%s has no probe that proves an answer", name)
		}
		if p.Verification.Expect != "" && strings.Contains(p.Verification.Probe, p.Verification.Expect) {
			t.Errorf("%s: the probe holds what it expects, so an echo would pass it", name)
		}
		if p.Runner == "direct" && !strings.Contains(p.Verification.Probe, p.Model) {
			t.Errorf("%s: the probe asks another model than %s", name, p.Model)
		}
		// Without it Codex writes its whole environment, with the key, to a file in
		// the operator's home.
		if p.Vendor == "codex" && !strings.Contains(p.Verification.Probe, "shell_environment_policy") {
			t.Errorf("%s: the probe gives the key to the shell", name)
		}
		raw, err := h.ReadFile(p.SchemaPath)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if _, err := schema.CompileBytes(p.SchemaPath, raw); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := h.ReadFile(p.PromptTemplate); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every CLI is started with what keeps the repository's own files from running.
func TestStarterProfilesHoldTheRepositoryOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := Write(dir); err != nil {
		t.Fatal(err)
	}
	h := load(t, dir)
	must := map[string][]string{
		"codex":    {"--ephemeral", "-s"},
		"claude":   {"--setting-sources", "--strict-mcp-config"},
		"gemini":   {"--approval-mode", "stream-json"},
		"opencode": {"--pure"},
		"grok":     {"--prompt-file"},
	}
	for name, p := range h.Profiles {
		if p.Runner == "local" {
			continue // no program
		}
		for _, flag := range must[p.Vendor] {
			if !slices.Contains(p.Args, flag) {
				t.Errorf("%s lacks %s", name, flag)
			}
		}
		for _, bad := range []string{"--trust", "--dangerously-skip-permissions", "yolo"} {
			if slices.Contains(p.Args, bad) {
				t.Errorf("%s has %s", name, bad)
			}
		}
		if p.Sandbox != "warden" || p.PromptDelivery != "stdin" {
			t.Errorf("%s: sandbox %s, delivery %s", name, p.Sandbox, p.PromptDelivery)
		}
		if !slices.Contains(p.Args, "{{model}}") {
			t.Errorf("%s declares a model that reaches nobody", name)
		}
	}
	for name, want := range map[string]string{
		"claude-review": "Read,Grep,Glob", "claude-implement": "Read,Grep,Glob,Edit,Write,Bash", "codex-review": "read-only", "codex-implement": "workspace-write",
		"gemini-review": "plan", "gemini-implement": "auto_edit", "grok-review": "read_file,list_dir,grep", "grok-implement": "",
		"opencode-review": `{"edit":"deny","bash":"deny","webfetch":"deny"}`, "opencode-implement": `{"edit":"allow","bash":"allow","webfetch":"deny"}`,
		"claude-plan": "Read,Grep,Glob", "codex-plan": "read-only", "gemini-plan": "plan", "grok-plan": "read_file,list_dir,grep",
		"opencode-plan": `{"edit":"deny","bash":"deny","webfetch":"deny"}`, "claude-architect": "Read,Grep,Glob", "codex-architect": "read-only",
		"claude-visual": "Read,Grep,Glob", "codex-visual": "read-only", "gemini-visual": "plan", "opencode-visual": `{"edit":"deny","bash":"deny","webfetch":"deny"}`,
	} {
		tools, fault := policy.ToolsOf(h.Profiles[name])
		if fault != "" || len(tools.Allow) == 0 || tools.Argument != want || (tools.EnforcedBy == policy.ToolsByVendor) != (want != "") {
			t.Errorf("%s is told %+v, %s; want %s", name, tools, fault, want)
		}
	}
	for _, p := range h.Profiles {
		if p.ReadOnly != (p.Role != "implementer") {
			t.Errorf("%s of role %s has read_only %v", p.Name, p.Role, p.ReadOnly)
		}
	}
	if got := h.Profiles["opencode-implement"].Env["OPENCODE_DISABLE_PROJECT_CONFIG"]; got != "true" {
		t.Errorf("opencode-implement reads the repository's configuration: %q", got)
	}
}

func TestWriteKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	mine := filepath.Join(dir, "policy.yaml")
	if err := os.WriteFile(mine, []byte("mine\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	first, err := Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"policy.yaml"}, first.Skipped); diff != "" {
		t.Error(diff)
	}
	got, err := os.ReadFile(mine)
	if err != nil || string(got) != "mine\n" {
		t.Errorf("policy.yaml became %q, %v", got, err)
	}
	second, err := Write(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(second.Created) != 0 {
		t.Errorf("the second time created %v", second.Created)
	}
	for _, name := range first.Created {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, mode %v", name, err, info.Mode())
		}
	}
}

// TestTranscriptsAreIgnored lets a home be committed without what probes printed.
func TestTranscriptsAreIgnored(t *testing.T) {
	t.Parallel()
	files, err := Files()
	if err != nil || !strings.Contains("\n"+string(files[".gitignore"]), "\nverification/\n") {
		t.Errorf(".gitignore is %q, %v", files[".gitignore"], err)
	}
}

func TestWriteWantsAnAbsoluteHome(t *testing.T) {
	t.Parallel()
	if _, err := Write("home"); err == nil {
		t.Error("a relative home was taken")
	}
}
