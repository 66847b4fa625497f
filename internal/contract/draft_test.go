package contract

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSynthesizeReadsBack(t *testing.T) {
	t.Parallel()
	p := project(t, richProject+"forge: {scope: code}\n")
	goals := map[string]string{
		"CF-16_paragraphs":   "First line.\n\nSecond paragraph with \"quotes\" and C:\\path\\n.\r\n\tTabbed 'single'.\n",
		"CF-16_yaml_look":    "- a: &b *c !d\n---\n# x: {y}\n<<: {}",
		"CF-16_separators":   "a\u0085b\u2028c\u2029d\ufeff\x01\x7f",
		"CF-16_long":         strings.Repeat("Сделай \"это\"\\\n", 5000),
		"EN-01_russian":      "Добавь кнопку «Сохранить» на страницу",
		"EN-01_other":        "修复登录页面 🙂 été ​",
		"spaces_at_the_ends": "  goal \n",
	}
	for name, goal := range goals {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := IssueBlock{Present: true, Risk: "high", Checks: []string{"health"}, NonGoals: []string{"no \"n\" \\ ю"}, Scenarios: []string{"no-console-errors"}}
			task, text, err := Synthesize("t1", goal, b, p)
			if err != nil {
				t.Fatal(err)
			}
			if task.Goal != goal {
				t.Errorf("goal %.60q, want %.60q", task.Goal, goal)
			}
			again, err := ParseTask("t", text, p)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(task, again); diff != "" {
				t.Errorf("the draft reads back otherwise (-first +again):\n%s", diff)
			}
		})
	}
}

func TestSynthesizeInventsNothing(t *testing.T) {
	t.Parallel()
	p := project(t, richProject+"forge: {scope: docs}\ndefaults: {risk: low}\n")
	task, text, err := Synthesize("t1", "say \"hi\"", IssueBlock{}, p)
	if err != nil {
		t.Fatal(err)
	}
	want := "version: 1\nid: \"t1\"\ngoal: \"say \\\"hi\\\"\"\nrisk: \"low\"\nscope:\n  - \"docs\"\nauthority:\n  workspace_write: true\n  network: false\n"
	if diff := cmp.Diff(want, string(text)); diff != "" {
		t.Errorf("draft (-want +got):\n%s", diff)
	}
	if !cmp.Equal(task.Acceptance, []string{"go vet ./...", "go test ./..."}) || task.Visual.Required || task.NonGoals != nil {
		t.Errorf("the draft says more than the project: %+v", task)
	}
	_, _, err = Synthesize("t1", "x", IssueBlock{}, project(t, richProject))
	wantFaults(t, err, []string{"issue:1: scope: no scope is named, and the project has no default (name one of: code, docs, all)"})
	if _, _, err := Synthesize("t1", "x\xff", IssueBlock{}, p); err == nil {
		t.Error("a goal that is not UTF-8 is drafted")
	}
	for _, goal := range []string{"", " \n", "a\x00b"} {
		if _, _, err := Synthesize("t1", goal, IssueBlock{}, p); err == nil {
			t.Errorf("the goal %q is drafted", goal)
		}
	}
	if _, _, err := Synthesize("../x", "goal", IssueBlock{}, p); err == nil {
		t.Error("an id that is no slug is drafted")
	}
}

func TestTaskSlug(t *testing.T) {
	t.Parallel()
	legal := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)
	for name, tt := range map[string]struct{ goal, want string }{
		"EN-03_cyrillic":      {"Почини кнопку", "task-45e3c9a0"},
		"EN-03_marks":         {"!!!", "task-"},
		"EN-03_long":          {strings.Repeat("word ", 60), "word-word-word-word-word-word-word-word"},
		"EN-03_upper":         {"Fix The  Login_Page.Now", "fix-the-login-page-now"},
		"EN-03_mixed":         {"Почини login кнопку", "login"},
		"EN-03_edges":         {"--..Fix it!--", "fix-it"},
		"EN-03_cut_at_dash":   {strings.Repeat("a", 39) + " b", strings.Repeat("a", 39)},
		"EN-03_lines":         {"fix\nthe\tbug", "fix-the-bug"},
		"EN-03_empty":         {"", "task-"},
		"EN-03_path":          {"../../etc/passwd", "etcpasswd"},
		"EN-03_option":        {"--force", "force"},
		"EN-03_lock":          {"a.lock", "a-lock"},
		"EN-03_invalid_bytes": {"\xff\xfe", "task-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := TaskSlug(tt.goal)
			if !legal.MatchString(got) || !slugForm().MatchString(got) || strings.HasSuffix(got, "-") {
				t.Errorf("TaskSlug(%q) = %q is not legal", tt.goal, got)
			}
			if strings.HasPrefix(tt.want, "task-") != strings.HasPrefix(got, "task-") || !strings.HasPrefix(tt.want, "task-") && got != tt.want {
				t.Errorf("TaskSlug(%q) = %q, want %q", tt.goal, got, tt.want)
			}
			if again := TaskSlug(tt.goal); again != got {
				t.Errorf("TaskSlug(%q) = %q and then %q", tt.goal, got, again)
			}
			if out, err := exec.CommandContext(t.Context(), "git", "check-ref-format", "--branch", "warden/issue-1-"+got).CombinedOutput(); err != nil {
				t.Errorf("git refuses the branch of %q: %s", got, out)
			}
		})
	}
	if TaskSlug("Почини кнопку") == TaskSlug("Почини окно") {
		t.Error("two goals without a Latin letter have one name")
	}
}
