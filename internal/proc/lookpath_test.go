package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestLookPath(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("execute bits are needed; TestLookPathRules covers windows")
	}
	one, two := t.TempDir(), t.TempDir()
	for path, mode := range map[string]fs.FileMode{
		one + "/vendor": 0o644, two + "/vendor": 0o755, one + "/plain": 0o644, one + "/git": 0o755,
	} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(one+"/folder", 0o755); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	near := t.TempDir()
	if err := os.WriteFile(near+"/nearby", []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(here, near)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"PATH=/nowhere", "PATH=" + strings.Join([]string{"", ".", relative, one, two}, ":")}
	for _, tc := range []struct{ name, command, want, why string }{
		{"PR-09 the first that can start", "vendor", two + "/vendor", ""},
		{"PR-09 why it was skipped", "plain", "", "plain is not executable"},
		{"PR-09 a directory", "folder", "", "folder is a directory"},
		{"absolute", two + "/vendor", two + "/vendor", ""},
		{"absolute, not executable", one + "/plain", "", "is not executable"},
		{"relative", "./vendor", "", "relative path"},
		{"SE-01 shell text", "git; touch marker", "", "not on PATH"},
		{"only in a relative directory", "nearby", "", "not on PATH"},
		{"empty", "", "", "not on PATH"},
		{"parent", "..", "", "not on PATH"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := LookPath(tc.command, env)
			if got != tc.want || (err == nil) != (tc.why == "") || err != nil && !strings.Contains(err.Error(), tc.why) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
	if _, err := LookPath("nothing-of-this-name", env); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got %v", err)
	}
}

func TestLookPathRules(t *testing.T) {
	t.Parallel()
	const bin = `C:\bin`
	windows := func(exts string, names ...string) finder {
		files := fstest.MapFS{}
		for _, n := range names {
			files["bin/"+n] = &fstest.MapFile{Mode: 0o644}
		}
		return finder{
			goos: "windows", dirs: []string{`rel`, bin}, exts: exts,
			stat: func(p string) (fs.FileInfo, error) {
				return files.Stat(strings.ReplaceAll(strings.TrimPrefix(p, `C:\`), `\`, "/"))
			},
			isAbs: func(p string) bool { return strings.HasPrefix(p, `C:\`) },
			join:  func(p ...string) string { return strings.Join(p, `\`) },
		}
	}
	for _, tc := range []struct {
		name, command, want, why string
		f                        finder
	}{
		{"PR-09 script beside a batch file", "vendor", bin + `\vendor.cmd`, "", windows(".COM;.EXE;.BAT;.CMD", "vendor", "vendor.cmd")},
		{"PR-09 program before batch file", "vendor", bin + `\vendor.exe`, "", windows(".COM;.EXE;.BAT;.CMD", "vendor.cmd", "vendor.exe")},
		{"PR-09 only a script", "vendor", "", "no extension that can be started", windows("", "vendor")},
		{"PR-09 an extension given", "vendor.exe", bin + `\vendor.exe`, "", windows(".CMD", "vendor.exe")},
		{"PR-09 an interpreter's extension", "vendor", "", "not on PATH", windows(".JS;.EXE", "vendor.js")},
		{"relative", `sub\vendor`, "", "relative path", windows("", "vendor.exe")},
		{"drive", `D:vendor`, "", "relative path", windows("", "vendor.exe")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got, err := tc.f.find(tc.command)
			if got != tc.want || (err == nil) != (tc.why == "") || err != nil && !strings.Contains(err.Error(), tc.why) {
				t.Errorf("got %q, %v", got, err)
			}
		})
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	parent := []string{
		"PATH=/old", "PATH=/bin", "HOME=/h", "LANG=C", "LC_ALL=C.UTF-8", "TZ=UTC", "https_proxy=http://p", "NO_PROXY=x",
		"SSL_CERT_FILE=/ca", "NODE_EXTRA_CA_CERTS=/ca", "WARDEN_CHILD=ab", "EMPTY", "=C:=x",
		"GITHUB_TOKEN=s", "GITHUB_WORKSPACE=/w", "CI=true", "CI_JOB_TOKEN=s", "ACTIONS_RUNTIME_TOKEN=s", "RUNNER_TEMP=/t",
		"LC_TOKEN=s", "LC_API_KEY=s", "SSH_AUTH_SOCK=/s", "LD_PRELOAD=/e.so", "GIT_DIR=/g", "GIT_ASKPASS=/g", "NODE_OPTIONS=-r x",
		"BASH_ENV=/e", "ENV=/e", "PYTHONPATH=/e", "OPENAI_API_KEY=s", "AWS_SECRET_ACCESS_KEY=s", "DOCKER_HOST=x", "DBUS_SESSION_BUS_ADDRESS=x",
	}
	got := environ("linux", parent, map[string]string{"OPENAI_API_KEY": "named", "HOME": "/own", "": "x", "A=B": "x", "N": "a\x00b"})
	want := []string{
		"HOME=/own", "LANG=C", "LC_ALL=C.UTF-8", "NODE_EXTRA_CA_CERTS=/ca", "NO_PROXY=x", "OPENAI_API_KEY=named",
		"PATH=/bin", "SSL_CERT_FILE=/ca", "TZ=UTC", "WARDEN_CHILD=ab", "https_proxy=http://p",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("environment (-want +got):\n%s", d)
	}
	got = environ("windows", []string{"Path=C:\\bin", "SystemRoot=C:\\W", "GitHub_Token=s"}, nil)
	if d := cmp.Diff([]string{"Path=C:\\bin", "SystemRoot=C:\\W"}, got); d != "" {
		t.Errorf("windows (-want +got):\n%s", d)
	}
	if v := lookup("windows", got, "PATH"); v != `C:\bin` {
		t.Errorf("PATH = %q", v)
	}
}

func TestMarks(t *testing.T) {
	t.Parallel()
	env := marked([]string{"A=1", MarkVariable + "=outer"}, "inner")
	if d := cmp.Diff([]string{MarkVariable + "=outer.inner", "A=1"}, env); d != "" {
		t.Error(d)
	}
	for i := range 100 {
		env = marked(env, strings.Repeat("m", 1+i%3))
	}
	if n := strings.Count(env[0], "."); n > maxMarks {
		t.Errorf("%d marks are carried on", n)
	}
	if len(env) != 2 {
		t.Errorf("environment grew to %q", env)
	}
}
