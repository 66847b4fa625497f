package draft_test

import (
	"errors"
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
)

const projectText = "version: 1\nproject: p\nchecks:\n  fast: [\"go test ./...\"]\nscopes:\n  code: [src]\n  other: [docs]\n"

func project(t testing.TB, text string) contract.Project {
	t.Helper()
	p, err := contract.ParseProject("project.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var page = files("package.json", `{"scripts":{"preview":"vite preview"}}`)

func request(goal string) draft.TaskRequest {
	return draft.TaskRequest{Goal: goal, Scope: "code", Risk: "low", Browser: true}
}

func TestDraft(t *testing.T) {
	t.Parallel()
	p := project(t, projectText)
	for name, goal := range map[string]string{
		"CF-16_paragraphs, quotes, backslashes, Cyrillic": "Сделай \"кавычки\" и \\слэши\\n.\n\n\tВторой абзац: 'да' # не комментарий\r\n- [x] {y}: &a *b !c %d @e `f`\n",
		"EN-01_Russian":         "Почини разбор дат в отчёте",
		"document marks":        "---\n...\n---",
		"odd characters":        "ab\x07\x1b[31m\u0085\u2028\ufeff\u202e\U0001f600\U000e0041",
		"surrounding space":     "  spaces kept \n\n",
		"looks like a value":    "null",
		"looks like a number":   "123",
		"only question marks":   "??",
		"workflow and template": "${{ github.token }} {{prompt}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task, err := draft.Draft(request(goal), p, files())
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := contract.ParseTask("tasks/"+task.ID+".yaml", task.YAML, p)
			if err != nil {
				t.Fatal(err)
			}
			if loaded.Goal != goal {
				t.Errorf("goal reads back as %q, want %q", loaded.Goal, goal)
			}
			if loaded.Visual.Required || loaded.Authority != (contract.Authority{WorkspaceWrite: true}) {
				t.Errorf("draft gives visual %+v and authority %+v", loaded.Visual, loaded.Authority)
			}
			if !slices.Equal(loaded.Acceptance, []string{"go test ./..."}) {
				t.Errorf("draft invents the checks %q", loaded.Acceptance)
			}
		})
	}
	t.Run("bytes that are no text", func(t *testing.T) {
		t.Parallel()
		if _, err := draft.Draft(request("a\xffb"), p, files()); err == nil {
			t.Error("drafted")
		}
	})
	t.Run("an unknown scope", func(t *testing.T) {
		t.Parallel()
		r := request("g")
		r.Scope = "cod"
		if _, err := draft.Draft(r, p, files()); err == nil || !strings.Contains(err.Error(), "code") {
			t.Errorf("error %v, want one that names the declared scope", err)
		}
	})
}

