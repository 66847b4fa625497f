package draft

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/strict"
)

// InitRequest asks for the first contract of a project.
type InitRequest struct {
	Root    string // directory of the project, absolute
	BaseRef string // "origin/main" when ""
	Name    string // the directory's name when ""
}

// Initialised is what was written.
type Initialised struct {
	OK            bool     `json:"ok"`
	DetectedBuild string   `json:"detected_build"`
	ProjectFile   string   `json:"project_file"`
	BaseRef       string   `json:"base_ref"`
	ExampleTask   string   `json:"example_task"`
	Checks        []string `json:"checks"`
	Next          string   `json:"next"`

	Project contract.Project `json:"-"`
}

// SchemaBase is where editors find the schemas of the files that we write.
const SchemaBase = "https://raw.githubusercontent.com/tolboy/warden/main/spec/schemas/"

// ErrExists says that a file is there already. Nothing is ever overwritten.
var ErrExists = errors.New("already there, and never overwritten")

const (
	projectFile = ".warden/project.yaml"
	exampleTask = ".warden/tasks/example.yaml"
	runsIgnore  = ".warden/runs/.gitignore"
	// ignoreRuns keeps transcripts and pictures out of git and evidence in sight.
	ignoreRuns = "*\n!*/\n!.gitignore\n!*.json\n!*.jsonl\n"
)

// Init writes .warden/project.yaml, an example task and the ignore rules of the
// runs, and loads what it wrote. An existing project.yaml is ErrExists; a build
// that is not recognised is *UnrecognisedError, and then nothing is written.
func Init(ctx context.Context, req InitRequest) (Initialised, error) {
	root, err := os.OpenRoot(req.Root)
	if err != nil {
		return Initialised{}, fmt.Errorf("initialise the project: %w", err)
	}
	defer root.Close()
	if _, err := root.Lstat(projectFile); err == nil {
		return Initialised{}, fmt.Errorf("initialise the project: %s: %w", projectFile, ErrExists)
	}
	build, err := Detect(root.FS())
	if err != nil {
		return Initialised{}, err
	}
	if req.BaseRef == "" {
		req.BaseRef = "origin/main"
	}
	if req.Name == "" {
		req.Name = filepath.Base(req.Root)
	}
	project := projectYAML(req, build)
	if _, err := contract.ParseProject(projectFile, project); err != nil {
		return Initialised{}, fmt.Errorf("initialise the project: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return Initialised{}, err
	}
	files := []struct {
		name string
		data []byte
		must bool
	}{{projectFile, project, true}, {exampleTask, exampleYAML(build), false}, {runsIgnore, []byte(ignoreRuns), false}}
	for _, f := range files {
		if err := directories(root, f.name); err != nil {
			return Initialised{}, fmt.Errorf("initialise the project: %w", err)
		}
	}
	for _, f := range files {
		if err := create(root, f.name, f.data); err != nil && (f.must || !errors.Is(err, ErrExists)) {
			return Initialised{}, fmt.Errorf("initialise the project: %w", err)
		}
	}
	loaded, err := load(root)
	if err != nil {
		return Initialised{}, fmt.Errorf("read back what was written: %w", err)
	}
	return Initialised{
		OK: true, DetectedBuild: build.Name, ProjectFile: projectFile, BaseRef: req.BaseRef, ExampleTask: exampleTask, Checks: build.Checks,
		Next: "review .warden/project.yaml, commit it, then: warden do --project . \"<goal>\"", Project: loaded,
	}, nil
}

func load(root *os.Root) (contract.Project, error) {
	dir, err := fs.Sub(root.FS(), ".warden")
	if err != nil {
		return contract.Project{}, err
	}
	p, err := contract.LoadProject(dir)
	if err != nil {
		return contract.Project{}, err
	}
	if commands, _ := p.CheckSet(p.Defaults.Checks); len(commands) == 0 {
		return p, nil // the example has no definition of done before the project has a command
	}
	_, err = contract.LoadTask(dir, "example", p)
	return p, err
}

func projectYAML(req InitRequest, build Build) []byte {
	var b strings.Builder
	b.WriteString(schemaLine("project"))
	fmt.Fprintf(&b, "version: 1\nproject: %s\nbase_ref: %s\n\n", strict.Quote(req.Name), strict.Quote(req.BaseRef))
	if len(build.Checks) == 0 {
		b.WriteString("checks:\n  fast: []   # no command yet: add one as soon as there is something to check\n")
	} else {
		b.WriteString("checks:\n  fast:\n" + list("    ", build.Checks))
	}
	b.WriteString("\n# The paths that a task may change.\nscopes:\n  code:\n" + list("    ", build.Scope))
	if len(build.Setup) > 0 {
		b.WriteString("\n# Run once in a fresh worktree, before anyone is called.\nsetup:\n" + list("  ", build.Setup))
	}
	b.WriteString("\ndefaults:\n  checks: fast\n")
	if len(build.Checks) > 0 {
		b.WriteString("  baseline_checks: fast   # must be green before an agent starts\n")
	}
	b.WriteString("  risk: medium\n  max_fix_attempts: 2\n  timeout_minutes: 30   # shared by all commands of one gate run\n")
	b.WriteString("\n# What `warden land --pull-request` runs, one argument a word:\n")
	b.WriteString("# land: {remote: origin, pull_request: [gh, pr, create, --draft, --title, \"{{title}}\", --body-file, \"{{body_file}}\"]}\n")
	return []byte(b.String())
}

const example = `version: 1
id: example
goal: "Say in one or two sentences what must be true when this is done."
non_goals:
  - "Say what must not be touched on the way."
risk: low
scope: code
authority:
  workspace_write: true
  network: false
`

func exampleYAML(build Build) []byte {
	text := schemaLine("task") + example
	if len(build.Checks) == 0 {
		text += "# The project has no check command yet, so this task needs one under acceptance.\n"
	}
	return []byte(text)
}

func schemaLine(name string) string {
	return "# yaml-language-server: $schema=" + SchemaBase + name + ".schema.json\n"
}

func list(indent string, items []string) string {
	var b strings.Builder
	for _, item := range items {
		b.WriteString(indent + "- " + strict.Quote(item) + "\n")
	}
	return b.String()
}

// ErrLink means that a directory in which something would be written is a link.
var ErrLink = errors.New("is a link; put a directory in its place")

// directories makes those of a file inside root. A link in the way is refused: the
// repository may have brought it.
func directories(root *os.Root, name string) error {
	for i, b := range []byte(name) {
		if b != '/' {
			continue
		}
		dir := name[:i]
		if err := root.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("create %s: %w", name, err)
		}
		if info, err := root.Lstat(dir); err != nil {
			return fmt.Errorf("create %s: %w", name, err)
		} else if info.Mode()&fs.ModeSymlink != 0 {
			return fmt.Errorf("create %s: %s %w", name, dir, ErrLink)
		}
	}
	return nil
}

// create writes a new file, with its directories, inside root.
func create(root *os.Root, name string, data []byte) error {
	if err := directories(root, name); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("create %s: %w", name, ErrExists)
	}
	if err != nil {
		return fmt.Errorf("create %s: %w", name, err)
	}
	_, err = bytes.NewReader(data).WriteTo(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err != nil {
		_ = root.Remove(name)
		return fmt.Errorf("create %s: %w", name, err)
	}
	return nil
}
