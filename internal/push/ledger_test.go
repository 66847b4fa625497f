package push

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var when = time.Unix(1700000000, 0)

func TestLedgerRoundTrip(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 0), newPusher(t), t.Context()
	disk := realDir(t)
	want := map[string]string{"run.json": "{}\n", "evidence.jsonl": "a\r\nb\n", "issue-1-1--implementer-0/shot.png": "\x89PNG\r\n\x00\xff", "empty": "",
		"large": strings.Repeat("0123456789abcdef", 33<<16), // more than is kept in memory
	}
	files := map[string]string{}
	for name, text := range want {
		files[name] = filepath.Join(disk, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(files[name], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// Settings that would change bytes on their way.
	if err := os.WriteFile(filepath.Join(disk, ".gitattributes"), []byte("* text eol=lf\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	first, err := p.LedgerCommit(ctx, l.dir, files, "", "run issue-1-1", when)
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.LedgerCommit(ctx, l.dir, files, "", "run issue-1-1", when)
	if err != nil || again != first {
		t.Errorf("the same ledger is %s and then %s, %v", first, again, err)
	}
	delete(files, "empty")
	delete(want, "empty")
	second, err := p.LedgerCommit(ctx, l.dir, files, first, "run issue-1-1", when)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.run(l.dir, "--git-dir="+l.dir, "rev-parse", second+"^"); got != first {
		t.Errorf("parent = %s", got)
	}
	if err := p.Ref(ctx, s.remote(), l.dir, second, "refs/warden/runs/issue-1-1", ""); err != nil {
		t.Fatal(err)
	}
	into := newLocal(s, 0)
	if err := p.Fetch(ctx, s.remote(), into.dir, "refs/warden/runs/issue-1-1:refs/warden/runs/issue-1-1"); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(realDir(t), "ledger")
	if err := p.ReadTree(ctx, into.dir, second, to); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, contents(t, to)); diff != "" {
		t.Error(diff)
	}
	if err := p.ReadTree(ctx, into.dir, second, to); err == nil {
		t.Error("written over what was there")
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	got := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		got[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestLedgerFilesThatAreNotTaken(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p := newLocal(s, 0), newPusher(t)
	disk := realDir(t)
	file, link := filepath.Join(disk, "file"), filepath.Join(disk, "link")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{
		"../x": file, "/x": file, "a/../x": file, "": file, ".": file, "a//b": file, ".git/config": file, "a/.GIT/x": file, "git~1": file,
		`a\b`: file, "C:x": file, "a\nb": file, "link": link, "dir": disk, "absent": filepath.Join(disk, "absent"),
	} {
		if _, err := p.LedgerCommit(t.Context(), l.dir, map[string]string{name: from}, "", "m", when); err == nil {
			t.Errorf("took %q from %s", name, from)
		}
	}
	if _, err := p.LedgerCommit(t.Context(), l.dir, map[string]string{"a/x": file, "A/y": file}, "", "m", when); err == nil {
		t.Error("took two spellings of one directory")
	}
}

func TestReadTreeRefusesHostileTrees(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p := newLocal(s, 0), newPusher(t)
	gitIn := func(stdin string, args ...string) string {
		t.Helper()
		in := filepath.Join(realDir(t), "in")
		if err := os.WriteFile(in, []byte(stdin), 0o600); err != nil {
			t.Fatal(err)
		}
		return s.run(l.dir, append([]string{"--git-dir=" + l.dir}, append(args, in)...)...)
	}
	blob := gitIn("../../outside", "hash-object", "-w")
	tree := func(entries ...string) string {
		t.Helper()
		var b bytes.Buffer
		for _, e := range entries {
			meta, name, _ := strings.Cut(e, "|")
			mode, id, _ := strings.Cut(meta, " ")
			raw, err := hex.DecodeString(id)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s %s\x00%s", mode, name, raw)
		}
		return gitIn(b.String(), "hash-object", "-w", "-t", "tree", "--literally")
	}
	commit := func(tree string) string { return s.run(l.dir, "--git-dir="+l.dir, "commit-tree", tree, "-m", "x") }
	file := "100644 " + blob
	inner := tree(file + "|x")
	tests := map[string]string{
		"parent":           tree("40000 " + inner + "|.."),
		"deep_parent":      tree("40000 " + tree("40000 "+inner+"|..") + "|a"),
		"git":              tree("40000 " + inner + "|.git"),
		"git_in_other_way": tree("40000 " + inner + "|.GIT"),
		"dot":              tree("40000 " + inner + "|."),
		"slash":            tree(file + "|/x"),
		"slash_inside":     tree(file + "|../x"),
		"backslash":        tree(file + `|a\b`),
		"drive":            tree(file + "|C:x"),
		"newline":          tree(file + "|a\nb"),
		"link":             tree("120000 " + blob + "|l"),
		"submodule":        tree("160000 " + blob + "|m"),
		"case":             tree(file+"|A", file+"|a"),
		"case_of_folders":  tree("40000 "+inner+"|A", "40000 "+inner+"|a"),
		"file_and_folder":  tree(file+"|a", "40000 "+inner+"|a"),
	}
	good := filepath.Join(realDir(t), "good")
	if err := p.ReadTree(t.Context(), l.dir, commit(tree(file+"|a", "40000 "+inner+"|b")), good); err != nil {
		t.Fatalf("a harmless tree made in the same way: %v", err)
	}
	for name, id := range tests {
		t.Run(name, func(t *testing.T) {
			to := filepath.Join(realDir(t), "in", "to")
			if err := p.ReadTree(t.Context(), l.dir, commit(id), to); err == nil {
				t.Error("accepted")
			}
			if got := contents(t, filepath.Dir(filepath.Dir(to))); len(got) > 0 {
				t.Errorf("wrote %v", got)
			}
		})
	}
}

// FuzzCheckPaths holds accepted paths against the disk: each stays inside and none meets another.
func FuzzCheckPaths(f *testing.F) {
	for _, names := range [][2]string{{"a", "b/c"}, {"../a", "b"}, {"a", "a/b"}, {"A/x", "a/y"}, {".git/a", "b"}, {"a", "a"}, {"CON", "nul."}} {
		f.Add(names[0], names[1])
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		if a == b || checkPaths([]string{a, b}) != nil {
			return
		}
		for _, name := range []string{a, b} {
			if !filepath.IsLocal(filepath.FromSlash(name)) || filepath.ToSlash(filepath.Clean(filepath.FromSlash(name))) != name {
				t.Errorf("accepted %q", name)
			}
			for part := range strings.SplitSeq(name, "/") {
				if strings.EqualFold(part, ".git") {
					t.Errorf("accepted %q", name)
				}
			}
		}
		if strings.EqualFold(a, b) || strings.HasPrefix(b, a+"/") || strings.HasPrefix(a, b+"/") {
			t.Errorf("accepted both %q and %q", a, b)
		}
	})
}
