package git

import (
	"os/exec"
	"strings"
	"testing"
)

var (
	oddNames     = []string{"#8982-bugfix", "feat(x)-y", "AB#1-a", "t@v", "a+b", "a.b", "ü", "a@", "a;b", "$(x)", "a&b", "a'b", `a"b`, "a!b"}
	hostileNames = []string{
		"", "-x", "--upload-pack=x", "a..b", "a@{1}", "@", "HEAD", "a b", "a~1", "a^", "a:b", "a?b", "a*b", "a[b", `a\b`, "/a", "a/", "a//b",
		".a", "a/.b", "a.lock", "a.lock/b", "a.", "a\x00b", "a\nb", "a\x7fb", "\xff", strings.Repeat("a", maxRef+1),
	}
)

// TestNames_peer10 covers names of branches as people give them.
func TestNames_peer10(t *testing.T) {
	t.Parallel()
	// The repository does not exist, so a call of git would be another error.
	nowhere := realDir(t) + "/nowhere"
	r := newRepo(t, map[string]string{"a.txt": "one\n"})
	g := clean(t)
	for _, name := range oddNames {
		t.Run("peer-10_legal_"+name, func(t *testing.T) {
			if err := CheckBranch(name); err != nil {
				t.Error(err)
			}
			if err := CheckRef("refs/heads/" + name); err != nil {
				t.Error(err)
			}
			r.git("branch", name)
			if got, err := g.Resolve(t.Context(), r.dir, name); err != nil || got != r.head() {
				t.Errorf("Resolve = %q, %v", got, err)
			}
		})
	}
	for _, name := range hostileNames {
		t.Run("peer-10_hostile_"+name, func(t *testing.T) {
			if CheckBranch(name) == nil {
				t.Error("accepted")
			}
			if name == "HEAD" {
				return // names a commit, though no branch
			}
			_, err := g.Resolve(t.Context(), nowhere, name)
			if err == nil || strings.Contains(err.Error(), "git ") || !strings.Contains(err.Error(), "ref \"") {
				t.Errorf("Resolve = %v, not refused before git is called", err)
			}
		})
	}
	for _, name := range []string{"heads/x", "refs", "refs/", "refs/heads/a..b", "refs/heads/"} {
		if CheckRef(name) == nil {
			t.Errorf("ref %q accepted", name)
		}
	}
}

// FuzzCheckRef holds our reading of the rules against git's.
func FuzzCheckRef(f *testing.F) {
	for _, name := range append(oddNames, hostileNames...) {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsRune(name, 0) {
			if CheckBranch(name) == nil {
				t.Error("a NUL was accepted")
			}
			return
		}
		ours := CheckRef("refs/heads/"+name) == nil
		theirs := exec.Command("git", "check-ref-format", "refs/heads/"+name).Run() == nil
		if ours && !theirs {
			t.Errorf("%q: accepted here and refused by git", name)
		}
		if theirs && !ours && len(name) < 200 && strings.ToValidUTF8(name, "") == name {
			t.Errorf("%q: refused here and accepted by git: %v", name, CheckRef("refs/heads/"+name))
		}
		if CheckBranch(name) == nil && exec.Command("git", "check-ref-format", "--branch", name).Run() != nil {
			t.Errorf("%q: accepted as a branch here and refused by git", name)
		}
	})
}
