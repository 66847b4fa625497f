package draft_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/draft"
)

func files(names ...string) fstest.MapFS {
	out := fstest.MapFS{}
	for i := 0; i+1 < len(names); i += 2 {
		out[names[i]] = &fstest.MapFile{Data: []byte(names[i+1])}
	}
	return out
}

func TestDetect(t *testing.T) {
	t.Parallel()
	goScope := []string{"cmd", "main.go", "go.mod", "go.sum"}
	for name, c := range map[string]struct {
		repo fstest.MapFS
		want draft.Build
	}{
		"node": {files("package.json", `{"scripts":{"check":"tsc","test":"vitest","lint":"x"}}`, "package-lock.json", "{}", "src/a.ts", "", "other/b", ""),
			draft.Build{Name: "npm", Checks: []string{"npm run test", "npm run check"}, Setup: []string{"npm ci"}, Scope: []string{"src"}}},
		"pnpm": {files("package.json", `{"scripts":{"build":"x"}}`, "pnpm-lock.yaml", ""),
			draft.Build{Name: "pnpm", Checks: []string{"pnpm run build"}, Setup: []string{"pnpm install --frozen-lockfile"}, Scope: []string{draft.Repository}}},
		"node without a lock file": {files("package.json", `{"scripts":{"test":"x"}}`, "lib/a.js", "", "test/a.js", ""),
			draft.Build{Name: "npm", Checks: []string{"npm run test"}, Scope: []string{"lib", "test"}}},
		"gradle": {files("gradlew", "", "pom.xml", "", "src/A.java", ""),
			draft.Build{Name: "gradle", Checks: []string{"./gradlew test", "./gradlew build"}, Scope: []string{"src"}}},
		"maven":         {files("pom.xml", "", "src/A.java", ""), draft.Build{Name: "maven", Checks: []string{"mvn test", "mvn package"}, Scope: []string{"src"}}},
		"maven wrapper": {files("pom.xml", "", "mvnw", "", "src/A.java", ""), draft.Build{Name: "maven", Checks: []string{"./mvnw test", "./mvnw package"}, Scope: []string{"src"}}},
		"cargo":         {files("Cargo.toml", "", "src/lib.rs", ""), draft.Build{Name: "cargo", Checks: []string{"cargo test"}, Scope: []string{"src"}}},
		"go":            {files("go.mod", "", "Makefile", "all:", "main.go", "", "cmd/x/main.go", ""), draft.Build{Name: "go", Checks: []string{"go test ./...", "go vet ./..."}, Scope: goScope}},
		"make":          {files("Makefile", "all:\n\ttrue\ntest: all\n\ttrue\n", "src/a.c", ""), draft.Build{Name: "make", Checks: []string{"make test"}, Scope: []string{"src"}}},
		"empty":         {files(".git/HEAD", "x", ".warden/runs/.gitignore", ""), draft.Build{Name: "none", Checks: []string{}, Scope: []string{draft.Repository}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := draft.Detect(c.repo)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("build (-want +got):\n%s", diff)
			}
		})
	}
	for name, repo := range map[string]fstest.MapFS{
		"no build file":             files("README.md", "x"),
		"make without a test":       files("Makefile", "TEST := x\ntest := y\nall:\n"),
		"scripts without a check":   files("package.json", `{"scripts":{"start":"x"}}`),
		"npm's placeholder":         files("package.json", `{"scripts":{"test":"echo \"Error: no test specified\" && exit 1"}}`),
		"broken package.json":       files("package.json", `{"scripts":`),
		"package.json is a link":    {"package.json": {Mode: fs.ModeSymlink}},
		"scripts are not all texts": files("package.json", `{"scripts":{"test":5}}`),
	} {
		t.Run("refused/"+name, func(t *testing.T) {
			t.Parallel()
			got, err := draft.Detect(repo)
			var unrecognised *draft.UnrecognisedError
			if !errors.As(err, &unrecognised) {
				t.Errorf("got %+v, %v; want an UnrecognisedError", got, err)
			}
		})
	}
}

