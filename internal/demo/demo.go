// Package demo shows the whole of Warden offline: a throwaway repository, a
// GitHub-shaped forge on loopback, a person who is a list of acts, and vendors
// that are scripted processes behind ordinary profiles. Everything in between is
// the product: each act becomes an event file, and `warden action` reads it.
package demo

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

// Action runs `warden action` with an environment and returns what it printed on
// stdout and its exit status.
type Action func(ctx context.Context, environ []string, stderr io.Writer) (stdout []byte, status int)

// ErrNotEmpty says that the directory to keep everything in holds something.
var ErrNotEmpty = errors.New("is not empty")

// Options configures a demonstration.
type Options struct {
	Action  Action
	Self    string    // this program, which plays the vendors too
	Git     string    // the program that serves the forge's repository
	Path    string    // on which it finds others
	Environ []string  // of this process
	Stderr  io.Writer // the story
	Keep    string    // directory to leave everything in; empty removes it
	Drop    string    // a route of the forge that answers 500, for tests
	Bare    string    // why bubblewrap does not confine a child on this machine; empty when it does
	Held    string    // what does instead, if anything
	Blind   string    // why no browser can look at the story's page; empty when one does
	Quiet   bool
	Page    func(runsDir, runID string) ([]byte, error) // a report of a run, for --keep
	Now     func() time.Time
}

// Result is what a demonstration prints.
type Result struct {
	OK          bool           `json:"ok"`
	Issue       int            `json:"issue"`
	Runs        []Run          `json:"runs"`
	Branch      string         `json:"branch"`
	PullRequest *PullRequest   `json:"pull_request"`
	Decisions   []Decision     `json:"decisions"`
	Merged      bool           `json:"merged"`
	Kept        string         `json:"kept"`
	Browser     Browser        `json:"browser"`
	Problems    []string       `json:"problems,omitempty"`
	Requests    map[string]int `json:"-"` // by route, for tests
}

// Run is one run of the issue.
type Run struct {
	RunID      string `json:"run_id"`
	Reason     string `json:"reason"`
	NextAction string `json:"next_action"`
	RoleRuns   int    `json:"role_runs"`
	Candidate  string `json:"candidate"`
	LedgerRef  string `json:"ledger_ref"`
	LedgerHead string `json:"ledger_head"`
}

// PullRequest is the issue's pull request.
type PullRequest struct {
	Number int    `json:"number"`
	Draft  bool   `json:"draft"`
	Head   string `json:"head"`
	URL    string `json:"url"`
}

// Decision is what a person decided.
type Decision struct {
	Decision   string `json:"decision"`
	Actor      string `json:"actor"`
	Source     string `json:"source"`
	Candidate  string `json:"candidate"`
	NoteSHA256 string `json:"note_sha256"`
}

// state is what one `warden action` printed, as far as the story reads it.
type state struct {
	OK        bool       `json:"ok"`
	Outcome   string     `json:"outcome"`
	Runs      []Run      `json:"runs"`
	Branch    string     `json:"branch"`
	Pull      *pull      `json:"pull_request"`
	Decisions []Decision `json:"decisions"`
	Problems  []string   `json:"problems"`
}

type pull struct {
	PullRequest
	Merged bool `json:"merged"`
}

// stage is a demonstration in progress.
type stage struct {
	Options
	dir    string
	server *forgetest.Server
	page   page
	issue  int
	state  state
	events int
}

const (
	person = forgetest.Maintainer
	title  = "The sign at the front desk should greet the visitor"
	body   = "Put a greeting into `greeting.txt`, so that `sh check.sh` says that it may be shown.\n"
	refuse = "Close, but not yet:\n\n> visitors come from two countries\n\nGreet them in *both* languages, and don't drop the full stops.\r\n"
)

// Notes are the remarks on lines that the person makes with the refusal.
func Notes() []forgetest.InlineComment {
	return []forgetest.InlineComment{
		{Path: "greeting.txt", Line: 1, Body: "Add `Willkommen!` below this line."},
		{Path: "greeting.txt", Line: 1, Body: "And say when the desk opens:\r\n```\nThe desk opens at nine.\n```"},
	}
}

// Play tells the whole story. The error means that it could not be told; a story
// that ended otherwise than it should is in the result.
func Play(ctx context.Context, o Options) (Result, error) {
	s := &stage{Options: o}
	if o.Quiet {
		s.Stderr = io.Discard
	}
	if err := s.prepare(); err != nil {
		return Result{}, err
	}
	defer s.close()
	err := s.tell(ctx)
	res := s.result()
	if err != nil {
		res.Problems = append(res.Problems, err.Error())
	}
	res.Problems = append(res.Problems, s.breaches()...)
	if len(res.Problems) == 0 {
		res.Problems = s.check(res)
	}
	res.OK = len(res.Problems) == 0
	if err := s.leave(); err != nil {
		return res, err
	}
	return res, nil
}

// prepare builds the forge with the story's project as its first commit.
func (s *stage) prepare() error {
	dir := s.Keep
	var err error
	if dir == "" {
		dir, err = os.MkdirTemp("", "warden-demo-")
	} else {
		dir, err = filepath.Abs(dir)
		if err == nil {
			err = empty(dir)
		}
	}
	if err != nil {
		return fmt.Errorf("make the demonstration's directory: %w", err)
	}
	s.dir = dir
	if s.Blind == "" {
		if s.page, err = openPage(dir, s.Self); err != nil {
			return err
		}
	}
	files, err := s.files()
	if err != nil {
		return err
	}
	o := forgetest.Options{Files: files, Dir: filepath.Join(dir, "repository.git"), Git: s.Git, Path: s.Path, Clock: clock(s.Now)}
	if s.Drop != "" {
		o.Drop = map[string]int{s.Drop: 500}
	}
	s.server, err = forgetest.New(o)
	return err
}

