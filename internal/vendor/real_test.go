package vendor_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/fakemodel"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/vendor"
)

// The tests of this file start the real agent CLIs against a scripted model on
// loopback, each in the sandbox that the product uses. They need the CLIs:
//
//	npm install --prefix DIR @openai/codex@0.171.0 opencode-ai@1.18.33 @google/gemini-cli@0.61.0
//	WARDEN_VENDOR_CLIS=DIR go test ./internal/vendor
const cliVariable = "WARDEN_VENDOR_CLIS"

// cli is one real CLI: the shipped profile and what points it at the model.
type cli struct {
	name  string
	adapt func(p *policy.Profile, url string)
	home  map[string]string // files of the operator's home; @URL@ is filled in
}

func clis() []cli {
	return []cli{
		{name: "codex", adapt: func(p *policy.Profile, url string) {
			provider := `model_providers.fake={name="fake",base_url="` + url + `/v1",env_key="FAKE_KEY",wire_api="responses",request_max_retries=1,stream_max_retries=1}`
			p.Args = slices.Insert(p.Args, len(p.Args)-1, "-c", "model_provider=fake", "-c", provider)
		}},
		{name: "gemini", adapt: func(p *policy.Profile, url string) {
			p.APIKeyEnv = []string{"GEMINI_API_KEY"}
			p.Env["GOOGLE_GEMINI_BASE_URL"] = url
		}, home: map[string]string{".gemini/settings.json": `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false,"maxAttempts":2},"privacy":{"usageStatisticsEnabled":false}}`}},
		{name: "opencode", adapt: func(p *policy.Profile, _ string) {
			p.Model = "fake/m1"
			p.Env["OPENCODE_DISABLE_MODELS_FETCH"] = "true"
		}, home: map[string]string{
			".config/opencode/opencode.json": `{"model":"fake/m1","small_model":"fake/m1","autoupdate":false,"share":"disabled","provider":{"fake":{"npm":"@ai-sdk/openai-compatible","options":{"baseURL":"@URL@/v1","apiKey":"{env:FAKE_KEY}"},"models":{"m1":{"limit":{"context":200000,"output":8192},"cost":{"input":1,"output":2}}}}}}`,
		}},
	}
}

// bench is one call of one CLI.
type bench struct {
	t       *testing.T
	cli     cli
	model   *fakemodel.Server
	profile policy.Profile
	root    string
	home    string
	env     []string
	bwrap   string
}

func installed(t *testing.T) string {
	t.Helper()
	dir := os.Getenv(cliVariable)
	if dir == "" {
		t.Skipf("skipped: %s is not set, so no real CLI is tested", cliVariable)
	}
	bin := filepath.Join(dir, "node_modules", ".bin")
	for _, c := range clis() {
		if _, err := os.Stat(filepath.Join(bin, c.name)); err != nil {
			t.Fatalf("%s is set and %s is not installed there: %v", cliVariable, c.name, err)
		}
	}
	return bin
}

func newBench(t *testing.T, c cli, role string, script func(fakemodel.Request) fakemodel.Turn) *bench {
	t.Helper()
	bin := installed(t)
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatalf("the real CLIs are tested in bubblewrap: %v", err)
	}
	b := &bench{t: t, cli: c, root: repository(t), home: t.TempDir(), bwrap: bwrap}
	b.model = fakemodel.New(script)
	t.Cleanup(b.model.Close)
	name := c.name + "-" + role
	raw, err := os.ReadFile(filepath.Join("..", "setup", "home", "profiles", name+".yaml"))
	if err != nil {
		t.Fatal(err)
	}
	if b.profile, err = policy.ParseProfile(name+".yaml", name, raw); err != nil {
		t.Fatal(err)
	}
	b.profile.APIKeyEnv = []string{"FAKE_KEY"}
	c.adapt(&b.profile, b.model.URL())
	for file, text := range c.home {
		b.write(filepath.Join(b.home, file), strings.ReplaceAll(text, "@URL@", b.model.URL()))
	}
	b.env = []string{"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + b.home, "LANG=C.UTF-8", "FAKE_KEY=fake-key-1", "GEMINI_API_KEY=fake-key-1", "GITHUB_TOKEN=forge-secret"}
	return b
}

func (b *bench) write(path, text string) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// repository makes a repository with one commit.
func repository(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "README.md"), []byte("# test\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = root
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "GIT_AUTHOR_NAME=t", "GIT_AUTHOR_EMAIL=t@t", "GIT_COMMITTER_NAME=t", "GIT_COMMITTER_EMAIL=t@t"}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return root
}

