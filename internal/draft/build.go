// Package draft writes the first contract of a project and of a task. It writes
// down what the repository shows and what the person said, and invents nothing: a
// check that nobody declared would fail for reasons that have nothing to do with
// the task.
package draft

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Repository is the scope that stands for every path.
const Repository = "<repository>"

// Build is what a repository shows of how it is built.
type Build struct {
	Name   string   // "npm", "gradle", "maven", "cargo", "go", "make", or "none" for an empty directory
	Checks []string // none for an empty directory
	Setup  []string
	Scope  []string // existing paths, or Repository alone
}

// UnrecognisedError says that files are there but no build that we know.
type UnrecognisedError struct{ Reason string }

// Error implements error.
func (e *UnrecognisedError) Error() string {
	return "detect the build: " + e.Reason + "; write .warden/project.yaml by hand, with the commands that tell whether this project is sound"
}

const maxManifest = 4 << 20

// Detect looks for a build at the root of fsys: package.json, gradlew, pom.xml,
// Cargo.toml, go.mod, Makefile, in that order. A directory that holds nothing but
// git's and Warden's own files is a new project without a command yet.
func Detect(fsys fs.FS) (Build, error) {
	entries, err := fs.ReadDir(fsys, ".")
	if err != nil {
		return Build{}, fmt.Errorf("detect the build: %w", err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		if e.Type().IsRegular() || e.IsDir() {
			names[e.Name()] = true
		}
	}
	if empty(entries) {
		return Build{Name: "none", Checks: []string{}, Scope: []string{Repository}}, nil
	}
	b, err := recognise(fsys, names)
	if err != nil {
		return Build{}, err
	}
	b.Scope = scope(names, b.Name, entries)
	return b, nil
}

func empty(entries []fs.DirEntry) bool {
	return !slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return e.Name() != ".git" && e.Name() != ".warden"
	})
}

func recognise(fsys fs.FS, names map[string]bool) (Build, error) {
	switch {
	case names["package.json"]:
		return node(fsys, names)
	case names["gradlew"]:
		return Build{Name: "gradle", Checks: []string{"./gradlew test", "./gradlew build"}}, nil
	case names["pom.xml"]:
		mvn := "mvn"
		if names["mvnw"] {
			mvn = "./mvnw"
		}
		return Build{Name: "maven", Checks: []string{mvn + " test", mvn + " package"}}, nil
	case names["Cargo.toml"]:
		return Build{Name: "cargo", Checks: []string{"cargo test"}}, nil
	case names["go.mod"]:
		return Build{Name: "go", Checks: []string{"go test ./...", "go vet ./..."}}, nil
	case names["Makefile"]:
		return makefile(fsys)
	}
	return Build{}, &UnrecognisedError{"none of package.json, gradlew, pom.xml, Cargo.toml, go.mod, Makefile is here"}
}

func makefile(fsys fs.FS) (Build, error) {
	data, err := readFile(fsys, "Makefile")
	if err != nil {
		return Build{}, err
	}
	if !regexp.MustCompile(`(?m)^test[ \t]*::?([^=]|$)`).Match(data) {
		return Build{}, &UnrecognisedError{"the Makefile has no target named test"}
	}
	return Build{Name: "make", Checks: []string{"make test"}}, nil
}

// npmPlaceholder is what npm init writes as the test of a package without tests.
const npmPlaceholder = "no test specified"

func node(fsys fs.FS, names map[string]bool) (Build, error) {
	scripts, err := scripts(fsys)
	if err != nil {
		return Build{}, err
	}
	tool, install := "npm", ""
	switch {
	case names["pnpm-lock.yaml"]:
		tool, install = "pnpm", "pnpm install --frozen-lockfile"
	case names["yarn.lock"]:
		tool, install = "yarn", "yarn install --frozen-lockfile"
	case names["package-lock.json"], names["npm-shrinkwrap.json"]:
		install = "npm ci"
	}
	b := Build{Name: tool}
	if install != "" {
		b.Setup = []string{install}
	}
	for _, name := range []string{"test", "check", "build"} {
		if s := scripts[name]; s != "" && !strings.Contains(s, npmPlaceholder) {
			b.Checks = append(b.Checks, tool+" run "+name)
		}
	}
	if len(b.Checks) == 0 {
		return Build{}, &UnrecognisedError{"package.json has no script named test, check or build"}
	}
	return b, nil
}

func scripts(fsys fs.FS) (map[string]string, error) {
	data, err := readFile(fsys, "package.json")
	if err != nil {
		return nil, err
	}
	var manifest struct {
		Scripts map[string]any `json:"scripts"`
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		return nil, &UnrecognisedError{"package.json is not valid JSON: " + err.Error()}
	}
	out := map[string]string{}
	for name, s := range manifest.Scripts {
		if text, ok := s.(string); ok {
			out[name] = strings.TrimSpace(text)
		}
	}
	return out, nil
}

// scope lists the source directories that exist; a project that keeps its source
// at the top gets the whole repository.
func scope(names map[string]bool, build string, entries []fs.DirEntry) []string {
	dirs := []string{"src", "test", "tests", "app", "lib", "docs", "scripts"}
	if build == "go" {
		dirs = append(dirs, "cmd", "internal", "pkg")
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		top := build == "go" && e.Type().IsRegular() && path.Ext(name) == ".go"
		if e.IsDir() && slices.Contains(dirs, name) || top && names[name] {
			out = append(out, name)
		}
	}
	if len(out) == 0 {
		return []string{Repository}
	}
	if build == "go" {
		out = append(out, "go.mod", "go.sum")
	}
	return out
}

// Preview is how a project serves itself for a look in a browser.
type Preview struct{ Start, URL string }

// DetectPreview reads it from the scripts of package.json. The second result is
// false when the project shows nothing to look at.
func DetectPreview(fsys fs.FS) (Preview, bool) {
	s, err := scripts(fsys)
	if err != nil {
		return Preview{}, false
	}
	for _, p := range []struct{ script, port string }{{"preview", "4173"}, {"dev", "5173"}} {
		if s[p.script] != "" {
			return Preview{
				Start: "npm run " + p.script + " -- --host 127.0.0.1 --port " + p.port,
				URL:   "http://127.0.0.1:" + p.port + "/",
			}, true
		}
	}
	return Preview{}, false
}

func readFile(fsys fs.FS, name string) ([]byte, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("detect the build: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxManifest+1))
	if err == nil && len(data) > maxManifest {
		err = errors.New("larger than 4 MiB")
	}
	if err != nil {
		return nil, fmt.Errorf("detect the build: read %s: %w", name, err)
	}
	return data, nil
}
