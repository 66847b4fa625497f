package contract

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const fence = "```"

func TestParseIssueBlock(t *testing.T) {
	t.Parallel()
	inner := "scope: code\nrisk: high\nchecks: [fast, health]\nscenarios: [\"1280x720: testid=go visible\"]\nnon_goals:\n  - no rewrite\n"
	full := IssueBlock{Present: true, Scope: []string{"code"}, Risk: "high", Checks: []string{"fast", "health"},
		Scenarios: []string{"1280x720: testid=go visible"}, NonGoals: []string{"no rewrite"}}
	tests := []struct {
		name, body string
		want       IssueBlock
	}{
		{"none", "Please fix.\n", IssueBlock{}},
		{"full", "Please fix.\n\n" + fence + "warden\n" + inner + fence + "\nThanks\n", full},
		{"windows_line_ends", strings.ReplaceAll("Hi\n"+fence+"warden\n"+inner+fence+"\n", "\n", "\r\n"), full},
		{"tildes", "~~~ Warden\n" + inner + "~~~", full},
		{"longer_fence", "````warden\n" + inner + "````\n", full},
		{"indented", "  " + fence + "warden\n" + inner + "   " + fence + "\n", full},
		{"more_words", fence + "warden title=x\n" + inner + fence, full},
		{"empty", fence + "warden\n" + fence, IssueBlock{Present: true}},
		{"quoted_is_not_ours", "> " + fence + "warden\n> scope: code\n> " + fence + "\n", IssueBlock{}},
		{"inside_another_fence", "````md\n" + fence + "warden\nscope: code\n" + fence + "\n````\n", IssueBlock{}},
		{"shorter_fence_does_not_close", "````md\n" + fence + "\n" + fence + "warden\nscope: code\n" + fence + "\n````\n", IssueBlock{}},
		{"inside_a_comment", "<!--\n" + fence + "warden\nscope: code\n" + fence + "\n-->\n", IssueBlock{}},
		{"after_a_comment", "<!-- fill in -->\n" + fence + "warden\n" + inner + fence + "\n", full},
		{"indented_code", "    " + fence + "warden\n    scope: code\n", IssueBlock{}},
		{"other_language", fence + "wardens\nscope: code\n" + fence, IssueBlock{}},
		{"inline_code", fence + "warden" + fence + " is a tool\n", IssueBlock{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, faults := ParseIssueBlock(tt.body)
			if faults != nil {
				t.Fatal(faults)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.IgnoreUnexported(IssueBlock{})); diff != "" {
				t.Errorf("block (-want +got):\n%s", diff)
			}
		})
	}
}

func TestIssueBlockFaults(t *testing.T) {
	t.Parallel()
	block := func(s string) string { return "Title\n\n" + fence + "warden\n" + s + fence + "\n" }
	tests := []struct {
		name, body string
		want       []string
	}{
		{"not_closed", "x\n" + fence + "warden\nscope: code\n", []string{"issue:2: the warden block does not end (close it with the fence it began with)"}},
		{"two", block("scope: code\n") + block("scope: docs\n"), []string{"issue:8: a second warden block begins here (keep one)"}},
		{"syntax", block("scope: [code\n"), []string{"issue:4: this is not YAML: did not find expected ',' or ']' (look at the indentation, the quotes and the colon of this line and the one before)"}},
		{"command_key", block("acceptance: [rm -rf /]\n"), []string{`issue:4: acceptance: unknown key "acceptance" (an issue names declared sets of checks; a command is declared in .warden/project.yaml)`}},
		{"authority", block("authority: {network: true}\nbudgets: {}\ngoal: x\n"), []string{
			`issue:4: authority: unknown key "authority" (an issue cannot widen what the work may do)`,
			`issue:5: budgets: unknown key "budgets" (an issue cannot set what the work may spend)`,
			`issue:6: goal: unknown key "goal" (the goal is the title and the text of the issue)`}},
		{"typo", block("scoop: code\n"), []string{`issue:4: scoop: unknown key "scoop" (did you mean "scope"?)`}},
		{"risk", block("\n\nrisk: extreme\n"), []string{`issue:6: risk: unknown word "extreme" (allowed: low, medium, high)`}},
		{"anchor", block("scope: &a code\nchecks: *a\n"), []string{
			`issue:4: scope: anchors (&name) are not allowed (write the value out where it is used)`,
			`issue:5: checks: aliases (*name) are not allowed (write the value out)`}},
		{"repository_word", block("scope: <repository>\n"), []string{`issue:4: scope: <repository> is a reserved word (give the set another name)`}},
		{"long_scenario", block("scenarios: [" + strings.Repeat("x", 501) + "]\n"), []string{`issue:4: scenarios[1]: the text has 501 characters, the limit is 500`}},
		{"BR-11_scenario", block("risk: low\nscenarios:\n  - no-console-errors\n  - text=Save visible\n  - tesid=save\n"), []string{
			`issue:7: scenarios[2]: scenario "text=Save visible": every element of the scenario is named by its text, which is free to change later (name one by testid=, role= or css=: testid=save click -> text=Saved visible)`,
			`issue:8: scenarios[3]: scenario "tesid=save": step 1, column 1: nothing is written "tesid=" (did you mean testid=?; quote a text that holds an equals sign: text="a=b")`}},
		{"many", block("non_goals:\n" + strings.Repeat("- x\n", 21)), []string{`issue:4: non_goals: the list has 21 entries, the limit is 20`}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b, faults := ParseIssueBlock(tt.body)
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), faults.Error()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
			if !cmp.Equal(b, IssueBlock{Present: true}, cmpopts.IgnoreUnexported(IssueBlock{})) {
				t.Errorf("a faulty block still says something: %+v", b)
			}
		})
	}
}

func TestIssueBlockNamesOnlyWhatIsDeclared(t *testing.T) {
	t.Parallel()
	b, faults := ParseIssueBlock("\n" + fence + "warden\nscope: [code, cdoe]\nchecks: [fast, ./evil.sh]\n" + fence)
	if faults != nil {
		t.Fatal(faults)
	}
	_, _, err := Synthesize("t1", "goal", b, project(t, richProject))
	wantFaults(t, err, []string{
		`issue:3: scope: the project declares no scope named "cdoe" (did you mean "code"?)`,
		`issue:4: checks: the project declares no set of checks named "./evil.sh" (allowed: fast, health, none)`})
}

func TestIssueGoal(t *testing.T) {
	t.Parallel()
	block := fence + "warden\nscope: code\n" + fence + "\n"
	for _, tt := range []struct{ title, body, want string }{
		{"Fix it", "", "Fix it"},
		{"Fix it", " \n", "Fix it"},
		{"Fix it", "because\r\nit \"broke\"\r\n", "Fix it\n\nbecause\r\nit \"broke\"\r\n"},
		{"Fix it", "before\n" + block + "after\n", "Fix it\n\nbefore\nafter\n"},
		{"Fix it", block, "Fix it"},
		{"", "only text", "only text"},
		{"Fix it", "> " + fence + "warden\n", "Fix it\n\n> " + fence + "warden\n"},
	} {
		if got := IssueGoal(tt.title, tt.body); got != tt.want {
			t.Errorf("IssueGoal(%q, %q) = %q, want %q", tt.title, tt.body, got, tt.want)
		}
	}
}
