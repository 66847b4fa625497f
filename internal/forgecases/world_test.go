package forgecases

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/internal/demo"
)

// The people of the stories.
const (
	mona = forgetest.Maintainer
	wil  = forgetest.Writer
	rita = forgetest.Reader
	sam  = forgetest.Stranger
)

const (
	title    = "Greet the visitor"
	goal     = "Put a greeting into `greeting.txt`.\n"
	greeting = "Hello, visitor!\n"
)

// setting is what a world differs in. The zero setting is the plain one.
type setting struct {
	files    map[string]string        // over the plain project
	project  func(yaml string) string // rewrites project.yaml
	writer   []demo.Turn              // of the implementer's script
	reader   []demo.Turn              // of the reviewer's; a review happens at risk medium
	faults   forgetest.Faults
	branch   string // the default branch
	tamper   func(path string, body []byte) []byte
	clock    func() time.Time // of the forge
	second   bool             // another house may write where the first one's plan is spent
	leaks    bool             // the test itself shows the canaries to the forge
	breaches bool             // the test itself provokes the forge
}

// world is one repository on one forge, its people, its vendors, and a runner
// that starts `warden action` on event files.
type world struct {
	t      *testing.T
	set    setting
	dir    string
	home   string
	server *forgetest.Server
	gate   *gate
	model  *model
	issue  int
	pull   int
	last   printed

	mu     sync.Mutex
	events int
}

// newWorld makes a world and holds it, when the test ends, to what holds for
// every history.
func newWorld(t *testing.T, set setting) *world {
	t.Helper()
	dir := scratch(t)
	w := &world{t: t, set: set, dir: dir, home: filepath.Join(dir, "home"), gate: &gate{tamper: set.tamper}}
	w.model = newModel(t)
	files := w.project()
	maps.Copy(files, set.files)
	if set.project != nil {
		files[".warden/project.yaml"] = set.project(files[".warden/project.yaml"])
	}
	if set.second {
		files[".github/warden/policy.yaml"] = strings.Replace(policyText, "[scribe]", "[scribe, second]", 1)
		files[".github/warden/profiles/second.yaml"] = w.profile("second", "implementer")
		w.script("second", "result", nil, demo.Turn{Role: "implementer", Write: map[string]string{"greeting.txt": "Hello from the second house!\n"},
			Answer: done("Wrote it instead.", "greeting.txt"), Cost: 0.02})
	}
	if set.clock == nil {
		set.clock = clock()
	}
	w.script("scribe", "result", slices.Concat(set.writer, obedient()), demo.Turn{Role: "implementer", Write: map[string]string{"greeting.txt": greeting},
		Answer: done("Wrote the greeting.", "greeting.txt"), Cost: 0.01})
	w.script("critic", "events", set.reader, demo.Turn{Role: "reviewer",
		Answer: map[string]any{"status": "completed", "verdict": "pass", "summary": "It greets.", "findings": []any{}}})
	server, err := forgetest.New(forgetest.Options{Files: files, Dir: filepath.Join(dir, "repository.git"), Clock: set.clock,
		Faults: set.faults, DefaultBranch: set.branch, Wrap: w.gate.wrap})
	if err != nil {
		t.Fatal(err)
	}
	w.server = server
	t.Cleanup(func() {
		if !t.Failed() {
			w.audit()
		}
		if err := server.Close(); err != nil {
			t.Errorf("close the forge: %v", err)
		}
	})
	return w
}

// obedient is what the implementer does when a person asks for more.
func obedient() []demo.Turn {
	turn := func(when, text string) demo.Turn {
		return demo.Turn{Role: "implementer", When: []string{when}, Write: map[string]string{"greeting.txt": text}, Answer: done("As you wish.", "greeting.txt"), Cost: 0.01}
	}
	return []demo.Turn{turn("once more.", "Hello, hello, hello!\n"), turn("Greet twice.", "Hello, hello!\n")}
}

func done(summary string, changed ...string) map[string]any {
	return map[string]any{"status": "completed", "summary": summary, "files_changed": changed}
}

// script writes what a vendor does to where its sandbox shows it, beside the
// program that plays it.
func (w *world) script(name, envelope string, turns []demo.Turn, last demo.Turn) {
	w.t.Helper()
	data, err := json.Marshal(demo.Script{Envelope: envelope, Model: name + "-1", Turns: append(slices.Clone(turns), last)})
	if err != nil {
		w.t.Fatal(err)
	}
	dir := filepath.Join(w.home, "scripts")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), data, 0o644); err != nil {
		w.t.Fatal(err)
	}
	if vendor := filepath.Join(dir, "warden"); !exists(vendor) {
		if err := os.Link(program, vendor); err != nil {
			w.t.Fatal(err)
		}
	}
}

// clock gives every act its own second, never behind the clock on the wall.
func clock() func() time.Time {
	at := time.Now().UTC().Truncate(time.Second).Add(-time.Hour)
	return func() time.Time {
		at = at.Add(time.Second)
		if n := time.Now().UTC().Truncate(time.Second).Add(time.Second); n.After(at) {
			at = n
		}
		return at
	}
}

