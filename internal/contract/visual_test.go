package contract

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tolboy/warden/internal/scenario"
)

// looking is a task that requires what the text says of visual_qa.
func looking(t *testing.T, visual string) (Task, error) {
	t.Helper()
	files := fstest.MapFS{"tasks/t1.yaml": {Data: []byte(minimalTask + "visual_qa:\n  required: true\n" + visual)}}
	return LoadTask(files, "t1", project(t, richProject))
}

func TestScenarioFaults(t *testing.T) {
	t.Parallel()
	const file = ".warden/tasks/t1.yaml:"
	tests := []struct {
		name, visual string
		want         []string
	}{
		{"BR-04_only_a_pause", "  scenarios:\n    - no-console-errors\n    - \"1280x720: wait 8\"\n", []string{
			file + `9: visual_qa.scenarios[2]: scenario "1280x720: wait 8": the scenario only waits, and a pause proves nothing (say what must then be seen: wait 8 -> testid=panel visible)`}},
		{"BR-06_last_word_is_the_assertion", "  scenarios: [wait-for=css=.hearth visible]\n", nil},
		{"BR-07_wait_for_click", "  scenarios: [testid=a click -> wait-for=css=.hearth click]\n", []string{
			file + `7: visual_qa.scenarios[1]: scenario "testid=a click -> wait-for=css=.hearth click": step 2, column 40: a wait-for cannot end in "click" (it waits until the element is visible; make click the next step: wait-for=… -> css=… click)`}},
		{"BR-11_text_alone", "  scenarios: [text=Save visible]\n", []string{
			file + `7: visual_qa.scenarios[1]: scenario "text=Save visible": every element of the scenario is named by its text, which is free to change later (name one by testid=, role= or css=: testid=save click -> text=Saved visible)`}},
		{"BR-11_control", "  scenarios: [testid=save click -> text=Saved visible, no-console-errors]\n", nil},
		{"prose_for_an_agent", "  evidence: agent\n  scenarios: [The dialog looks right on a telephone.]\n", nil},
		{"prose_for_the_harness", "  scenarios: [The dialog looks right on a telephone.]\n", []string{
			file + `7: visual_qa.scenarios[1]: scenario "The dialog looks right on a telephone.": every element of the scenario is named by its text, which is free to change later (name one by testid=, role= or css=: testid=save click -> text=Saved visible)`}},
		{"several", "  scenarios: [\"0x8: testid=a -> wait 0\"]\n", []string{
			file + `7: visual_qa.scenarios[1]: scenario "0x8: testid=a -> wait 0": column 1: a viewport of width "0" cannot be pictured (8 to 8192)`,
			file + `7: visual_qa.scenarios[1]: scenario "0x8: testid=a -> wait 0": step 2, column 18: a wait of "0" is not one of more than 0 and at most 120 seconds (write wait 5; if it is a text of the page, write text="wait …")`}},
		{"too_many", "  scenarios: [" + strings.Repeat("no-console-errors, ", MaxScenarios+1) + "]\n", []string{
			file + `7: visual_qa.scenarios[501]: the task has 501 scenarios, the limit is 500 (make two tasks of it)`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			// The reader takes all of them: what was accepted once can be landed.
			task, err := looking(t, tt.visual)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := task.ScenarioFaults().Err(); err != nil {
				got = err.Error()
			}
			if want := strings.Join(tt.want, "\n"); got != want {
				t.Errorf("faults:\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestVisualKeys(t *testing.T) {
	t.Parallel()
	const some = "  scenarios: [no-console-errors]\n"
	tests := []struct{ name, visual, want string }{
		{"no_scenario", "", "visual_qa is required, and there is no scenario"},
		{"no_scenario_for_an_agent", "  evidence: agent\n", ""},
		{"evidence_of_another", some + "  evidence: human\n", `unknown word "human"`},
		{"baseline", some + "  baseline: true\n  baseline_ignore: [.clock, \"[data-now]\"]\n  baseline_tolerance: 0.1\n", ""},
		{"baseline_of_an_agent", some + "  evidence: agent\n  baseline: true\n", "only those of the browser harness are compared"},
		{"ignore_without_baseline", some + "  baseline_ignore: [.clock]\n", "nothing is compared, so nothing can be left out"},
		{"tolerance_without_baseline", some + "  baseline_tolerance: 1\n", "nothing is compared, so nothing can differ"},
		{"tolerance_beyond", some + "  baseline: true\n  baseline_tolerance: 100.1\n", "100.1 is out of range"},
		{"ignore_no_selector", some + "  baseline: true\n  baseline_ignore: [\".a{\"]\n", `no selector holds "{" outside brackets`},
		{"ignore_two_lines", some + "  baseline: true\n  baseline_ignore: [\"a\\nb\"]\n", "more than one line"},
		{"ready", some + "  ready_seconds: 300\n", ""},
		{"ready_at_once", some + "  ready_seconds: 0\n", "0 is out of range"},
		{"ready_beyond", some + "  ready_seconds: 301\n", "301 is out of range"},
		{"origins", some + "  origins: [\"https://fonts.example\", \"http://127.0.0.1:9/\"]\n", ""},
		{"origin_with_a_path", some + "  origins: [\"https://fonts.example/css\"]\n", "not an origin"},
		{"origin_of_a_file", some + "  origins: [\"file:///etc/passwd\"]\n", "not an origin"},
		{"ignore_too_many", some + "  baseline: true\n  baseline_ignore: [" + strings.Repeat(".a, ", MaxIgnored+1) + "]\n", "the list has 21 entries, the limit is 20"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := looking(t, tt.visual)
			switch {
			case tt.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)):
				t.Errorf("error %v, want %q in it", err, tt.want)
			}
		})
	}
}

// What a task is judged by covers who takes the pictures and what they are compared
// with; a task that says nothing of it is judged by what it always was.
func TestVisualIsJudgedBy(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, visual := range []string{"", "  evidence: agent\n", "  baseline: true\n", "  baseline: true\n  baseline_ignore: [.a]\n", "  baseline: true\n  baseline_tolerance: 1\n", "  ready_seconds: 1\n"} {
		task, err := looking(t, "  scenarios: [no-console-errors]\n"+visual)
		if err != nil {
			t.Fatal(err)
		}
		sum := AcceptanceSHA256(Snapshot{}, "tasks/t1.yaml", task)
		if before, same := seen[sum]; same {
			t.Errorf("%q and %q are judged by the same", before, visual)
		}
		seen[sum] = visual
	}
	plain, err := looking(t, "  scenarios: [no-console-errors]\n")
	if err != nil {
		t.Fatal(err)
	}
	said, err := looking(t, "  evidence: harness\n  scenarios: [no-console-errors]\n")
	if err != nil {
		t.Fatal(err)
	}
	if AcceptanceSHA256(Snapshot{}, "t", plain) != AcceptanceSHA256(Snapshot{}, "t", said) || !said.Visual.Harness() {
		t.Error("to say the default changes what a task is judged by")
	}
}

func TestBaselineFile(t *testing.T) {
	t.Parallel()
	s, faults := scenario.Read("testid=save click")
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	file := func(url string) string { return Visual{URL: url}.BaselineFile(s, 1) }
	if !strings.HasPrefix(file(""), "baselines/1280x720-testid-save-click-") {
		t.Errorf("file %q", file(""))
	}
	for _, same := range []string{DefaultURL, "http://127.0.0.1:5173", "https://shop.test/"} {
		if file(same) != file("") {
			t.Errorf("%s gives another file than the same address of another origin", same)
		}
	}
	if file("http://127.0.0.1:4173/?lab") == file("") || file("http://127.0.0.1:4173/#a") == file("") {
		t.Error("another address gives the same file")
	}
}
