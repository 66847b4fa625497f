package policy

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/strict"
)

const fullPolicy = `version: 1
roles:
  implementer: {profiles: [a, b], strategy: first, require_independent_vendor: true}
  reviewer: {profiles: [c], same_vendor_peer: {implementer: a, reviewer: c}}
review: {required_for_risk: [high], note: r}
failover: {on_quota_exhausted: stop, note: f}
budget: {repair_reserve: partial, note: b}
workflow:
  stages:
    - {stage: one, run: visual_harness}
    - {stage: two, run: visual_harness}
    - {stage: look, run: role, role: visual_qa, when: [risk_low], on_fail: fix, on_findings: fix, recheck_after_fix: true, fix_with: architect, sees: one}
allow_unconfined: true
escalation: {after_blocking_reviews: 3, rungs: [{implementer: b, reviewer: c}], note: e}
retry: {rate_limited: {max_attempts: 1, backoff_seconds: 2, note: s}}
`

const directProfile = `version: 1
profile: eyes
role: visual_qa
vendor: acme
runner: direct
command: acme
args: ["{{model}}", "{{effort}}"]
tools: {allow: [read, edit]}
model: m
effort: low
read_only: false
limits: {wall_clock_minutes: 3, max_cost_usd: 2}
prompt_template: prompts/p.md
json_schema: schemas/s.json
enforce_schema: false
artifact: {required_fields: [a]}
quota: {signatures: [out of it]}
prompt_delivery: stdin
attachments: {flag: -i}
capabilities: {vision: {delivery: cli_attachment, verification: required, acquires: true}}
api_key_env: [K]
env: {A: b}
sandbox: vendor
home: {share: [.acme]}
verification: {verified_on: 2026-01-01, status: s, probe: p, expect: e, what_to_check: [w], note: n}
notes: [one, two]
`

const localProfile = "version: 1\nprofile: near\nrole: architect\nvendor: acme\nrunner: local\nendpoint: http://h/\nmodel: m\n"

// CF-08: a key that is accepted is never dropped. Each key of each file, taken
// out of a file that sets all of them, changes what is loaded.
func TestEveryKeyHasAnEffect(t *testing.T) {
	t.Parallel()
	profile := func(b []byte) (any, error) {
		p, err := ParseProfile("f", "", b)
		p.Raw, p.SHA256 = nil, ""
		return p, err
	}
	tests := []struct {
		name  string
		full  []string // together they set every key
		shape strict.Shape
		load  func([]byte) (any, error)
		inert []string // keys whose only use is to be the default spelled out
	}{
		{"CF-08_policy", []string{fullPolicy}, new(rawPolicy).shape(), func(b []byte) (any, error) { return ParsePolicy("p", b) }, nil},
		{"CF-08_profile", []string{directProfile, localProfile}, new(rawProfile).shape(), profile, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, key := range strict.Keys(tt.shape) {
				set, effect := false, false
				for _, full := range tt.full {
					base, err := tt.load([]byte(full))
					if err != nil {
						t.Fatal(err)
					}
					without, found := drop(t, full, key)
					got, err := tt.load(without)
					set = set || found
					effect = effect || found && (err != nil || !cmp.Equal(base, got))
				}
				if !set {
					t.Errorf("no full file sets %s", key)
				} else if !effect && !slices.Contains(tt.inert, key) {
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