// open opens an issue and returns what the forge sent.
func (w *world) open(labels ...string) []forgetest.Delivery {
	w.t.Helper()
	n, d, err := w.server.OpenIssue(wil, title, goal, labels...)
	if err != nil {
		w.t.Fatal(err)
	}
	w.issue = n
	return d
}

// label puts the label on, as a maintainer.
func (w *world) label() forgetest.Delivery { w.t.Helper(); return w.labelBy(mona) }

func (w *world) labelBy(login string) forgetest.Delivery {
	w.t.Helper()
	return w.sent(w.server.AddLabel(login, w.issue, "warden"))
}

// candidate opens an issue, labels it, and lets the first run end with a draft.
func (w *world) candidate() printed {
	w.t.Helper()
	w.open()
	p := w.act(w.label())
	w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "ready_for_human" && p.Pull != nil, "no candidate: %s", p)
	w.pull = p.Pull.Number
	return p
}

func (w *world) sent(d forgetest.Delivery, err error) forgetest.Delivery {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	return d
}

func (w *world) comment(login string, number int, body string) forgetest.Delivery {
	w.t.Helper()
	_, d, err := w.server.Comment(login, number, body)
	return w.sent(d, err)
}

func (w *world) review(login string, state forge.ReviewState, body string, notes ...forgetest.InlineComment) forgetest.Delivery {
	w.t.Helper()
	_, d, err := w.server.SubmitReview(login, w.pull, state, body, notes...)
	return w.sent(d, err)
}

// woken is the event by which a review reaches the default branch's workflow.
func (w *world) woken() forgetest.Delivery {
	w.t.Helper()
	return w.sent(w.server.WorkflowRun(mona, "Warden: a review came in", w.pull, "success"))
}

func (w *world) want(ok bool, format string, args ...any) {
	w.t.Helper()
	if !ok {
		w.t.Fatalf(format, args...)
	}
}

// path names a file of the world.
func (w *world) path(elem ...string) string {
	return filepath.Join(append([]string{w.dir}, elem...)...)
}

// runs is where the ledgers are, in the plain state directory.
func (w *world) runs(elem ...string) string {
	return w.path(append([]string{"state", "octo", "shop", "runs"}, elem...)...)
}

func (w *world) read(path string) string {
	w.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

func (w *world) next() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events++
	return w.events
}

// profile is a vendor that says hello to the test's model server first, as an
// agent's program calls its model, and then plays its script.
func (w *world) profile(name, role string) string {
	command := fmt.Sprintf(`exec 3<>/dev/tcp/127.0.0.1/%d; printf 'GET /%s HTTP/1.0\r\n\r\n' >&3; cat <&3 >/dev/null; exec 3>&-; exec "$0" "$@"`,
		w.model.port, role)
	quoted, err := json.Marshal([]string{"-c", command, filepath.Join(w.home, "scripts", "warden"), "demo", "vendor", "--script", filepath.Join(w.home, "scripts", name+".json"), "--role", role})
	if err != nil {
		w.t.Fatal(err)
	}
	return fmt.Sprintf(`version: 1
profile: %[1]s
role: %[2]s
vendor: %[1]s-house
command: bash
args: %[3]s
model: %[1]s-1
env: {MODEL: "{{model}}"}
read_only: %[4]v
prompt_delivery: stdin
prompt_template: prompts/%[2]s.md
api_key_env: %[5]s
limits:
  wall_clock_minutes: 2
artifact:
  required_fields: [role, task_id, status, summary]
home:
  share: [scripts]
verification:
  verified_on: "2026-11-30"
`, name, role, quoted, role != "implementer", keyName)
}

const prompt = `Task {{task_id}} of run {{run_id}}.
{{goal}}
Scope: {{scope_paths}}
{{acceptance_commands}}
{{changed_files}} {{diff_base_commit}} {{visual_scenarios}}
{{context}}
{{schema_pretty}}
`

// policyText says who runs.
const policyText = `version: 1
roles:
  implementer:
    profiles: [scribe]
    strategy: first
  reviewer:
    profiles: [critic]
    strategy: first
    require_independent_vendor: true
review:
  required_for_risk: [medium, high]
`

// project is the plain repository: one check, one scope, low risk, two vendors.
func (w *world) project() map[string]string {
	return map[string]string{
		"README.md": "# shop\n",
		"check.sh":  "set -eu\ngrep -q '^Hello' greeting.txt || { echo 'it must begin with Hello' >&2; exit 1; }\n",
		".warden/project.yaml": `version: 1
project: shop
base_ref: main
checks:
  fast:
    - sh check.sh
scopes:
  sign:
    - greeting.txt
defaults:
  risk: low
  max_fix_attempts: 2
  timeout_minutes: 2
`,
		".github/warden/policy.yaml":            policyText,
		".github/warden/prompts/implementer.md": prompt,
		".github/warden/prompts/reviewer.md":    prompt,
		".github/warden/profiles/scribe.yaml":   w.profile("scribe", "implementer"),
		".github/warden/profiles/critic.yaml":   w.profile("critic", "reviewer"),
	}
}