// call runs the CLI in the sandbox and sees to it that nothing is left running.
func (b *bench) call(limit time.Duration) vendor.Result {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), limit+time.Minute)
	defer cancel()
	// HOME inside is where the operator's would be: Codex makes no helpers below /tmp.
	inside, err := os.UserHomeDir()
	if err != nil {
		b.t.Fatal(err)
	}
	c := vendor.Call{
		Profile: b.profile, Prompt: []byte("Do the task.\n"), PromptFile: filepath.Join(b.home, "prompt.md"), Dir: b.root, Env: b.env,
		Values: map[string]string{"schema_json": "{}", "schema_file": "", "repo_root": b.root, "run_id": "r", "task_id": "t1"},
		Bwrap:  b.bwrap, HomeDir: b.home, Limit: limit,
		Sandbox: &sandbox.Spec{
			Backend: sandbox.Bubblewrap, Root: b.root, Writable: !b.profile.ReadOnly, Home: inside, MaskHomes: []string{b.home, inside},
			Protect: []string{filepath.Join(b.root, ".git"), filepath.Join(b.root, ".warden")}, Network: true,
		},
	}
	got, err := vendor.New().Call(ctx, c)
	if err != nil {
		b.t.Fatal(err)
	}
	if left := processesIn(b.t, b.root); len(left) > 0 {
		b.t.Errorf("processes are left: %v", left)
	}
	b.t.Logf("%s: %s after %.1fs, %d requests, exit %d: %s", b.profile.Name, got.Code, got.Duration.Seconds(), len(b.model.Requests()), got.ExitCode, got.Detail)
	return got
}

// processesIn lists processes whose directory or command line is in the tree.
func processesIn(t *testing.T, root string) []string {
	t.Helper()
	dirs, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, d := range dirs {
		if filepath.Base(d) == fmt.Sprint(os.Getpid()) {
			continue
		}
		cwd, _ := os.Readlink(d + "/cwd")      // gone, or another user's
		line, _ := os.ReadFile(d + "/cmdline") // likewise
		if strings.HasPrefix(cwd, root) || strings.Contains(string(line), root) {
			out = append(out, filepath.Base(d)+" "+strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return out
}

func each(t *testing.T, test func(t *testing.T, c cli)) {
	for _, c := range clis() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			test(t, c)
		})
	}
}

func fail(t *testing.T, got vendor.Result) {
	t.Logf("stdout:\n%s\nstderr:\n%s", got.Stdout, got.Stderr)
}

const implementerDone = `{"role":"implementer","task_id":"t1","status":"completed","summary":"wrote it","files_changed":["hello.txt"]}`

// The CLI edits a file with its own tool; the answer, the tokens and the cost are
// what its envelope says.
func TestRealImplementer(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cli) {
		var root string
		script := func(r fakemodel.Request) fakemodel.Turn {
			return fakemodel.Script(
				fakemodel.Turn{Edit: &fakemodel.Edit{Path: filepath.Join(root, "hello.txt"), Content: "hello\n"}},
				fakemodel.Turn{Text: "Done.\n" + implementerDone})(r)
		}
		b := newBench(t, c, "implement", script)
		root = b.root
		got := b.call(5 * time.Minute)
		if got.Code != outcome.OK {
			fail(t, got)
			t.Fatalf("code %s: %s", got.Code, got.Detail)
		}
		if text, err := os.ReadFile(filepath.Join(b.root, "hello.txt")); err != nil || string(text) != "hello\n" {
			fail(t, got)
			t.Errorf("hello.txt is %q, %v", text, err)
		}
		var artifact map[string]any
		if err := json.Unmarshal(got.Artifact, &artifact); err != nil || artifact["summary"] != "wrote it" {
			t.Errorf("artifact %s, %v", got.Artifact, err)
		}
		if got.Dialect != c.name {
			t.Errorf("read as %s", got.Dialect)
		}
		in, known := got.Usage.Input.Get()
		out, alsoKnown := got.Usage.Output.Get()
		t.Logf("usage %+v, model %q, session %q", got.Usage, got.Model, got.SessionID)
		if !known || !alsoKnown || in <= 0 || out <= 0 || !strings.Contains(string(got.Stdout), fmt.Sprint(int(out))) {
			t.Errorf("usage %+v", got.Usage)
		}
		if cost, known := got.Usage.CostUSD.Get(); known != (c.name == "opencode") || known && cost <= 0 {
			t.Errorf("cost %v, known %t", cost, known)
		}
		if !got.ModelPassed || got.SessionID == "" {
			t.Errorf("model passed %t, session %q", got.ModelPassed, got.SessionID)
		}
	})
}

