package contract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/strict"
)

const fullProject = `version: 1
project: shop
base_ref: develop
checks: {fast: [a], slow: [b, c]}
scopes: {code: [src], docs: [docs]}
setup: [npm ci]
caches: {home: [.npm, .cache/go-build], keyed_by: [package-lock.json]}
preview: {start: npm run site, url: "http://127.0.0.1:8/"}
defaults: {checks: slow, baseline_checks: fast, risk: low, max_fix_attempts: 5, timeout_minutes: 7, gate_ttl_hours: 48}
land: {remote: up, base: trunk, pull_request: [gh, pr, create, --title, "{{title}}"]}
forge:
  label: robot
  scope: docs
  branch_prefix: robot/
  decide: {permission: maintain, self_accept: false, approvals: 2}
  publish: {screenshots: false, transcripts: true}
`

const fullTask = `version: 1
id: t1
goal: do it
non_goals: [nothing else]
risk: high
scope: [code, lib]
checks: [slow, ./extra]
acceptance: [./accept]
reproduce: [./accept]
authority: {workspace_write: false, network: true, land: false}
visual_qa: {required: true, scenarios: [no-console-errors], start: npm start, ready_seconds: 9, url: "http://localhost:1/",
  evidence: harness, origins: ["http://localhost:2"], baseline: true, baseline_ignore: [.clock], baseline_tolerance: 0.5}
budgets: {max_role_runs: 9, max_cost_usd: 1.5, cost_cap: strict, max_elapsed_minutes: 90, gate_ttl_hours: 3}
max_fix_attempts: 1
review_assurance: same_vendor_peer
timeout_minutes: 3
`

// CF-08: a key that is accepted is never dropped. Each key of each file, taken
// out of a file that sets all of them, changes what is loaded.
func TestEveryKeyHasAnEffect(t *testing.T) {
	t.Parallel()
	p := project(t, fullProject)
	tests := []struct {
		name, full string
		shape      strict.Shape
		load       func([]byte) (any, error)
		inert      []string // keys whose only legal value is the default, as that of visual_qa.evidence beside a baseline
	}{
		{"CF-08_project", fullProject, new(rawProject).shape(), func(b []byte) (any, error) { return ParseProject("p", b) }, nil},
		{"CF-08_task", fullTask, new(rawTask).shape(), func(b []byte) (any, error) { return ParseTask("t", b, p) }, []string{"authority.land", "visual_qa.evidence"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			base, err := tt.load([]byte(tt.full))
			if err != nil {
				t.Fatal(err)
			}
			for _, key := range strict.Keys(tt.shape) {
				without, found := drop(t, tt.full, key)
				if !found {
					t.Errorf("the full file does not set %s", key)
					continue
				}
				got, err := tt.load(without)
				if err == nil && cmp.Equal(base, got) && !slices.Contains(tt.inert, key) {
					t.Errorf("%s is accepted and has no effect", key)
				}
			}
		})
	}
}

// drop returns the file, as JSON, without what stands at a key of strict.Keys.
func drop(t *testing.T, file, key string) ([]byte, bool) {
	t.Helper()
	doc, faults := strict.Parse(strict.Source{File: "full"}, []byte(file))
	if faults != nil {
		t.Fatal(faults)
	}
	root := doc.Plain()
	found := remove(root, strings.Split(strings.ReplaceAll(key, "[]", ".[]"), "."))
	out, err := json.Marshal(root)
	if err != nil {
		t.Fatal(err)
	}
	return out, found
}

func remove(v any, path []string) bool {
	found := false
	switch v := v.(type) {
	case map[string]any:
		for k, child := range v {
			switch {
			case path[0] != k && path[0] != "*":
			case len(path) == 1:
				delete(v, k)
				found = true
			default:
				found = remove(child, path[1:]) || found
			}
		}
	case []any:
		for _, child := range v {
			found = path[0] == "[]" && remove(child, path[1:]) || found
		}
	}
	return found
}