func TestDraftVisual(t *testing.T) {
	t.Parallel()
	p := project(t, projectText)
	python := files("check.py", "", "docs/a.md", "")
	for name, c := range map[string]struct {
		goal      string
		repo      fs.FS
		noBrowser bool
		required  bool
		scenarios []string
		note      string
	}{
		"BR-13_no control named": {goal: "Fix the layout on the settings screen", repo: page, required: true,
			scenarios: []string{"1280x720: no-console-errors", "700x400: no-console-errors"}, note: "names no control"},
		"BR-15_Russian words with screen stems in a docs project": {goal: "Экранировать кавычки в диалогах документации", repo: python, note: "serves no page"},
		"BR-15_Russian goal about the screen in a web project": {goal: "Исправь макет: кнопка «Создать» не видна", repo: page, required: true,
			scenarios: []string{"1280x720: no-console-errors", "700x400: no-console-errors"}, note: "names no control"},
		"BR-15_substrings of other words": {goal: "Rebuild the guide suites that require displays", repo: page},
		"a named control": {goal: "Add a Settings button", repo: page, required: true,
			scenarios: []string{"1280x720: testid=settings visible", "700x400: testid=settings visible"}},
		"a quoted control": {goal: `The "Save draft" dialog stays open`, repo: page, required: true,
			scenarios: []string{"1280x720: testid=save-draft visible", "700x400: testid=save-draft visible"}},
		"BR-13_a name that is only partly Latin": {goal: "Почини диалог «Сохранить now»", repo: page, required: true,
			scenarios: []string{"1280x720: no-console-errors", "700x400: no-console-errors"}, note: "names no control"},
		"no browser here": {goal: "Add a Settings button", repo: page, noBrowser: true, note: "No browser stage"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := request(c.goal)
			r.Browser = !c.noBrowser
			task, err := draft.Draft(r, p, c.repo)
			if err != nil {
				t.Fatal(err)
			}
			loaded, err := contract.ParseTask("tasks/t.yaml", task.YAML, p)
			if err != nil {
				t.Fatal(err)
			}
			if loaded.Visual.Required != c.required || !slices.Equal(loaded.Visual.Scenarios, c.scenarios) {
				t.Errorf("visual is %+v, want required %v with %q", loaded.Visual, c.required, c.scenarios)
			}
			if err := loaded.ScenarioFaults().Err(); err != nil {
				t.Errorf("a scenario was drafted that cannot be run: %v", err)
			}
			notes := strings.Join(task.Notes, "\n")
			if c.note == "" && !c.required && notes != "" || !strings.Contains(notes, c.note) {
				t.Errorf("notes are %q, want %q in them", notes, c.note)
			}
			if c.note != "" && !strings.Contains(string(task.YAML), c.note) {
				t.Errorf("the file does not say %q:\n%s", c.note, task.YAML)
			}
		})
	}
}