// What a service refuses ends in its own code, in bounded time, with no process
// left.
func TestRealFaults(t *testing.T) {
	t.Parallel()
	want := map[fakemodel.Fault]outcome.Code{
		fakemodel.RateLimited: outcome.RoleRateLimited,
		fakemodel.SpentPlan:   outcome.RoleQuotaExhausted,
		fakemodel.BadKey:      outcome.RoleCredentialRejected,
		fakemodel.ServerError: outcome.RoleCommandFailed,
		fakemodel.Hang:        outcome.RoleTimeout,
	}
	each(t, func(t *testing.T, c cli) {
		for _, fault := range fakemodel.Faults() {
			t.Run(string(fault), func(t *testing.T) {
				limit := 4 * time.Minute
				if fault == fakemodel.Hang {
					limit = hangLimit(t, c)
				}
				b := newBench(t, c, "review", func(fakemodel.Request) fakemodel.Turn { return fakemodel.Turn{Fault: fault} })
				start := time.Now()
				got := b.call(limit)
				if got.Code != want[fault] {
					fail(t, got)
					t.Errorf("code %s (%s), want %s", got.Code, got.Detail, want[fault])
				}
				if took := time.Since(start); took > limit+30*time.Second {
					t.Errorf("it took %s with a limit of %s", took, limit)
				}
				if len(b.model.Requests()) == 0 {
					t.Error("the model was never asked, so nothing was tested")
				}
				if got.Artifact != nil {
					t.Errorf("artifact %s", got.Artifact)
				}
				if strings.Contains(string(got.Stdout)+string(got.Stderr), "forge-secret") {
					t.Error("the forge token reached the CLI")
				}
			})
		}
	})
}

// hangLimit is time enough for the CLI to reach the model on this machine now.
func hangLimit(t *testing.T, c cli) time.Duration {
	t.Helper()
	b := newBench(t, c, "review", func(fakemodel.Request) fakemodel.Turn { return fakemodel.Turn{Text: "no"} })
	return 2*b.call(4*time.Minute).Duration + 5*time.Second
}

// A reviewer cannot write, by its own flags and by the sandbox, and its verdict
// is read.
func TestRealReviewer(t *testing.T) {
	t.Parallel()
	const verdict = `{"role":"reviewer","task_id":"t1","status":"completed","verdict":"fail","summary":"s","findings":[{"severity":"P1","path":"README.md","message":"m","expected":"e","actual":"a","confidence":"confirmed"}]}`
	each(t, func(t *testing.T, c cli) {
		var root string
		b := newBench(t, c, "review", func(r fakemodel.Request) fakemodel.Turn {
			if r.Results == 0 && canWrite(r) {
				return fakemodel.Turn{Edit: &fakemodel.Edit{Path: filepath.Join(root, "forbidden.txt"), Content: "x\n"}}
			}
			return fakemodel.Turn{Text: verdict}
		})
		root = b.root
		got := b.call(5 * time.Minute)
		if _, err := os.Stat(filepath.Join(root, "forbidden.txt")); !os.IsNotExist(err) {
			t.Errorf("the reviewer wrote: %v", err)
		}
		if !strings.Contains(string(got.Artifact), `"verdict":"fail"`) {
			fail(t, got)
			t.Errorf("code %s (%s), artifact %s", got.Code, got.Detail, got.Artifact)
		}
	})
}

// canWrite reports whether the CLI offers the model a tool that could write.
func canWrite(r fakemodel.Request) bool {
	for _, tool := range []string{"apply_patch", "write", "write_file", "exec_command", "shell", "shell_command", "bash", "run_shell_command"} {
		if slices.Contains(r.Tools, tool) {
			return true
		}
	}
	return false
}

