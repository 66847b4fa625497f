package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

// TestAction runs the published example workflow, and action.yml with it, in a
// real action runner in host mode, against the loopback forge: a label becomes a
// draft pull request, and the job's outputs say so.
func TestAction(t *testing.T) {
	t.Parallel()
	act := os.Getenv("WARDEN_ACT")
	if act == "" {
		if os.Getenv("CI") == "true" {
			t.Fatal("WARDEN_ACT names no action runner, and one is required here")
		}
		t.Skip("WARDEN_ACT names no action runner; scripts/test installs one")
	}
	server, program := frontDesk(t)
	issue, _, err := server.OpenIssue(forgetest.Writer, "Greet the visitor", "Put a greeting into greeting.txt.")
	if err != nil {
		t.Fatal(err)
	}
	label, err := server.AddLabel(forgetest.Maintainer, issue, "warden")
	if err != nil {
		t.Fatal(err)
	}
	j := job{t: t, act: act, server: server, program: program, dir: t.TempDir()}
	out := j.run("issues", label.Payload)
	pull := onePull(t, server)
	if !pull.draft {
		t.Fatalf("after the label: pull request %+v\n%s", pull, out)
	}
	for _, want := range []string{"outcome=ready_for_human", "run-id=issue-1-1", "pull-request=2", "ledger-head="} {
		if !strings.Contains(strings.ReplaceAll(out, "::set-output:: ", ""), want) && !strings.Contains(out, strings.Replace(want, "=", ": ", 1)) {
			t.Errorf("the job's outputs lack %q:\n%s", want, out)
		}
	}

	// The review wakes the job by the end of the empty workflow, not by itself.
	if _, _, err := server.SubmitReview(forgetest.Maintainer, pull.number, forge.Approved, ""); err != nil {
		t.Fatal(err)
	}
	done, err := server.WorkflowRun(forgetest.Maintainer, "Warden: a review came in", pull.number, "success")
	if err != nil {
		t.Fatal(err)
	}
	out = j.run("workflow_run", done.Payload)
	if pull := onePull(t, server); pull.draft {
		t.Errorf("after the approval the pull request is still a draft:\n%s", out)
	}
	for _, v := range server.Violations() {
		t.Errorf("%s: %s", v.Kind, v.Text)
	}
	if strings.Contains(out, forgetest.DefaultToken) {
		t.Error("the token is in the job's log")
	}
}

// job runs workflows as a runner does.
type job struct {
	t       *testing.T
	act     string
	program string // plays the vendors
	server  *forgetest.Server
	dir     string
}

func (j job) run(event string, payload []byte) string {
	j.t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		j.t.Fatal(err)
	}
	work := filepath.Join(j.dir, "work")
	flows := filepath.Join(work, ".github", "workflows")
	home := filepath.Join(j.dir, "home")
	for _, d := range []string{flows, filepath.Join(home, ".config", "act")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			j.t.Fatal(err)
		}
	}
	for _, name := range []string{"warden.yml", "warden-review.yml"} {
		data, err := os.ReadFile(filepath.Join(root, "examples", "github-actions", name))
		if err != nil {
			j.t.Fatal(err)
		}
		j.write(filepath.Join(flows, name), data)
	}
	j.write(filepath.Join(home, ".config", "act", "actrc"), nil)
	file := filepath.Join(j.dir, event+".json")
	j.write(file, payload)
	if _, err := os.Stat(filepath.Join(work, ".git")); err != nil {
		j.command(work, nil, "git", "init", "-q", "-b", "main")
		j.command(work, nil, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x")
	}
	goenv := func(name string) string {
		out, err := exec.Command("go", "env", name).Output()
		if err != nil {
			j.t.Fatal(err)
		}
		return name + "=" + strings.TrimSpace(string(out))
	}
	args := []string{event, "-e", file, "-W", filepath.Join(flows, "warden.yml"), "-P", "ubuntu-latest=-self-hosted", "--no-cache-server",
		"--local-repository", "tolboy/warden@v0=" + root, "-s", "GITHUB_TOKEN=" + forgetest.DefaultToken,
		"--env", "GITHUB_API_URL=" + j.server.APIURL(), "--env", "GITHUB_GRAPHQL_URL=" + j.server.GraphQLURL(),
		"--env", "GITHUB_SERVER_URL=" + j.server.URL(), "--env", "GITHUB_REPOSITORY=" + j.server.Repo().String(),
		"--env", "WARDEN_STATE_DIR=" + filepath.Join(j.dir, "state"),
		"--env", goenv("GOCACHE"), "--env", goenv("GOMODCACHE"), "--env", goenv("GOPROXY"), "--env", goenv("GOFLAGS")}
	return j.command(work, []string{"HOME=" + home, "PATH=" + os.Getenv("PATH")}, j.act, args...)
}

func (j job) command(dir string, env []string, name string, args ...string) string {
	j.t.Helper()
	cmd := exec.CommandContext(j.t.Context(), name, args...)
	cmd.Dir, cmd.Env = dir, env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		j.t.Fatalf("%s %s: %v\n%s", name, args[0], err, out.String())
	}
	return out.String()
}

func (j job) write(path string, data []byte) {
	j.t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		j.t.Fatal(err)
	}
}

// frontDesk is a forge whose repository is a project with scripted vendors.
func frontDesk(t *testing.T) (*forgetest.Server, string) {
	t.Helper()
	program := build(t)
	files := map[string]string{}
	for from, to := range map[string]string{"testdata/repo": "", "testdata/home/.warden": ".github/warden"} {
		root := t.TempDir()
		if err := copyTree(from, root); err != nil {
			t.Fatal(err)
		}
		err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			rel, _ := filepath.Rel(root, path)
			text := strings.ReplaceAll(string(data), "command: warden", "command: "+program)
			text = strings.ReplaceAll(text, root+"/scripts/", "")
			text = strings.ReplaceAll(text, "scribe.json", "scribe")
			text = strings.ReplaceAll(text, "critic.json", "critic")
			files[filepath.ToSlash(filepath.Join(to, rel))] = text
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	var mu sync.Mutex
	at := time.Now().UTC().Truncate(time.Second)
	clock := func() time.Time { // each act has its own second, and none is before ours
		mu.Lock()
		defer mu.Unlock()
		if at = at.Add(time.Second); at.Before(time.Now()) {
			at = time.Now().UTC().Truncate(time.Second).Add(time.Second)
		}
		return at
	}
	server, err := forgetest.New(forgetest.Options{Files: files, Clock: clock, Faults: forgetest.Faults{RefuseWorkflows: true}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	return server, program
}

type shown struct {
	number int
	draft  bool
}

// onePull reads the newest pull request as the forge told it to us.
func onePull(t *testing.T, s *forgetest.Server) shown {
	t.Helper()
	out := shown{}
	for _, q := range s.Requests() {
		var p struct {
			Number int  `json:"number"`
			Draft  bool `json:"draft"`
		}
		switch {
		case q.Route == "pulls.create" && q.Status == 201 && json.Unmarshal(q.Body, &p) == nil:
			out = shown{number: 2, draft: p.Draft}
		case q.Route == "graphql.mark_ready" && q.Status == 200:
			out.draft = false
		}
	}
	if out.number == 0 {
		var routes []string
		for _, q := range s.Requests() {
			routes = append(routes, q.Route)
		}
		t.Fatalf("no pull request was opened; requests: %v", routes)
	}
	return out
}