func TestDraftOfAProjectWithAPreview(t *testing.T) {
	t.Parallel()
	p := project(t, projectText+"preview:\n  start: python3 serve.py\n  url: http://127.0.0.1:8000/\n")
	r := request("Add a Settings button")
	r.Browser = true
	task, err := draft.Draft(r, p, files("serve.py", ""))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(task.YAML); !strings.Contains(text, "testid=settings visible") || !strings.Contains(text, "# Served by: python3 serve.py") {
		t.Errorf("the page that the project serves is not looked at:\n%s", text)
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	p := project(t, projectText)
	mine := "version: 1\nid: t1\ngoal: \"the goal\"\nscope: code\nrisk: low\nvisual_qa:\n  required: true\n  scenarios: [\"1280x720: testid=mine visible\"]\n"
	for name, c := range map[string]struct {
		goal, scope, risk string
		differs           []string
	}{
		"PL-05_same goal keeps hand-written scenarios": {goal: "the goal", scope: "code", risk: "low"},
		"PL-05_another goal":                           {goal: "another", scope: "code", risk: "low", differs: []string{"goal"}},
		"another scope and risk":                       {goal: "the goal", scope: "other", risk: "high", differs: []string{"scope", "risk"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := tree(t, ".warden/project.yaml", projectText, ".warden/tasks/t1.yaml", mine)
			task, err := draft.Draft(draft.TaskRequest{ID: "t1", Goal: c.goal, Scope: c.scope, Risk: c.risk}, p, files())
			if err != nil {
				t.Fatal(err)
			}
			existed, err := draft.Write(dir, task, p)
			var conflict *draft.ConflictError
			if c.differs == nil && (err != nil || !existed) {
				t.Errorf("existed %v, error %v; want the file to be used", existed, err)
			}
			if c.differs != nil && (!errors.As(err, &conflict) || !slices.Equal(conflict.Differs, c.differs)) {
				t.Errorf("error %v, want a conflict in %v", err, c.differs)
			}
			if got := content(t, dir, ".warden/tasks/t1.yaml"); got != mine {
				t.Errorf("the file is now %q", got)
			}
		})
	}
	t.Run("a new file", func(t *testing.T) {
		t.Parallel()
		dir := tree(t, ".warden/project.yaml", projectText)
		task, err := draft.Draft(request("Do it"), p, files())
		if err != nil {
			t.Fatal(err)
		}
		if existed, err := draft.Write(dir, task, p); err != nil || existed {
			t.Fatalf("existed %v, error %v", existed, err)
		}
		if got := content(t, dir, ".warden/tasks/do-it.yaml"); got != string(task.YAML) {
			t.Errorf("the file is %q", got)
		}
	})
	t.Run("a file that does not load", func(t *testing.T) {
		t.Parallel()
		dir := tree(t, ".warden/project.yaml", projectText, ".warden/tasks/do-it.yaml", "x: [")
		task, err := draft.Draft(request("Do it"), p, files())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := draft.Write(dir, task, p); err == nil || !strings.Contains(err.Error(), "does not load") {
			t.Errorf("error %v", err)
		}
	})
}

func TestDraftNames(t *testing.T) {
	t.Parallel()
	p := project(t, projectText)
	legal := regexp.MustCompile(`^\.warden/tasks/[a-z0-9][a-z0-9._-]{0,79}\.yaml$`)
	for _, goal := range []string{"!!!", "Кириллица", "null", "UPPER case goal", strings.Repeat("ы", 300), strings.Repeat("long ", 60)} {
		task, err := draft.Draft(request(goal), p, files())
		if err != nil || !legal.MatchString(task.File) {
			t.Errorf("EN-03: goal %.20q is drafted into %q, %v", goal, task.File, err)
		}
	}
}

func TestCheckGoal(t *testing.T) {
	t.Parallel()
	for goal, fine := range map[string]bool{
		"Fix it":                         true,
		"Why does a ?? b return null??":  true,
		"Почини это??":                   true,
		"Is it ?? or ???":                true,
		"???????? ??? Settings":          false,
		"????":                           false,
		"EN-01 \xcf\xf0\xe8\xe2\xe5\xf2": false,
		"a \ufffd b":                     false,
		" \n":                            false,
		"a\x00b":                         false,
	} {
		if err := draft.CheckGoal(goal); (err == nil) != fine {
			t.Errorf("EN-01: CheckGoal(%q) = %v, want fine %v", goal, err, fine)
		}
	}
	if err := draft.CheckGoal("???? ???"); !errors.Is(err, draft.ErrMangled) || !strings.Contains(err.Error(), "--goal-file") {
		t.Errorf("EN-01: error %v does not name the channel that works", err)
	}
}

// FuzzDraft holds that a goal reads back byte for byte, and adds nothing.
func FuzzDraft(f *testing.F) {
	for _, goal := range []string{"Add a Save button", "a: b # c\n\"d\" \\ 'e'", "\u0085\u2028\ufeff\x7f", "- x\n---\n", "Кнопка «Да»"} {
		f.Add(goal)
	}
	p := project(f, projectText)
	f.Fuzz(func(t *testing.T, goal string) {
		task, err := draft.Draft(request(goal), p, page)
		if err != nil {
			if utf8.ValidString(goal) && strings.TrimSpace(goal) != "" && !strings.Contains(goal, "\x00") && len(goal) < 1000 {
				t.Fatalf("goal %q was refused: %v", goal, err)
			}
			return
		}
		loaded, err := contract.ParseTask("tasks/t.yaml", task.YAML, p)
		if err != nil {
			t.Fatal(err)
		}
		want := contract.Task{Goal: goal, Risk: "low", Scope: []string{"src"}, Acceptance: []string{"go test ./..."}, Authority: contract.Authority{WorkspaceWrite: true}}
		got := contract.Task{Goal: loaded.Goal, Risk: loaded.Risk, Scope: loaded.Scope, Acceptance: loaded.Acceptance, Authority: loaded.Authority}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("task of %q (-want +got):\n%s", goal, diff)
		}
	})
}
