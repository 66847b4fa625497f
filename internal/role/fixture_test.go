package role

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/vendor"
)

// fileJudge fingerprints the plain files of a directory.
type fileJudge struct {
	root string
	diff string
	cut  bool // the diff is not whole
}

func (j fileJudge) Snapshot(context.Context) (git.Snapshot, error) {
	h := sha256.New()
	var s git.Snapshot
	err := filepath.WalkDir(j.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(j.root, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s\x00%d\x00%s", rel, len(data), data)
		s.Changes = append(s.Changes, git.Change{Path: rel, Kind: 'A'})
		return nil
	})
	s.Full = hex.EncodeToString(h.Sum(nil))
	s.Source = s.Full
	return s, err
}

func (j fileJudge) Diff(context.Context, int) (string, bool, error) { return j.diff, j.cut, nil }

// files keeps evidence in a directory, each file once.
type files struct{ dir string }

func (e files) WriteFile(rel string, data []byte) (ledger.File, error) {
	path := filepath.Join(e.dir, rel)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return ledger.File{}, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return ledger.File{}, err
	}
	_, err = f.Write(data)
	sum := sha256.Sum256(data)
	return ledger.File{Path: rel, SHA256: hex.EncodeToString(sum[:]), Bytes: int64(len(data))}, errors.Join(err, f.Close())
}

func (e files) ReadFile(f ledger.File) ([]byte, error) {
	data, err := os.ReadFile(filepath.Join(e.dir, f.Path))
	if sum := sha256.Sum256(data); err == nil && hex.EncodeToString(sum[:]) != f.SHA256 {
		return nil, ledger.ErrAltered
	}
	return data, err
}

// Redact knows the one secret of the tests.
func (files) Redact(data []byte) ([]byte, int) {
	return bytes.ReplaceAll(data, []byte(canary), []byte("[redacted]")), bytes.Count(data, []byte(canary))
}

// canary is a key that no vendor is to hand on.
const canary = "canary-5be1077a"

// act is one scripted vendor call.
type act struct {
	result vendor.Result
	writes map[string]string // files of the tree that the vendor leaves
}

// caller plays acts by profile and remembers the calls.
type caller struct {
	t     *testing.T
	root  string
	acts  map[string][]act
	calls []vendor.Call
	gone  map[string]bool // profiles whose program is not there
}

func (c *caller) Available(p policy.Profile, _ []string) error {
	if c.gone[p.Name] {
		return errors.New("not on PATH")
	}
	return nil
}

// Preview finds every program: the tests name some that are not there.
func (c *caller) Preview(call vendor.Call) ([]string, error) {
	r := vendor.New()
	r.Find = func(string, []string, ...string) (string, error) { return "/bin/sh", nil }
	return r.Preview(call)
}

func (c *caller) Call(_ context.Context, call vendor.Call) (vendor.Result, error) {
	c.calls = append(c.calls, call)
	list := c.acts[call.Profile.Name]
	if len(list) == 0 {
		c.t.Errorf("unexpected call of %s", call.Profile.Name)
		return vendor.Result{Code: outcome.RoleCommandFailed}, nil
	}
	a := list[0]
	c.acts[call.Profile.Name] = list[1:]
	for name, text := range a.writes {
		if err := os.WriteFile(filepath.Join(c.root, name), []byte(text), 0o644); err != nil {
			return vendor.Result{}, err
		}
	}
	a.result.Duration = time.Second
	return a.result, nil
}

func (c *caller) names() []string {
	var out []string
	for _, call := range c.calls {
		out = append(out, call.Profile.Name)
	}
	return out
}

// The templates and profiles that most tests use.
const (
	implementerTemplate = "Task {{ task_id }}\nGoal:\n{{ goal }}\nDone: {{ acceptance_commands }}\nScenarios: {{ visual_scenarios }}\nBefore: {{ context }}\n"
	reviewerTemplate    = "Review {{ task_id }}\nChanged:\n{{ changed_files }}\nDone: {{ acceptance_commands }}\nScenarios: {{ visual_scenarios }}\nBefore: {{ context }}\n"
	doneImplementer     = `{"role":"implementer","task_id":"t1","status":"completed","summary":"did it","files_changed":["a.txt"]}`
	passReviewer        = `{"role":"reviewer","task_id":"t1","status":"completed","verdict":"pass","summary":"fine","findings":[]}`
)

func profile(name, role, vendorName string) policy.Profile {
	return policy.Profile{
		Name: name, Role: role, Vendor: vendorName, Runner: "direct", Command: vendorName, PromptDelivery: "stdin", ReadOnly: role != "implementer",
		WallClock: time.Minute, PromptTemplate: "prompts/" + role + ".md", EnforceSchema: true,
		Verification: policy.Verification{VerifiedOn: "2026-11-30"},
	}
}

