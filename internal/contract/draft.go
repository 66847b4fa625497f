package contract

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/strict"
)

// Synthesize drafts a task from a goal and the names an issue gave. It invents
// no check and no scenario: what the block leaves out comes from the project.
// The returned text is the task as a file; reading it back gives the same task,
// the goal byte for byte. Faults of the names come as strict.Faults.
func Synthesize(id, goal string, b IssueBlock, p Project) (Task, []byte, error) {
	if !utf8.ValidString(goal) {
		return Task{}, nil, fmt.Errorf("draft task %q: the goal is not UTF-8", id)
	}
	faults := b.Check(p)
	scope := b.Scope
	if len(scope) == 0 {
		if name := p.DefaultScope(); name != "" {
			scope = []string{name}
		} else {
			faults = append(faults, strict.Fault{File: issueFile, Line: 1, Key: "scope", Message: "no scope is named, and the project has no default",
				Hint: "name one of: " + strings.Join(p.scopeNames(), ", ")})
		}
	}
	if err := faults.Err(); err != nil {
		return Task{}, nil, err
	}
	risk := b.Risk
	if risk == "" {
		risk = p.Defaults.Risk
	}
	var y strings.Builder
	fmt.Fprintf(&y, "version: 1\nid: %s\ngoal: %s\n", strict.Quote(id), strict.Quote(goal))
	writeList(&y, "", "non_goals", b.NonGoals)
	fmt.Fprintf(&y, "risk: %s\n", strict.Quote(risk))
	writeList(&y, "", "scope", scope)
	writeList(&y, "", "checks", b.Checks)
	y.WriteString("authority:\n  workspace_write: true\n  network: false\n")
	if len(b.Scenarios) > 0 {
		y.WriteString("visual_qa:\n  required: true\n")
		writeList(&y, "  ", "scenarios", b.Scenarios)
	}
	text := []byte(y.String())
	t, err := ParseTask("task drafted as "+id, text, p)
	if err != nil {
		return Task{}, nil, err
	}
	if t.Goal != goal {
		return Task{}, nil, fmt.Errorf("draft task %q: the goal does not read back as it was written", id)
	}
	return t, text, nil
}

func writeList(y *strings.Builder, indent, key string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(y, "%s%s:\n", indent, key)
	for _, item := range items {
		fmt.Fprintf(y, "%s  - %s\n", indent, strict.Quote(item))
	}
}

// CheckTaskID says why a word cannot be the id of a task, in the words of a contract's
// fault.
func CheckTaskID(id string) error {
	if slugForm().MatchString(id) {
		return nil
	}
	return fmt.Errorf("%.100q: not a task id (%s)", id, slugHint)
}

// TaskSlug makes a task id of a goal: legal in a file name and in a branch,
// the same for the same goal, and never empty. Letters other than a to z and
// digits are dropped; a goal that leaves nothing is named by its digest.
func TaskSlug(goal string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(goal) {
		switch {
		case r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			b.WriteRune(r)
		case strings.ContainsRune(" \t\r\n-_.", r) && b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > 40 {
			break
		}
	}
	s := b.String()
	s = strings.Trim(s[:min(len(s), 40)], "-")
	if s == "" {
		sum := sha256.Sum256([]byte(goal))
		return "task-" + hex.EncodeToString(sum[:6])
	}
	return s
}
