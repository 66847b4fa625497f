package draft

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/strict"
)

// TaskRequest asks for the contract of one goal.
type TaskRequest struct {
	ID       string // contract.TaskSlug(Goal) when ""
	Goal     string
	NonGoals []string // one general sentence when empty
	Scope    string   // name of a scope of the project
	Risk     string
	// Browser says that browser stages can run here. Without it no draft asks
	// for one.
	Browser bool
}

// Task is a drafted contract.
type Task struct {
	ID    string
	File  string // relative to the project's root
	YAML  []byte
	Notes []string // what was left out, and why
}

// Draft writes the contract of a goal for a project whose files are in repo. It
// draws on the goal and on what the repository shows, and on nothing else.
func Draft(req TaskRequest, project contract.Project, repo fs.FS) (Task, error) {
	if req.ID == "" {
		req.ID = contract.TaskSlug(req.Goal)
	}
	if len(req.NonGoals) == 0 {
		req.NonGoals = []string{"Anything that the goal does not ask for."}
	}
	if len(project.Defaults.Checks) > 0 && !checkable(project) {
		return Task{}, strict.Faults{{File: projectFile, Line: 1, Key: "checks." + project.Defaults.Checks, Message: "nothing would be checked: the project has no command yet",
			Hint: "add one that tells whether the work is done, commit the file, and start again"}}
	}
	v := look(req, project, repo)
	_, text, err := contract.Synthesize(req.ID, req.Goal, contract.IssueBlock{
		Scope: []string{req.Scope}, Risk: req.Risk, NonGoals: req.NonGoals, Scenarios: v.scenarios,
	}, project)
	if err != nil {
		return Task{}, fmt.Errorf("draft task %q: %w", req.ID, err)
	}
	t, err := assemble(req.ID, req.Goal, text, v.notes, project)
	t.Notes = v.notes
	return t, err
}

// assemble puts comments behind the text of a task and reads it back: what is
// written is what was meant, the goal byte for byte.
func assemble(id, goal string, text []byte, notes []string, project contract.Project) (Task, error) {
	t := Task{ID: id, File: ".warden/tasks/" + id + ".yaml", YAML: append([]byte(schemaLine("task")), text...)}
	for _, note := range notes {
		t.YAML = append(t.YAML, "# "+plain.Line(note, maxNote)+"\n"...)
	}
	read, err := contract.ParseTask(t.File, t.YAML, project)
	if err != nil {
		return Task{}, fmt.Errorf("read back task %q: %w", id, err)
	}
	if read.Goal != goal {
		return Task{}, fmt.Errorf("read back task %q: the goal is not the one that was given", id)
	}
	return t, nil
}

// maxNote bounds one comment of a drafted task, in characters.
const maxNote = 600

// checkable reports whether a task that names no check has one.
func checkable(p contract.Project) bool {
	commands, _ := p.CheckSet(p.Defaults.Checks)
	return len(commands) > 0 || p.Defaults.BaselineChecks != ""
}

// ConflictError says that the task exists and is not the one asked for.
type ConflictError struct {
	File    string
	Differs []string
}

// Error implements error.
func (e *ConflictError) Error() string {
	return fmt.Sprintf("write %s: it exists and differs in %s; choose another task id, or run the task that is there", e.File, strings.Join(e.Differs, ", "))
}

// Write puts the draft under root. A file that is there stays as it is: existed
// is true when it has the same id, goal, scope and risk, and the error is a
// *ConflictError when it has not.
func Write(root string, t Task, project contract.Project) (existed bool, err error) {
	dir, err := os.OpenRoot(root)
	if err != nil {
		return false, fmt.Errorf("write %s: %w", t.File, err)
	}
	defer dir.Close()
	err = create(dir, t.File, t.YAML)
	if !errors.Is(err, ErrExists) {
		return false, err
	}
	warden, err := fs.Sub(dir.FS(), ".warden")
	if err != nil {
		return false, fmt.Errorf("write %s: %w", t.File, err)
	}
	return Exists(warden, t, project)
}

// Exists says whether the contract in warden has the drafted task already. One
// that has its name and says something else is a *ConflictError.
func Exists(warden fs.FS, t Task, project contract.Project) (bool, error) {
	if _, err := fs.Stat(warden, strings.TrimPrefix(t.File, ".warden/")); errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	there, err := contract.LoadTask(warden, t.ID, project)
	if err != nil {
		return false, fmt.Errorf("write %s: it exists and does not load: %w", t.File, err)
	}
	asked, err := contract.ParseTask(t.File, t.YAML, project)
	if err != nil {
		return false, fmt.Errorf("write %s: %w", t.File, err)
	}
	var differs []string
	for _, f := range []struct {
		name string
		same bool
	}{
		{"id", there.ID == asked.ID}, {"goal", there.Goal == asked.Goal},
		{"scope", slices.Equal(there.Scope, asked.Scope)}, {"risk", there.Risk == asked.Risk},
	} {
		if !f.same {
			differs = append(differs, f.name)
		}
	}
	if len(differs) > 0 {
		return false, &ConflictError{File: t.File, Differs: differs}
	}
	return true, nil
}