type fixture struct {
	*Dispatcher
	caller *caller
	root   string
	runs   string
	req    Request
	// what the budget saw
	reserved []string
	settled  int
	n        int
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	root, runs := t.TempDir(), t.TempDir()
	profiles := map[string]policy.Profile{}
	for _, p := range []policy.Profile{profile("wa", "implementer", "a"), profile("wb", "implementer", "b"), profile("rb", "reviewer", "b"), profile("rc", "reviewer", "c")} {
		profiles[p.Name] = p
	}
	f := &fixture{root: root, runs: runs}
	f.caller = &caller{t: t, root: root, acts: map[string][]act{}, gone: map[string]bool{}}
	f.Dispatcher = &Dispatcher{
		Home: policy.Home{
			Dir: "/home/w/.warden", Profiles: profiles, Problems: map[string]string{},
			FS: fstest.MapFS{
				"prompts/implementer.md": {Data: []byte(implementerTemplate)},
				"prompts/reviewer.md":    {Data: []byte(reviewerTemplate)},
			},
			Policy: policy.Policy{Present: true, Failover: "confirm", Roles: map[string]policy.Roster{
				"implementer": {Role: "implementer", Profiles: []string{"wa", "wb"}, Strategy: "first"},
				"reviewer":    {Role: "reviewer", Profiles: []string{"rb", "rc"}, Strategy: "first", Independent: true},
			}},
		},
		Judge: fileJudge{root: root}, Evidence: files{runs}, RunsDir: runs, Vendor: f.caller,
		Wait: func(context.Context, time.Duration) error { t.Error("waited"); return nil },
	}
	f.req = Request{
		RunID: "run-1", EvidenceDir: "run-1--implementer-0", StageName: "implement", Role: "implementer", ProjectName: "p", Root: root, Base: strings.Repeat("a", 40),
		Task: contract.Task{ID: "t1", Goal: "Make it so", Risk: "medium", Scope: []string{"src"}, Acceptance: []string{"make test"},
			Authority: contract.Authority{WorkspaceWrite: true}, Path: "tasks/t1.yaml", MaxRoleRuns: 6, Timeout: 30 * time.Minute},
		Changed: []string{},
		Reserve: func(p policy.Profile) error { f.reserved = append(f.reserved, p.Name); return nil },
		Settle:  func(policy.Profile, usage.Call) { f.settled++ },
	}
	return f
}

func (f *fixture) reviewer() {
	f.req.Role, f.req.StageName, f.req.EvidenceDir = "reviewer", "review", "run-1--reviewer-0"
}

func (f *fixture) script(profile string, acts ...act) {
	f.caller.acts[profile] = append(f.caller.acts[profile], acts...)
}

// dispatch makes one dispatch into a stage directory of its own.
func (f *fixture) dispatch(t *testing.T) Result {
	t.Helper()
	req := f.req
	req.EvidenceDir = fmt.Sprintf("%s%d", strings.TrimRight(req.EvidenceDir, "0123456789"), f.n)
	f.n++
	got, err := f.Dispatch(t.Context(), req)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(f.runs, got.ReportFile.Path)); err != nil {
		t.Errorf("no report: %v", err)
	}
	if (got.Code == outcome.OK) != (got.Artifact != nil) {
		t.Errorf("code %s with artifact %s", got.Code, got.Artifact)
	}
	return got
}

func (f *fixture) read(t *testing.T, rel string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(f.runs, rel))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func (f *fixture) prompt(t *testing.T) string {
	t.Helper()
	if len(f.caller.calls) == 0 {
		t.Fatal("nobody was called")
	}
	return string(f.caller.calls[len(f.caller.calls)-1].Prompt)
}

func answered(artifact string) act {
	return act{result: vendor.Result{Code: outcome.OK, Artifact: json.RawMessage(artifact), Stdout: []byte(artifact)}}
}

func spent(words string) act {
	return act{result: vendor.Result{Code: outcome.RoleQuotaExhausted, Detail: words, ExitCode: 1,
		Quota: &vendor.Quota{Kind: vendor.SpentPlan, Signature: "usage limit", DetectedBy: vendor.StructuredEvent, Message: words}}}
}

func limited(words string, wait time.Duration) act {
	return act{result: vendor.Result{Code: outcome.RoleRateLimited, Detail: words, ExitCode: 1,
		Quota: &vendor.Quota{Kind: vendor.RateLimit, Signature: "rate limit", DetectedBy: vendor.StructuredEvent, Message: words, Wait: wait}}}
}

func wantCode(t *testing.T, got Result, want outcome.Code) {
	t.Helper()
	if got.Code != want {
		t.Errorf("code %s (%s), want %s", got.Code, got.Detail, want)
	}
	if got.OK != (want == outcome.OK || want == outcome.DryRun) {
		t.Errorf("ok is %t with code %s", got.OK, got.Code)
	}
}

func (f *fixture) wantCalls(t *testing.T, want ...string) {
	t.Helper()
	if got := f.caller.names(); !slices.Equal(got, want) {
		t.Errorf("calls %q, want %q", got, want)
	}
	if !slices.Equal(f.reserved, want) {
		t.Errorf("reserved %q, want %q", f.reserved, want)
	}
	if f.settled != len(want) {
		t.Errorf("settled %d calls, want %d", f.settled, len(want))
	}
}
