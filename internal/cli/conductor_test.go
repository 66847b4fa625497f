package cli

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/doctor"
	"github.com/tolboy/warden/internal/policy"
)

// conducted is as much of a workflow of Conductor as ours uses.
type conducted struct {
	Workflow struct {
		EntryPoint string `yaml:"entry_point"`
		Input      map[string]struct {
			Required bool
		}
		Limits struct {
			Seconds int `yaml:"timeout_seconds"`
		}
	}
	Agents []struct {
		Name, Type, Command, Prompt string
		Args                        []string
		Env                         map[string]string
		Timeout                     int
		Output                      map[string]struct{ Type string }
		Routes                      []struct{ To, When string }
		Options                     []struct {
			Label, Value, Route string
			PromptFor           string `yaml:"prompt_for"`
		}
	}
}

func conductor(t *testing.T) conducted {
	t.Helper()
	data, err := os.ReadFile("../../conductor/do.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c conducted
	if err := yaml.Unmarshal(data, &c); err != nil || len(c.Agents) < 8 {
		t.Fatalf("%d steps, %v", len(c.Agents), err)
	}
	return c
}

// PR-18: what is around a step outlasts it, and the step outlasts the longest call
// that a profile can declare, which leaves Warden the time to end and to write.
func TestConductorLimitsNest(t *testing.T) {
	t.Parallel()
	c := conductor(t)
	longest := 0
	for m := range 1000 {
		in := "version: 1\nprofile: p\nrole: implementer\nvendor: v\ncommand: c\nlimits: {wall_clock_minutes: " + strconv.Itoa(m) + "}\n"
		if _, err := policy.ParseProfile("f", "", []byte(in)); err == nil {
			longest = m
		}
	}
	sum := 0
	for _, a := range c.Agents {
		sum += a.Timeout
		if a.Type == "script" && a.Timeout <= 0 {
			t.Errorf("PR-18: the step %s has no limit", a.Name)
		}
		if a.Name != "run" && a.Name != "check" {
			continue
		}
		told, err := strconv.Atoi(a.Env[doctor.JobVariable])
		if err != nil || a.Name == "run" && told*60 != a.Timeout {
			t.Errorf("PR-18: the step %s ends after %d s and tells Warden %d minutes, %v", a.Name, a.Timeout, told, err)
		}
		if told-longest < 10 {
			t.Errorf("PR-18: the step leaves %d minutes after a call of %d", told-longest, longest)
		}
		if got := doctor.CheckLimits(doctor.Limits{Job: time.Duration(told) * time.Minute, Vendors: []doctor.VendorLimit{{Profile: "p", Role: "implementer", Limit: time.Duration(longest) * time.Minute}}}); len(got) != 0 {
			t.Errorf("PR-18: %q", got)
		}
	}
	if longest != 240 || c.Workflow.Limits.Seconds <= sum {
		t.Errorf("PR-18: all steps together may take %d s, and the workflow ends after %d; the longest call is %d minutes", sum, c.Workflow.Limits.Seconds, longest)
	}
}

// Every command line of the workflow is one of this program, every step that is
// named is there, and every template names what a step before it gives.
func TestConductorStepsFit(t *testing.T) {
	t.Parallel()
	c := conductor(t)
	gives := map[string][]string{}
	for _, a := range c.Agents {
		gives[a.Name] = []string{"stdout", "stderr", "exit_code", "selected"}
		for key := range a.Output {
			gives[a.Name] = append(gives[a.Name], key)
		}
		for _, o := range a.Options {
			gives[a.Name] = append(gives[a.Name], o.PromptFor)
		}
	}
	there := func(step string) bool { _, ok := gives[step]; return ok || step == "$end" }
	if !there(c.Workflow.EntryPoint) {
		t.Errorf("the entry point %q is not there", c.Workflow.EntryPoint)
	}
	named := regexp.MustCompile(`([a-z_]+)\.output\.([a-z_]+)|workflow\.input\.([a-z_]+)|\boutput\.([a-z_]+)`)
	for _, a := range c.Agents {
		var texts []string
		texts = append(append(texts, a.Args...), a.Prompt)
		for _, r := range a.Routes {
			texts = append(texts, r.When)
			if !there(r.To) {
				t.Errorf("%s leads to %q, which is not there", a.Name, r.To)
			}
		}
		for _, o := range a.Options {
			if !there(o.Route) {
				t.Errorf("%s leads to %q, which is not there", a.Name, o.Route)
			}
		}
		for _, text := range texts {
			for _, m := range named.FindAllStringSubmatch(text, -1) {
				step, key := m[1], m[2]
				if m[4] != "" {
					step, key = a.Name, m[4]
				}
				if m[3] != "" && !c.Workflow.Input[m[3]].Required || m[3] == "" && !slices.Contains(gives[step], key) {
					t.Errorf("%s names %s, which nobody gives", a.Name, m[0])
				}
			}
		}
		if a.Type != "script" {
			continue
		}
		if a.Command != "warden" {
			t.Fatalf("%s starts %s", a.Name, a.Command)
		}
		cmd, rest, err := (&app{}).root().Find(a.Args)
		if err != nil {
			t.Fatalf("%s: %v", a.Name, err)
		}
		if err := cmd.ParseFlags(rest); err != nil {
			t.Errorf("%s: %v", a.Name, err)
		}
		if cmd.Args != nil {
			if err := cmd.Args(cmd, cmd.Flags().Args()); err != nil {
				t.Errorf("%s: %v", a.Name, err)
			}
		}
	}
}

// HG-02: automation that takes the first answer refuses. The answers of each gate
// are those of its kind, and each is recorded with the token of what was shown.
func TestConductorGatesRefuseFirst(t *testing.T) {
	t.Parallel()
	c := conductor(t)
	gates := map[string]decision.Kind{"candidate": decision.Success, "failure": decision.Failure, "substitute": decision.Failover, "edit": decision.ContractChange}
	args := map[string]string{}
	for _, a := range c.Agents {
		args[a.Name] = strings.Join(a.Args, "\n")
	}
	seen := 0
	for _, a := range c.Agents {
		if a.Type != "human_gate" {
			continue
		}
		seen++
		kind, known := gates[a.Name]
		var values []string
		for _, o := range a.Options {
			values = append(values, o.Value)
			if line := args[o.Route]; !strings.Contains(line, "--decision="+o.Value) || !strings.Contains(line, "--expected-updated-at={{ question.output.decision.updated_at }}") || !strings.Contains(line, "--actor={{ workflow.input.actor }}") {
				t.Errorf("the answer %s of %s leads to %q", o.Value, a.Name, line)
			}
		}
		if !known || len(values) < 2 || values[0] != kind.Refusal() {
			t.Errorf("HG-02: the gate %s offers %q, and %s refuses", a.Name, values, kind.Refusal())
		}
		if slices.ContainsFunc(values, func(v string) bool { return !slices.Contains(kind.Options(), v) }) {
			t.Errorf("the gate %s offers %q of %q", a.Name, values, kind.Options())
		}
	}
	if seen != len(gates) {
		t.Errorf("%d gates, want %d", seen, len(gates))
	}
}
