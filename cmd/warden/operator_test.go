package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/fakemodel"
)

// Canary keys. None of them may turn up anywhere but with whom it is for.
const (
	codexKey    = "codex-canary-51c7e0b2d94f"
	geminiKey   = "gemini-canary-8a20f6e37b1d"
	opencodeKey = "opencode-canary-c3b95d7a0e46"
	forgeKey    = "forge-canary-2f8e6b1c9d70"
)

// operator is a person at a machine of their own: a home, a repository, the real
// program and real CLIs, whose services are one scripted model.
type operator struct {
	t                              *testing.T
	program                        string
	root, home, repo, config, temp string // root holds the others
	env                            []string
	model                          *fakemodel.Server
	mu                             sync.Mutex // over the rest
	script                         func(fakemodel.Request) fakemodel.Turn
	writing, reading               []fakemodel.Process // seen at work in this run
}

// newOperator sets the machine up. The root is not below /tmp, since Codex makes
// no helper programs for a home there.
func newOperator(t *testing.T) *operator {
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
	root, err := os.MkdirTemp("/var/tmp", "warden-real-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(root); err != nil {
			t.Error(err)
		}
	})
	o := &operator{t: t, program: build(t), root: root, home: filepath.Join(root, "home"), repo: filepath.Join(root, "repo"), config: filepath.Join(root, "config"), temp: filepath.Join(root, "tmp")}
	if err := os.Mkdir(o.temp, 0o700); err != nil {
		t.Fatal(err)
	}
	o.model = fakemodel.New(o.answer)
	t.Cleanup(o.model.Close)
	o.env = []string{
		"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + o.home, "TMPDIR=" + o.temp, "USER=ann", "LANG=C.UTF-8", "NO_COLOR=1", "WARDEN_CONFIG_HOME=" + o.config,
		"CODEX_API_KEY=" + codexKey, "GEMINI_API_KEY=" + geminiKey, "OPENROUTER_API_KEY=" + opencodeKey, "GITHUB_TOKEN=" + forgeKey,
	}
	for _, cli := range fakemodel.CLIs() {
		for name, text := range o.model.Home(cli, "OPENROUTER_API_KEY") {
			o.write(filepath.Join(o.home, name), text)
		}
	}
	if err := copyTree("testdata/repo", o.repo); err != nil {
		t.Fatal(err)
	}
	for name, text := range o.model.AgentFiles("CANARY") {
		o.write(filepath.Join(o.repo, name), text)
	}
	if err := firstCommit(o.home, o.repo); err != nil {
		t.Fatal(err)
	}
	return o
}

// adapt points the starter profiles at the scripted model, and has the program
// prove each of them by its probe.
func (o *operator) adapt(profiles ...string) {
	o.t.Helper()
	var set struct{ Created []string }
	o.run(0, &set, "setup")
	if len(set.Created) < 14 {
		o.t.Fatalf("setup created %v", set.Created)
	}
	provider := "'" + o.model.CodexProvider("CODEX_API_KEY") + "'"
	for _, name := range profiles {
		file := "profiles/" + name + ".yaml"
		switch cli, _, _ := strings.Cut(name, "-"); cli {
		case "codex":
			o.edit(file, "  - \"-\"\n", "  - -c\n  - model_provider=fake\n  - -c\n  - "+provider+"\n  - \"-\"\n")
			o.edit(file, "}' -\n", "}' -c model_provider=fake -c "+provider+" -\n")
		case "gemini":
			o.edit(file, "\nenv:\n", "\nenv:\n  GOOGLE_GEMINI_BASE_URL: "+o.model.URL()+"\n")
		case "opencode":
			o.edit(file, "\nmodel: openrouter/qwen/qwen3-coder\n", "\nmodel: fake/m1\n")
			o.edit(file, " -m openrouter/qwen/qwen3-coder\n", " -m fake/m1\n")
			o.edit(file, "\nenv:\n", "\nenv:\n  OPENCODE_DISABLE_MODELS_FETCH: \"true\"\n")
		}
		var proven struct {
			OK, Stamped bool
			Message     string
		}
		began := time.Now()
		o.run(0, &proven, "profiles", "--verify", name)
		if !proven.OK || !proven.Stamped {
			o.t.Fatalf("%s is not proven: %s", name, proven.Message)
		}
		o.t.Logf("profiles --verify %s: %.1f s", name, time.Since(began).Seconds())
	}
}

// edit replaces a text that must stand in a file of the config home once.
func (o *operator) edit(name, old, text string) {
	o.t.Helper()
	path := filepath.Join(o.config, name)
	data, err := os.ReadFile(path)
	if err != nil {
		o.t.Fatal(err)
	}
	if n := strings.Count(string(data), old); n != 1 {
		o.t.Fatalf("%s has %q %d times, want once", name, old, n)
	}
	o.write(path, strings.Replace(string(data), old, text, 1))
}

func (o *operator) write(path, text string) {
	o.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		o.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		o.t.Fatal(err)
	}
}

// run starts the program in the repository and reads the object that it prints.
// It returns everything that was printed.
func (o *operator) run(status int, into any, args ...string) string {
	o.t.Helper()
	cmd := exec.CommandContext(o.t.Context(), o.program, args...)
	cmd.Dir, cmd.Env = o.repo, o.env
	var out, narration bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &narration
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		o.t.Fatal(err)
	}
	if got := cmd.ProcessState.ExitCode(); got != status {
		o.t.Fatalf("warden %s: exit status %d, want %d\n%s%s", strings.Join(args, " "), got, status, &out, &narration)
	}
	if err := json.Unmarshal(out.Bytes(), into); err != nil {
		o.t.Fatalf("warden %s printed no JSON object: %v\n%s", strings.Join(args, " "), err, &out)
	}
	o.nothingIsLeft()
	return out.String() + narration.String()
}

// nothingIsLeft fails the test when a process, or a temporary directory of ours,
// outlived a command.
func (o *operator) nothingIsLeft() {
	o.t.Helper()
	left, err := fakemodel.Running(o.root)
	if err != nil {
		o.t.Fatal(err)
	}
	for _, p := range left {
		o.t.Errorf("process %s is left: %s", p.ID, p.Command)
	}
	if dirs, err := filepath.Glob(filepath.Join(o.temp, "warden-*")); err != nil || len(dirs) > 0 {
		o.t.Errorf("left behind: %v %v", dirs, err)
	}
}

// answer is what the model says: to a probe the number that it asks for, else
// what the test has it say.
func (o *operator) answer(r fakemodel.Request) fakemodel.Turn {
	if strings.Contains(r.Prompt, "the product of 17 and 23") {
		return fakemodel.Turn{Text: "391"}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.script(r)
}

// plays gives the model its script for the next run.
func (o *operator) plays(script func(fakemodel.Request) fakemodel.Turn) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.script, o.writing, o.reading = script, nil, nil
}
