package forgecases

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// plant commits entries of any mode onto the default branch by plumbing, so that no
// file system stands between. A submodule's content is its commit.
func (w *world) plant(entries ...entry) {
	w.t.Helper()
	git := func(stdin string, args ...string) string {
		cmd := exec.Command("git", append([]string{"--git-dir", w.server.GitDir(), "-c", "core.ignoreCase=false"}, args...)...)
		cmd.Stdin, cmd.Env = strings.NewReader(stdin), append(os.Environ(), "GIT_INDEX_FILE="+w.path("planted"),
			"GIT_AUTHOR_NAME=x", "GIT_AUTHOR_EMAIL=x@example.com", "GIT_COMMITTER_NAME=x", "GIT_COMMITTER_EMAIL=x@example.com")
		out, err := cmd.Output()
		if err != nil {
			w.t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	main := "refs/heads/" + w.server.DefaultBranch()
	git("", "read-tree", main)
	var lines strings.Builder
	for _, e := range entries {
		id := e.content
		if e.mode != "160000" {
			id = git(e.content, "hash-object", "-w", "--stdin")
		}
		fmt.Fprintf(&lines, "%s %s\t%s\x00", e.mode, id, e.path)
	}
	git(lines.String(), "update-index", "-z", "--index-info")
	git("", "update-ref", main, git("", "commit-tree", "-p", main, "-m", "what was met", git("", "write-tree")))
}

type entry struct{ mode, path, content string }

// TestHostile is a repository of strangers under a job that is started by a label:
// nothing of theirs runs, nothing outside is touched, and what was met is said.
func TestHostile(t *testing.T) {
	t.Parallel()
	t.Run("what may stay", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		canary := w.path("canary.sh")
		if err := os.WriteFile(canary, []byte("#!/bin/sh\ntouch '"+w.path("ran")+"'\nexec cat\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		// The runner's own settings, as whoever set it up may have left them.
		if err := os.MkdirAll(w.home, 0o755); err != nil {
			t.Fatal(err)
		}
		settings := fmt.Sprintf("[core]\n\tautocrlf = true\n\tfsmonitor = %[1]s\n\thooksPath = %[2]s\n[filter \"x\"]\n\tclean = %[1]s\n\tsmudge = %[1]s\n\trequired = true\n[submodule]\n\trecurse = true\n",
			canary, w.path("hooks"))
		if err := os.WriteFile(filepath.Join(w.home, ".gitconfig"), []byte(settings), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, hook := range []string{"post-checkout", "post-commit", "pre-push", "reference-transaction", "post-index-change"} {
			if err := os.MkdirAll(w.path("hooks"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Link(canary, w.path("hooks", hook)); err != nil {
				t.Fatal(err)
			}
		}
		dos := "a\r\nb\n"
		w.plant(entry{"120000", "out", w.home}, entry{"100644", "line\nbreak\x1b[2J", "x\n"}, entry{"100644", "Readme.md", "# twin\n"},
			entry{"160000", "lib", "1111111111111111111111111111111111111111"},
			entry{"100644", ".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = " + w.server.CloneURL() + "\n\tupdate = !" + canary + "\n"},
			entry{"100644", ".gitattributes", "*.x filter=x\n*.bin filter=lfs diff=lfs merge=lfs -text\nauto.txt text=auto\n*.sh eol=lf\n*.yaml text eol=crlf\n"},
			entry{"100644", "a.x", "filtered\n"}, entry{"100644", "dos.txt", dos}, entry{"100644", "auto.txt", dos},
			entry{"100644", "sign\n::error::no.bin", "version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("ab", 32) + "\nsize 20\n"},
			entry{"100644", "fixture.git/HEAD", "ref: refs/heads/main\n"}, entry{"100644", "fixture.git/config", "[core]\n\tbare = true\n\tfsmonitor = " + canary + "\n"},
			entry{"100644", "fixture.git/objects/keep", ""}, entry{"100644", "fixture.git/refs/heads/keep", ""},
			entry{"100755", "fixture.git/hooks/post-checkout", "#!/bin/sh\ntouch '" + w.path("ran") + "'\n"})
		p := w.candidate()
		changed, err := w.gitOut("diff", "--name-only", "main", p.Branch)
		w.want(err == nil && changed == "greeting.txt", "changed: %q %v", changed, err)
		w.want(strings.Contains(p.stderr, "1 file(s) of Git LFS are pointers here") && !strings.Contains(p.stderr, "\n::error"), "the pointer is not told: %s", p)
		w.want(!exists(w.path("ran")), "something of theirs ran: %s", p)
		w.settled()
		w.want(!exists(w.path("ran")), "something of theirs ran")

		// It would run: git itself starts it.
		control := exec.Command("git", "clone", "-q", "--no-recurse-submodules", "file://"+w.server.GitDir(), w.path("control"))
		control.Env = append(os.Environ(), "HOME="+w.home)
		out, _ := control.CombinedOutput()
		w.want(exists(w.path("ran")), "nothing of theirs would run, so the test shows nothing: %s", out)
	})
	t.Run("a link where the writer is to write", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		outside := w.path("outside")
		if err := os.WriteFile(outside, []byte("kept"), 0o644); err != nil {
			t.Fatal(err)
		}
		w.plant(entry{"120000", "greeting.txt", outside})
		w.open()
		p := w.act(w.label())
		w.want(w.read(outside) == "kept", "it was written through the link: %s", p)
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason != "ready_for_human" && p.Pull == nil, "it went on: %s", p)
		w.settled()
	})
}