// agentFiles are the repository's own files for the CLIs, each of which would
// leave a mark.
func agentFiles(mark string) map[string]string {
	run := func(who string) string { return "touch " + mark + "-" + who }
	hook := func(who string) string {
		return `{"hooks":{"SessionStart":[{"matcher":"*","hooks":[{"type":"command","command":"` + run(who) + `"}]}],"BeforeAgent":[{"hooks":[{"type":"command","command":"` + run(who) + `"}]}],"UserPromptSubmit":[{"hooks":[{"type":"command","command":"` + run(who) + `"}]}]},` +
			`"mcpServers":{"m":{"command":"sh","args":["-c","` + run(who+"-mcp") + `"]}}}`
	}
	plugin := `import { writeFileSync } from "node:fs"; writeFileSync("` + mark + `-opencode", "x"); export const P = async () => ({})` + "\n"
	return map[string]string{
		"own.js":                 strings.ReplaceAll(plugin, "-opencode", "-opencode-own"),
		".mcp.json":              `{"mcpServers":{"m":{"command":"sh","args":["-c","` + run("mcp") + `"]}}}`,
		".claude/settings.json":  hook("claude"),
		".gemini/settings.json":  hook("gemini"),
		".grok/settings.json":    hook("grok"),
		".codex/config.toml":     "notify = [\"sh\", \"-c\", \"" + run("codex-notify") + "\"]\n[mcp_servers.m]\ncommand = \"sh\"\nargs = [\"-c\", \"" + run("codex-mcp") + "\"]\n",
		".codex/hooks.json":      hook("codex"),
		".opencode/plugin/p.js":  plugin,
		".opencode/plugins/p.js": plugin,
		"opencode.json":          `{"plugin":["./own.js"],"mcp":{"m":{"type":"local","command":["sh","-c","` + run("opencode-mcp") + `"],"enabled":true}}}`,
		".agents/hooks.json":     hook("agents"),
	}
}

// The repository's own agent files run nothing. For opencode the same files do
// run when our flags are taken away; for the others the same hook, given by the
// operator, does.
func TestRealCanary(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, c cli) {
		for _, role := range []string{"implement", "review"} {
			t.Run(role, func(t *testing.T) {
				marks, got := canary(t, c, role, nil)
				if len(marks) != 0 {
					fail(t, got)
					t.Errorf("the repository's files ran: %v", marks)
				}
			})
		}
		t.Run("control", func(t *testing.T) {
			marks, got := canary(t, c, "implement", controls()[c.name])
			if len(marks) == 0 {
				fail(t, got)
				t.Error("nothing ran in the control either, so the canary proves nothing")
			}
			t.Logf("ran in the control: %v", marks)
		})
	})
}

// controls take away what holds the repository's files off.
func controls() map[string]func(*bench, string) {
	return map[string]func(*bench, string){
		"opencode": func(b *bench, _ string) {
			// Under another name the program's row of files to hide does not apply.
			program, err := filepath.EvalSymlinks(filepath.Join(installed(b.t), "opencode"))
			if err != nil {
				b.t.Fatal(err)
			}
			dir := b.t.TempDir()
			if err := os.Symlink(program, filepath.Join(dir, "other")); err != nil {
				b.t.Fatal(err)
			}
			b.profile.Command, b.profile.Vendor, b.env[0] = "other", "other", "PATH="+dir+":/usr/local/bin:/usr/bin:/bin"
			b.profile.Args = slices.DeleteFunc(b.profile.Args, func(a string) bool { return a == "--pure" })
			delete(b.profile.Env, "OPENCODE_DISABLE_PROJECT_CONFIG")
		},
		"gemini": func(b *bench, mark string) {
			own := `{"security":{"auth":{"selectedType":"gemini-api-key"}},"general":{"enableAutoUpdate":false,"maxAttempts":2},` + strings.TrimPrefix(agentFiles(mark)[".gemini/settings.json"], "{")
			b.write(filepath.Join(b.home, ".gemini/settings.json"), own)
		},
		"codex": func(b *bench, mark string) {
			b.write(filepath.Join(b.home, ".codex/config.toml"), agentFiles(mark)[".codex/config.toml"])
			b.profile.HomeShare = append(b.profile.HomeShare, ".codex/config.toml")
		},
	}
}

func canary(t *testing.T, c cli, role string, change func(*bench, string)) (marks []string, got vendor.Result) {
	t.Helper()
	b := newBench(t, c, role, func(fakemodel.Request) fakemodel.Turn { return fakemodel.Turn{Text: implementerDone} })
	// A reviewer's tree is read-only, so it is made writable here: only the flags
	// shall hold.
	b.profile.ReadOnly = false
	mark := filepath.Join(b.root, "CANARY")
	for name, text := range agentFiles(mark) {
		b.write(filepath.Join(b.root, name), text)
	}
	if change != nil {
		change(b, mark)
	}
	got = b.call(5 * time.Minute)
	if len(b.model.Turns()) == 0 {
		fail(t, got)
		t.Error("the model was never asked, so nothing was tested")
	}
	marks, err := filepath.Glob(mark + "*")
	if err != nil {
		t.Fatal(err)
	}
	return marks, got
}
