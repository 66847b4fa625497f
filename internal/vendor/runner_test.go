package vendor

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

// script installs a shell script as the vendor's program.
func script(t *testing.T, body string) (env []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "stub"), []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + dir + ":/usr/bin:/bin", "HOME=" + dir, "VENDOR_KEY=k1", "GITHUB_TOKEN=g1"}
}

func call(t *testing.T, c Call) Result {
	t.Helper()
	got, err := New().Call(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// A real process: the prompt arrives by stdin, the key that the profile names is
// there, no other is, and the answer is read.
func TestCallOfARealProcess(t *testing.T) {
	t.Parallel()
	p := stubProfile()
	p.APIKeyEnv = []string{"VENDOR_KEY"}
	env := script(t, `read line
test "$line" = "do it" || exit 3
test "$VENDOR_KEY" = k1 || exit 4
test -z "$GITHUB_TOKEN" || exit 5
test -d "$TMPDIR" || exit 6
echo "$TMPDIR" >&2
printf '%s\n' '`+reviewerAnswer+`'`)
	got := call(t, Call{Profile: p, Prompt: []byte("do it\n"), Dir: t.TempDir(), Env: env})
	wantCode(t, got, outcome.OK)
	if dir := strings.TrimSpace(string(got.Stderr)); dir == "" {
		t.Error("no temporary directory")
	} else if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("temporary directory %s was left: %v", dir, err)
	}
}

func TestCallEndsInTime(t *testing.T) {
	t.Parallel()
	t.Run("limit_of_the_call_below_the_profile's", func(t *testing.T) {
		t.Parallel()
		env := script(t, `printf '%s\n' '`+reviewerAnswer+`'; exec sleep 300`)
		got := call(t, Call{Profile: stubProfile(), Dir: t.TempDir(), Env: env, Limit: 300 * time.Millisecond})
		wantCode(t, got, outcome.RoleTimeout)
		if !got.TimedOut || got.Duration > 20*time.Second || got.Artifact != nil {
			t.Errorf("timed out %t after %s with artifact %s", got.TimedOut, got.Duration, got.Artifact)
		}
	})
	t.Run("announced_wait", func(t *testing.T) {
		t.Parallel()
		env := script(t, `echo 'Attempt 1 failed: You have exhausted your capacity on this model.. Retrying after 7425209ms...' >&2; exec sleep 300`)
		got := call(t, Call{Profile: stubProfile(), Dir: t.TempDir(), Env: env})
		wantCode(t, got, outcome.RoleQuotaExhausted)
		if got.Duration > 20*time.Second || got.Quota == nil || !strings.Contains(got.Quota.Message, "7425209ms") {
			t.Errorf("after %s: %+v", got.Duration, got.Quota)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		t.Parallel()
		ctx, cancel := context.WithCancel(t.Context())
		r := New()
		r.run = func(ctx context.Context, c proc.Command) (proc.Result, error) {
			cancel()
			return proc.Run(ctx, c)
		}
		got, err := r.Call(ctx, Call{Profile: stubProfile(), Dir: t.TempDir(), Env: script(t, "exec sleep 300")})
		if err != nil {
			t.Fatal(err)
		}
		wantCode(t, got, outcome.Interrupted)
	})
}

func TestProgramIsNotStarted(t *testing.T) {
	t.Parallel()
	t.Run("SE-01_name_is_no_shell_line", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		p := stubProfile()
		p.Command = "true; touch " + filepath.Join(dir, "marker")
		if err := New().Available(p, []string{"PATH=/usr/bin:/bin"}); err == nil {
			t.Error("the line counts as a program")
		}
		got := call(t, Call{Profile: p, Dir: dir, Env: []string{"PATH=/usr/bin:/bin"}})
		wantCode(t, got, outcome.RoleCommandFailed)
		if _, err := os.Stat(filepath.Join(dir, "marker")); !os.IsNotExist(err) {
			t.Error("a shell ran the line")
		}
	})
	t.Run("program_of_the_candidate", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		marker := filepath.Join(t.TempDir(), "marker")
		if err := os.WriteFile(filepath.Join(root, "stub"), []byte("#!/bin/sh\ntouch "+marker+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		env := []string{"PATH=" + root + ":/usr/bin:/bin"}
		// Outside of the tree the same program runs.
		call(t, Call{Profile: stubProfile(), Dir: t.TempDir(), Env: env})
		if err := os.Remove(marker); err != nil {
			t.Fatalf("the control did not run: %v", err)
		}
		wantCode(t, call(t, Call{Profile: stubProfile(), Dir: root, Env: env}), outcome.RoleCommandFailed)
		link := filepath.Join(t.TempDir(), "stub")
		if err := os.Symlink(filepath.Join(root, "stub"), link); err != nil {
			t.Fatal(err)
		}
		wantCode(t, call(t, Call{Profile: stubProfile(), Dir: root, Env: []string{"PATH=" + filepath.Dir(link) + ":/usr/bin:/bin"}}), outcome.RoleCommandFailed)
		if _, err := os.Stat(marker); !os.IsNotExist(err) {
			t.Error("the candidate's program ran")
		}
	})
	t.Run("other_runner", func(t *testing.T) {
		t.Parallel()
		p := stubProfile()
		p.Runner = "cloud"
		if err := New().Available(p, script(t, "exit 0")); err == nil {
			t.Error("a runner that is not built counts as available")
		}
	})
}

// confined makes the spec that a call would run in.
func confined(t *testing.T, c Call) (sandbox.Spec, map[string]string) {
	t.Helper()
	var spec *sandbox.Spec
	env := map[string]string{}
	r := New()
	r.run = func(_ context.Context, cmd proc.Command) (proc.Result, error) {
		spec = cmd.Sandbox
		for _, kv := range cmd.Env {
			k, v, _ := strings.Cut(kv, "=")
			env[k] = v
		}
		for _, m := range spec.Mounts {
			if m.Writable && m.Target == spec.Home {
				if err := os.WriteFile(filepath.Join(m.Source, ".cli", "auth.json"), []byte("refreshed"), 0o600); err != nil {
					return proc.Result{}, err
				}
			}
		}
		return proc.Result{Stdout: proc.Output{Bytes: []byte(reviewerAnswer)}}, nil
	}
	if _, err := r.Call(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	return *spec, env
}

func TestConfinedCall(t *testing.T) {
	t.Parallel()
	real := t.TempDir()
	for name, text := range map[string]string{".cli/auth.json": "login", ".cli/other": "private", ".tools/t": "tool"} {
		path := filepath.Join(real, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := stubProfile()
	p.HomeShare = []string{".cli/auth.json", ".tools", ".absent"}
	p.Args = []string{"--prompt-file", "{{prompt_file}}"}
	base := &sandbox.Spec{Backend: sandbox.Bubblewrap, Root: t.TempDir(), Home: real, Network: true}
	spec, env := confined(t, Call{Profile: p, PromptFile: filepath.Join(real, "prompt.md"), Dir: base.Root, Env: script(t, "exit 0"), Sandbox: base, HomeDir: real})
	if len(base.Mounts) != 0 {
		t.Error("the caller's sandbox was changed")
	}
	if env["HOME"] != real {
		t.Errorf("HOME is %q", env["HOME"])
	}
	index := func(target string) int {
		return slices.IndexFunc(spec.Mounts, func(m sandbox.Mount) bool { return m.Target == target })
	}
	home := index(real)
	if home < 0 || spec.Mounts[home].Source == real || !spec.Mounts[home].Writable {
		t.Errorf("no private home in %+v", spec.Mounts)
	}
	if i := index(filepath.Join(real, ".tools")); i < 0 || spec.Mounts[i].Writable {
		t.Error("a shared directory is missing or writable")
	}
	if i := index(filepath.Join(real, "prompt.md")); i < 0 || spec.Mounts[i].Writable {
		t.Error("the prompt file is missing or writable")
	}
	if _, err := os.Stat(spec.Mounts[home].Source); !os.IsNotExist(err) {
		t.Error("the private home was left behind")
	}
	got, err := os.ReadFile(filepath.Join(real, ".cli", "auth.json"))
	if err != nil || string(got) != "refreshed" {
		t.Errorf("login is %q, %v; want the refreshed one", got, err)
	}
	if got, err := os.ReadFile(filepath.Join(real, ".cli", "other")); err != nil || string(got) != "private" {
		t.Errorf("a file that is not shared became %q, %v", got, err)
	}
}

// A login file that the vendor turned into something else is not written back.
func TestLoginIsNotReplacedByALink(t *testing.T) {
	t.Parallel()
	real, secret := t.TempDir(), filepath.Join(t.TempDir(), "secret")
	for path, text := range map[string]string{filepath.Join(real, "auth"): "login", secret: "other"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, spoil := range map[string]func(string) error{
		"link":  func(p string) error { return os.Symlink(secret, p) },
		"empty": func(p string) error { return os.WriteFile(p, nil, 0o600) },
		"large": func(p string) error { return os.WriteFile(p, make([]byte, maxLogin+1), 0o600) },
		"gone":  func(string) error { return nil },
	} {
		h, err := openHome(real, "/home/x", []string{"auth"})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(h.dir, "auth")
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := spoil(path); err != nil {
			t.Fatal(err)
		}
		if err := h.close(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got, err := os.ReadFile(filepath.Join(real, "auth")); err != nil || string(got) != "login" {
			t.Errorf("%s: login became %q, %v", name, got, err)
		}
	}
	if _, err := openHome(real, "/home/x", []string{"../secret"}); err == nil {
		t.Error("a path outside of the home was shared")
	}
}

// A program installed below a hidden home starts only with its own directories
// and those of its interpreter.
func TestExecutableMounts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pkg := filepath.Join(dir, "lib", "node_modules", "cli", "bin")
	bin := filepath.Join(dir, "bin")
	node := filepath.Join(dir, "node", "bin")
	for _, d := range []string{pkg, bin, node} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for path, text := range map[string]string{filepath.Join(pkg, "cli.js"): "#!/usr/bin/env node\n", filepath.Join(node, "node"): "\x7fELF"} {
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(bin, "cli")
	if err := os.Symlink(filepath.Join(pkg, "cli.js"), link); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range executableMounts(link, []string{"PATH=" + node}, nil) {
		if m.Writable || m.Source != m.Target {
			t.Errorf("mount %+v", m)
		}
		got = append(got, m.Source)
	}
	want := []string{filepath.Join(dir, "lib", "node_modules"), bin, node}
	if !slices.Equal(got, want) {
		t.Errorf("mounts %q, want %q", got, want)
	}
	if m := executableMounts("/bin/sh", nil, nil); len(m) != 0 {
		t.Errorf("a program of the system got %+v", m)
	}
}

func TestUnconfinedHomeIsRefused(t *testing.T) {
	t.Parallel()
	_, err := New().Call(t.Context(), Call{Profile: stubProfile(), Dir: t.TempDir(), Env: script(t, "exit 0"), Sandbox: &sandbox.Spec{Backend: sandbox.Bubblewrap}})
	if err == nil {
		t.Error("a sandbox without a home was taken")
	}
}