// empty makes the directory, or takes one that has nothing in it.
func empty(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err == nil && len(entries) > 0 {
		err = fmt.Errorf("%s %w", dir, ErrNotEmpty)
	}
	return err
}

// files are the project of the story, with profiles that start this program.
func (s *stage) files() (map[string]string, error) {
	files := map[string]string{}
	scribe, parts := "scribe", []string{"story/project"}
	if s.Blind == "" {
		scribe, parts = "scribe-page", append(parts, "story/page")
	}
	for _, part := range parts {
		if err := unpack(part, files); err != nil {
			return nil, err
		}
	}
	if s.Blind == "" {
		s.page.declare(files)
	}
	for _, v := range []struct{ name, role, script string }{{"scribe", "implementer", scribe}, {"critic", "reviewer", "critic"}} {
		files[".github/warden/profiles/"+v.name+".yaml"] = profile(s.Self, v.name, v.role, v.script)
	}
	if s.Bare != "" {
		files[".github/warden/policy.yaml"] += "allow_unconfined: true\n"
	}
	return files, nil
}

// unpack adds the files of a part of the story.
func unpack(part string, files map[string]string) error {
	root, err := fs.Sub(story, part)
	if err != nil {
		return err
	}
	return fs.WalkDir(root, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(root, path)
		files[path] = string(data)
		return err
	})
}

func profile(program, name, role, script string) string {
	readOnly := role != "implementer"
	command, _ := json.Marshal(program) // a JSON string is a YAML string
	return fmt.Sprintf(`version: 1
profile: %s
role: %s
vendor: %s
command: %s
args: [demo, vendor, --script, %s, --role, %s]
model: %s
env: {MODEL: "{{model}}"}
read_only: %v
prompt_delivery: stdin
prompt_template: prompts/%s.md
limits:
  wall_clock_minutes: 2
artifact:
  required_fields: [role, task_id, status, summary]
verification:
  verified_on: "2026-11-30"
  note: a scripted process of the demonstration
`, name, role, name+"-house", command, script, role, map[string]string{"scribe": "scribe-1", "critic": "critic-7"}[name], readOnly, role)
}

// clock gives every act of the forge its own second, from now on.
func clock(now func() time.Time) func() time.Time {
	at := now().UTC().Truncate(time.Second).Add(-time.Minute)
	return func() time.Time {
		at = at.Add(time.Second)
		if n := now().UTC().Truncate(time.Second).Add(time.Second); n.After(at) {
			at = n
		}
		return at
	}
}

func (s *stage) close() {
	_ = s.server.Close()
	s.page.close()
	if s.Keep == "" {
		_ = os.RemoveAll(s.dir)
	}
}

// say tells one sentence of the story.
func (s *stage) say(format string, args ...any) {
	fmt.Fprintf(s.Stderr, "\n== "+format+"\n", args...)
}

// event hands a delivery to `warden action` by its event file, as a runner does.
func (s *stage) event(ctx context.Context, d forgetest.Delivery) error {
	s.events++
	path := filepath.Join(s.dir, fmt.Sprintf("event-%d-%s.json", s.events, d.Event))
	if err := os.WriteFile(path, d.Payload, 0o644); err != nil {
		return err
	}
	log := &quieter{to: s.Stderr}
	out, status := s.Action(ctx, s.environ(d.Event, path), log)
	log.flush()
	var st state
	if err := json.Unmarshal(out, &st); err != nil {
		return fmt.Errorf("event %d (%s): warden action printed %q: %w", s.events, d.Event, out, err)
	}
	s.state = st
	if status != 0 {
		return fmt.Errorf("event %d (%s): warden action ended with status %d: %s", s.events, d.Event, status, strings.Join(st.Problems, "; "))
	}
	return nil
}

// environ is what a runner gives a job.
func (s *stage) environ(event, path string) []string {
	keep := []string{}
	for _, kv := range s.Environ {
		name, _, _ := strings.Cut(kv, "=")
		switch name {
		case "PATH", "HOME", "LANG", "TMPDIR", "USER", "WARDEN_BROWSER":
			keep = append(keep, kv)
		}
	}
	return append(s.page.environ(keep),
		"GITHUB_ACTIONS=true", "CI=true", "GITHUB_EVENT_NAME="+event, "GITHUB_EVENT_PATH="+path,
		"GITHUB_REPOSITORY="+s.server.Repo().String(), "GITHUB_API_URL="+s.server.APIURL(), "GITHUB_GRAPHQL_URL="+s.server.GraphQLURL(),
		"GITHUB_SERVER_URL="+s.server.URL(), fmt.Sprintf("GITHUB_RUN_ID=%d", 1000+s.events), "GITHUB_RUN_ATTEMPT=1", "GITHUB_ACTOR="+person,
		"RUNNER_TEMP="+s.dir, "WARDEN_STATE_DIR="+filepath.Join(s.dir, "state"), "GITHUB_TOKEN="+forgetest.DefaultToken,
		"GITHUB_OUTPUT="+filepath.Join(s.dir, "outputs.txt"), "GITHUB_STEP_SUMMARY="+filepath.Join(s.dir, "summary.md"),
	)
}

var errDirection = errors.New("the story took another turn")

func short(sha string) string {
	if len(sha) > 10 {
		return sha[:10]
	}
	return sha
}

func turned(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errDirection, fmt.Sprintf(format, args...))
}

// refusal is the review by which the person sends the work back.
func (s *stage) refusal() (forgetest.Delivery, error) {
	_, d, err := s.server.SubmitReview(person, s.state.Pull.Number, forge.ChangesRequested, refuse, Notes()...)
	return d, err
}
