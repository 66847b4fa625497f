package vendor_test

import (
	"context"
	"encoding/json"
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
// loopback, each in the sandbox that the product uses. They need the CLIs in
// the directory that fakemodel.CLIsVariable names.

// cli is one real CLI: the shipped profile and what points it at the model.
type cli struct {
	name  string
	adapt func(p *policy.Profile, model *fakemodel.Server)
	// mounts says that its own sandbox needs to mount, so that it edits nothing where
	// that is refused.
	mounts bool
}

func clis() []cli {
	return []cli{
		{name: "codex", mounts: true, adapt: func(p *policy.Profile, model *fakemodel.Server) {
			p.Args = slices.Insert(p.Args, len(p.Args)-1, "-c", "model_provider=fake", "-c", model.CodexProvider(key))
		}},
		{name: "gemini", adapt: func(p *policy.Profile, model *fakemodel.Server) {
			p.APIKeyEnv = []string{"GEMINI_API_KEY"}
			p.Env["GOOGLE_GEMINI_BASE_URL"] = model.URL()
		}},
		{name: "opencode", adapt: func(p *policy.Profile, _ *fakemodel.Server) {
			p.Model = "fake/m1"
			p.Env["OPENCODE_DISABLE_MODELS_FETCH"] = "true"
		}},
	}
}

// key is the variable that holds the key of the CLIs that have no say in it.
const key = "FAKE_KEY"

// bench is one call of one CLI.
type bench struct {
	t                  *testing.T
	cli                cli
	model              *fakemodel.Server
	profile            policy.Profile
	root, home, prompt string
	env                []string
	backend            sandbox.Backend
	bwrap              string // the program of the backend

	pictures []string // that the call is given, and where they lie
	shots    string
}

func installed(t *testing.T) string {
	t.Helper()
	bin, err := fakemodel.Installed()
	if err != nil {
		t.Fatal(err)
	}
	if bin == "" {
		if os.Getenv("CI") == "true" {
			t.Fatalf("%s is not set, and the real CLIs are required here", fakemodel.CLIsVariable)
		}
		t.Skipf("skipped: %s is not set, so no real CLI is tested", fakemodel.CLIsVariable)
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
	b := &bench{t: t, cli: c, prompt: "Do the task.\n", root: repository(t), home: t.TempDir(), backend: sandbox.Bubblewrap, bwrap: bwrap}
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
	b.profile.APIKeyEnv = []string{key}
	c.adapt(&b.profile, b.model)
	for file, text := range b.model.Home(c.name, key) {
		b.write(filepath.Join(b.home, file), text)
	}
	b.env = []string{"PATH=" + bin + ":/usr/local/bin:/usr/bin:/bin", "HOME=" + b.home, "LANG=C.UTF-8", key + "=fake-key-1", "GEMINI_API_KEY=fake-key-1", "GITHUB_TOKEN=forge-secret"}
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
		Profile: b.profile, Prompt: []byte(b.prompt), PromptFile: filepath.Join(b.home, "prompt.md"), Dir: b.root, Env: b.env,
		Values: map[string]string{"schema_json": "{}", "schema_file": "", "repo_root": b.root, "run_id": "r", "task_id": "t1", "evidence_dir": b.shots},
		Bwrap:  b.bwrap, HomeDir: b.home, Limit: limit, Pictures: b.pictures,
		Sandbox: &sandbox.Spec{
			Backend: b.backend, Root: b.root, Writable: !b.profile.ReadOnly, Home: inside, MaskHomes: []string{b.home, inside},
			Protect: []string{filepath.Join(b.root, ".git"), filepath.Join(b.root, ".warden")}, Network: true,
		},
	}
	got, err := vendor.New().Call(ctx, c)
	if err != nil {
		b.t.Fatal(err)
	}
	left, err := fakemodel.Running(b.root)
	if err != nil {
		b.t.Fatal(err)
	}
	if len(left) > 0 {
		b.t.Errorf("processes are left: %v", left)
	}
	b.t.Logf("%s: %s after %.1fs, %d requests, exit %d: %s", b.profile.Name, got.Code, got.Duration.Seconds(), len(b.model.Requests()), got.ExitCode, got.Detail)
	return got
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
		printed := fakemodel.Printed(c.name, got.Stdout)
		in, known := got.Usage.Input.Get()
		out, alsoKnown := got.Usage.Output.Get()
		t.Logf("printed %+v, model %q, session %q", printed, got.Model, got.SessionID)
		if !known || !alsoKnown || in <= 0 || out <= 0 || in != printed.Input || out != printed.Output {
			t.Errorf("usage %+v, printed %+v", got.Usage, printed)
		}
		if cost, known := got.Usage.CostUSD.Get(); known != (c.name == "opencode") || known && cost <= 0 || cost != printed.CostUSD {
			t.Errorf("cost %v, known %t, printed %v", cost, known, printed.CostUSD)
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
			byFile := slices.ContainsFunc(marks, filepath.IsAbs)
			byCall := slices.ContainsFunc(marks, func(m string) bool { return !filepath.IsAbs(m) })
			if !byFile || !byCall {
				fail(t, got)
				t.Errorf("nothing ran, or was seen to run, in the control either, so the canary proves nothing: %v", marks)
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
			// How a program of that name is told of tools is not known either.
			b.profile.ToolsAllow, b.profile.Env["OPENCODE_PERMISSION"] = nil, `{"*":"allow"}`
		},
		"gemini": func(b *bench, mark string) {
			const file = ".gemini/settings.json"
			own := strings.TrimSuffix(b.model.Home("gemini", "")[file], "}") + "," + strings.TrimPrefix(b.model.AgentFiles(mark)[file], "{")
			b.write(filepath.Join(b.home, file), own)
		},
		"codex": func(b *bench, mark string) {
			b.write(filepath.Join(b.home, ".codex/config.toml"), b.model.AgentFiles(mark)[".codex/config.toml"])
			b.profile.HomeShare = append(b.profile.HomeShare, ".codex/config.toml")
		},
	}
}

// canary returns what ran: the files that it made and the names that it called.
func canary(t *testing.T, c cli, role string, change func(*bench, string)) (marks []string, got vendor.Result) {
	t.Helper()
	b := newBench(t, c, role, func(fakemodel.Request) fakemodel.Turn { return fakemodel.Turn{Text: implementerDone} })
	// A reviewer's tree is read-only, so it is made writable here: only the flags
	// shall hold.
	b.profile.ReadOnly = false
	mark := filepath.Join(b.root, "CANARY")
	for name, text := range b.model.AgentFiles(mark) {
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
	return append(marks, b.model.Ran()...), got
}