func TestInit(t *testing.T) {
	t.Parallel()
	t.Run("what it writes loads", func(t *testing.T) {
		t.Parallel()
		dir := tree(t, "go.mod", "module x\n", "main.go", "package main\n", "cmd/a/a.go", "package main\n")
		got, err := draft.Init(t.Context(), draft.InitRequest{Root: dir, BaseRef: "main", Name: `odd "name": #1`})
		if err != nil {
			t.Fatal(err)
		}
		if got.Project.Name != `odd "name": #1` || got.Project.BaseRef != "main" || got.Project.Defaults.BaselineChecks != "fast" {
			t.Errorf("loaded project %+v", got.Project)
		}
		if d := got.Project.Defaults.Timeout.Minutes(); d < 20 {
			t.Errorf("BU-16: the template gives all commands of a gate %v minutes together", d)
		}
		text := content(t, dir, ".warden/project.yaml")
		for _, want := range []string{"# yaml-language-server: $schema=https://", "shared by all commands"} {
			if !strings.Contains(text, want) {
				t.Errorf("project.yaml has no %q:\n%s", want, text)
			}
		}
		task, err := contract.LoadTask(os.DirFS(filepath.Join(dir, ".warden")), "example", got.Project)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"go test ./...", "go vet ./..."}, task.Acceptance); diff != "" {
			t.Errorf("acceptance of the example (-want +got):\n%s", diff)
		}
	})
	t.Run("an empty directory", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		got, err := draft.Init(t.Context(), draft.InitRequest{Root: dir})
		if err != nil {
			t.Fatal(err)
		}
		commands, ok := got.Project.CheckSet("fast")
		paths, _ := got.Project.ScopePaths("code")
		if !ok || len(commands) != 0 || !cmp.Equal(paths, []string{draft.Repository}) || got.DetectedBuild != "none" {
			t.Errorf("checks %v, scope %v, build %q", commands, paths, got.DetectedBuild)
		}
	})
	t.Run("never overwrites", func(t *testing.T) {
		t.Parallel()
		dir := tree(t, "go.mod", "", ".warden/project.yaml", "mine")
		if _, err := draft.Init(t.Context(), draft.InitRequest{Root: dir}); !errors.Is(err, draft.ErrExists) {
			t.Errorf("error %v, want ErrExists", err)
		}
		if got := content(t, dir, ".warden/project.yaml"); got != "mine" {
			t.Errorf("project.yaml is %q", got)
		}
	})
	t.Run("keeps an example that is there", func(t *testing.T) {
		t.Parallel()
		mine := "version: 1\nid: example\ngoal: g\nscope: [a]\n"
		dir := tree(t, "go.mod", "", "a", "", ".warden/tasks/example.yaml", mine)
		if _, err := draft.Init(t.Context(), draft.InitRequest{Root: dir}); err != nil {
			t.Fatal(err)
		}
		if got := content(t, dir, ".warden/tasks/example.yaml"); got != mine {
			t.Errorf("example.yaml is %q", got)
		}
	})
	t.Run("an unrecognised build writes nothing", func(t *testing.T) {
		t.Parallel()
		dir := tree(t, "README.md", "x")
		var unrecognised *draft.UnrecognisedError
		if _, err := draft.Init(t.Context(), draft.InitRequest{Root: dir}); !errors.As(err, &unrecognised) {
			t.Errorf("error %v, want an UnrecognisedError", err)
		}
		if _, err := os.Lstat(filepath.Join(dir, ".warden")); err == nil {
			t.Error(".warden was made")
		}
	})
	t.Run("a link does not lead out", func(t *testing.T) {
		t.Parallel()
		dir, elsewhere := tree(t, "go.mod", ""), t.TempDir()
		if err := os.Symlink(elsewhere, filepath.Join(dir, ".warden")); err != nil {
			t.Fatal(err)
		}
		if _, err := draft.Init(t.Context(), draft.InitRequest{Root: dir}); err == nil {
			t.Error("wrote through the link")
		}
		if left, _ := os.ReadDir(elsewhere); len(left) > 0 {
			t.Errorf("wrote %v outside the project", left)
		}
	})
	t.Run("evidence stays in sight of git", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		if _, err := draft.Init(t.Context(), draft.InitRequest{Root: dir}); err != nil {
			t.Fatal(err)
		}
		want := "*\n!*/\n!.gitignore\n!*.json\n!*.jsonl\n"
		if got := content(t, dir, ".warden/runs/.gitignore"); got != want {
			t.Errorf("runs/.gitignore is %q, want %q", got, want)
		}
	})
}

func tree(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for i := 0; i+1 < len(names); i += 2 {
		file := filepath.Join(dir, filepath.FromSlash(names[i]))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(names[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func content(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
