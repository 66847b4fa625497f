package policy

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/schema"
	"github.com/tolboy/warden/internal/strict"
	"github.com/tolboy/warden/internal/workflow"
)

// fits fails when the reader took a file that the published schema refuses.
func fits(t *testing.T, s *schema.Schema, data []byte) {
	t.Helper()
	doc, faults := strict.Parse(strict.Source{File: "f"}, data)
	if faults != nil {
		t.Fatalf("a file that was read has faults of form: %v", faults)
	}
	text, err := json.Marshal(doc.Plain())
	if err != nil {
		t.Fatal(err)
	}
	if v := s.Validate(text); v != nil {
		t.Fatalf("the reader takes what the schema refuses: %v\n%s", v, data)
	}
}

// placed fails when a fault does not say where it is.
func placed(t *testing.T, err error, data []byte) {
	t.Helper()
	var faults strict.Faults
	if !errors.As(err, &faults) {
		t.Fatalf("an error that is no list of faults: %v", err)
	}
	for _, f := range faults {
		if f.Line < 1 || f.Line > bytes.Count(data, []byte("\n"))+1 || f.Message == "" || strings.Contains(f.Message, "\n") {
			t.Fatalf("fault %+v", f)
		}
	}
}

func compile(f *testing.F, name string) *schema.Schema {
	f.Helper()
	s, err := schema.Compile(name)
	if err != nil {
		f.Fatal(err)
	}
	return s
}

// FuzzPolicy: faults have a place; what is read fits the schema, and its chain
// is made of closed sets, names its stages once, and only looks back.
func FuzzPolicy(f *testing.F) {
	s := compile(f, "policy.schema")
	for _, seed := range []string{"", minimalPolicy, fullPolicy, minimalPolicy + "workflow: {stages: [{stage: a, run: machine_gates, when: [x]}]}\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParsePolicy("f", data)
		if err != nil {
			placed(t, err, data)
			return
		}
		fits(t, s, data)
		if len(p.Roles) == 0 || len(p.Stages) == 0 || !p.Present {
			t.Fatalf("policy %+v", p)
		}
		seen := map[string]bool{}
		for _, stage := range p.Stages {
			if seen[stage.Name] || stage.Name == "" || stage.OnFail == workflow.RouteNone || (stage.Run == workflow.RunRole) != (stage.Role != "") || stage.Sees != "" && !seen[stage.Sees] {
				t.Fatalf("stage %+v", stage)
			}
			for _, w := range stage.When {
				if !slices.Contains(conditions(), string(w)) {
					t.Fatalf("condition %q", w)
				}
			}
			seen[stage.Name] = true
		}
	})
}

// FuzzProfile: faults have a place; what is read fits the schema, knows all of
// its placeholders, and names no forge token.
func FuzzProfile(f *testing.F) {
	s := compile(f, "profile.schema")
	for _, seed := range []string{"", minimalProfile, directProfile, localProfile, minimalProfile + "args: ['{{prompt}}']\n", minimalProfile + "api_key_env: GITHUB_TOKEN\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ParseProfile("f", "", data)
		if err != nil {
			placed(t, err, data)
			return
		}
		fits(t, s, data)
		if p.Name == "" || p.Vendor == "" || !slices.Contains(Roles(), p.Role) || p.Runner == "direct" && p.Command == "" || p.WallClock <= 0 {
			t.Fatalf("profile %+v", p)
		}
		for _, arg := range append(slices.Clone(p.Args), values(p.Env)...) {
			for _, word := range Placeholders() {
				arg = placeholderForm().ReplaceAllStringFunc(arg, func(m string) string {
					if strings.TrimSpace(strings.Trim(m, "{}")) == word {
						return ""
					}
					return m
				})
			}
			if strings.Contains(arg, "{{") {
				t.Fatalf("open placeholder in %q", arg)
			}
		}
		for _, key := range p.APIKeyEnv {
			if strings.HasPrefix(strings.ToUpper(key), "GITHUB_") || strings.HasPrefix(strings.ToUpper(key), "CI_") {
				t.Fatalf("key name %q", key)
			}
		}
	})
}
