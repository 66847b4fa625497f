package draft

import (
	"io/fs"
	"regexp"
	"strings"

	"github.com/tolboy/warden/internal/contract"
)

// visual is the browser part of a draft. No scenario means that none is asked for.
type visual struct {
	scenarios []string
	notes     []string
}

// look decides whether a task is about something to be seen. A page that neither the
// project nor the repository can serve is not looked at, whatever words the goal uses.
func look(req TaskRequest, project contract.Project, repo fs.FS) visual {
	seen := aboutScreen(req.Goal)
	commands, _ := project.CheckSet(project.Defaults.Checks)
	served := project.Preview.Start
	if found, ok := DetectPreview(repo); served == "" && ok {
		served = found.Start
	}
	switch {
	case !seen && len(commands) > 0:
		return visual{}
	case !req.Browser:
		return visual{notes: []string{"No browser stage can run here, so no scenario was drafted."}}
	case served == "":
		return visual{notes: []string{"The repository serves no page that a browser could open, so no scenario was drafted."}}
	}
	v := visual{notes: []string{"Served by: " + served}}
	label := control(req.Goal)
	id := contract.TaskSlug(label)
	if label == "" || strings.HasPrefix(id, "task-") || !latin(label) {
		v.scenarios = []string{"1280x720: no-console-errors", "700x400: no-console-errors"}
		v.notes = append(v.notes, "The goal names no control by a name that a page could carry.",
			"Say here what must be seen, for example: 1280x720: testid=<name> visible")
		return v
	}
	v.scenarios = []string{"1280x720: testid=" + id + " visible", "700x400: testid=" + id + " visible"}
	return v
}

// aboutScreen looks for words of the screen, in English by the word and in
// Russian by the stem.
func aboutScreen(goal string) bool {
	return regexp.MustCompile(`(?i)\b(buttons?|visible|clicks?|clickable|viewports?|layouts?|hud|css|screens?|ui|modals?|dialogs?|responsive|mobile|landscape|portrait)\b`).MatchString(goal) ||
		regexp.MustCompile(`(?i)(^|[^\p{L}])(кнопк|экран|верстк|вёрстк|видим|видн|клик|макет|интерфейс|адаптив|мобильн|модальн|диалог)`).MatchString(goal)
}

// control returns the name of the control that a goal is about, or "": a
// capitalised word before "button", else what is quoted.
func control(goal string) string {
	if m := regexp.MustCompile(`\b([A-Z][A-Za-z0-9]*)\s+button\b`).FindStringSubmatch(goal); m != nil {
		return m[1]
	}
	if m := regexp.MustCompile(`["“«']([^"”»']{1,40})["”»']`).FindStringSubmatch(goal); m != nil {
		return m[1]
	}
	return ""
}

func latin(label string) bool {
	for _, r := range label {
		if r > 127 {
			return false
		}
	}
	return true
}
