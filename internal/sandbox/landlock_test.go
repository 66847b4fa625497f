package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"sort"
	"strings"
	"testing"
)

// entry is a name in a directory of a fake host.
type entry struct {
	name string
	mode fs.FileMode
}

func (e entry) Name() string             { return e.name }
func (e entry) IsDir() bool              { return e.mode.IsDir() }
func (e entry) Type() fs.FileMode        { return e.mode.Type() }
func (entry) Info() (fs.FileInfo, error) { return nil, errors.New("not asked") }

// listing lets a fake host list the paths that it was made of.
func listing(h host, paths ...string) host {
	h.list = func(dir string) ([]fs.DirEntry, error) {
		seen := map[string]bool{}
		var out []fs.DirEntry
		for _, p := range paths {
			p, _, _ = strings.Cut(p, " -> ")
			p = strings.TrimSuffix(p, "/")
			for ; p != "/" && p != "."; p = path.Dir(p) {
				if path.Dir(p) != dir || seen[p] {
					continue
				}
				seen[p] = true
				info, err := h.lstat(p)
				if err != nil {
					return nil, err
				}
				out = append(out, entry{path.Base(p), info.Mode()})
			}
		}
		sort.Slice(out, func(i, j int) bool { return out[i].Name() < out[j].Name() })
		return out, nil
	}
	return h
}

var onDisk = []string{
	"/dev/null", "/usr/bin/", "/etc/passwd", "/etc/shadow", "/bin -> /usr/bin", "/tmp/", "/run/", "/home/u/.ssh/", "/home/v/",
	"/home/u/go/pkg/mod/", "/w/tree/a/", "/w/tree/.git", "/w/other/", "/tmp/box/home/", "/tmp/box/tmp/", "/tmp/private/",
}

func landlock(change func(*Spec)) Spec {
	return base(func(s *Spec) {
		s.Backend, s.Tmp = Landlock, "/tmp/box"
		if change != nil {
			change(s)
		}
	})
}

func TestRules(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		uid    int
		change func(*Spec)
		read   []string
		write  []string
		closed []string // neither read nor written, nor a directory above that is
		home   string
		links  []Mount
	}{
		{name: "plain", read: []string{"/usr", "/etc", "/home/v", "/w"}, write: []string{"/w/tree", "/tmp/box/home", "/tmp/box/tmp"},
			closed: []string{"/home/u/.ssh", "/tmp/private", "/run", "/dev/sda"}, home: "/tmp/box/home"},
		{name: "root reads no password", uid: 0, read: []string{"/etc/passwd"}, closed: []string{"/etc/shadow"}},
		{name: "read-only", change: func(s *Spec) { s.Writable = false }, read: []string{"/w/tree"}, write: []string{"/tmp/box/home"}, closed: []string{"/home/u"}},
		{name: "a home that is shared", change: func(s *Spec) {
			s.Home = "/home/u"
			s.Mounts = []Mount{{"/tmp/private", "/home/u", true}, {"/home/u/go/pkg/mod", "/home/u/go/pkg/mod", false}}
		}, read: []string{"/home/u/go/pkg/mod"}, write: []string{"/tmp/private"}, closed: []string{"/home/u/.ssh"}, home: "/tmp/private",
			links: []Mount{{Source: "/home/u/go/pkg/mod", Target: "/tmp/private/go/pkg/mod"}}},
		{name: "one share inside another", change: func(s *Spec) {
			s.Home = "/home/u"
			s.Mounts = []Mount{{"/tmp/private", "/home/u", true}, {"/home/u/go/pkg/mod", "/home/u/go/pkg/mod", false}, {"/home/u/go", "/home/u/go", false}}
		}, read: []string{"/home/u/go"}, links: []Mount{{Source: "/home/u/go", Target: "/tmp/private/go"}}},
		{name: "hidden inside what is shared", change: func(s *Spec) {
			s.Hide = []string{"/w/other"}
		}, read: []string{"/w/tree"}, closed: []string{"/w/other"}},
		{name: "a worktree in the home", change: func(s *Spec) { s.Root = "/home/u/go" }, write: []string{"/home/u/go"}, closed: []string{"/home/u/.ssh"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.name != "root reads no password" {
				tc.uid = 1001
			}
			r, err := landlock(tc.change).rules(listing(fakeHost(tc.uid, onDisk...), onDisk...), 7)
			if err != nil {
				t.Fatal(err)
			}
			covers := func(list []string, p string) bool {
				return slices.ContainsFunc(list, func(dir string) bool { return within(p, dir) })
			}
			all := append(slices.Clone(r.Read), r.Write...)
			for _, p := range tc.read {
				if !covers(all, p) && p != "/w" {
					t.Errorf("%s cannot be read: %q", p, r.Read)
				}
			}
			for _, p := range tc.write {
				if !slices.Contains(r.Write, p) {
					t.Errorf("%s cannot be written: %q", p, r.Write)
				}
			}
			for _, p := range tc.closed {
				if covers(append(all, r.Devices...), p) {
					t.Errorf("%s is open: read %q, write %q", p, r.Read, r.Write)
				}
			}
			if tc.home != "" && r.Home != tc.home {
				t.Errorf("home %s, want %s", r.Home, tc.home)
			}
			if !slices.Equal(r.Links, tc.links) {
				t.Errorf("links %v, want %v", r.Links, tc.links)
			}
			if slices.Contains(all, "/") || slices.Contains(all, "/bin") {
				t.Errorf("the root or a link is open: %q", all)
			}
		})
	}
}

func TestRulesRefuse(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		abi    int
		change func(*Spec)
	}{
		"an old kernel":                 {3, nil},
		"a lowered version":             {7, func(s *Spec) { s.ABI = 2 }},
		"no private directory":          {7, func(s *Spec) { s.Tmp = "" }},
		"hidden in the worktree":        {7, func(s *Spec) { s.Hide = []string{"/w/tree/a"} }},
		"a path under another name":     {7, func(s *Spec) { s.Mounts = []Mount{{"/usr/bin", "/tmp/x", false}} }},
		"a home that cannot be written": {7, func(s *Spec) { s.Mounts = []Mount{{"/tmp/private", "/tmp/home", false}} }},
		"a relative root":               {7, func(s *Spec) { s.Root = "tree" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r, err := landlock(tc.change).rules(listing(fakeHost(1001, onDisk...), onDisk...), tc.abi); err == nil {
				t.Errorf("got %+v", r)
			}
		})
	}
}

func TestLandlockIsNamed(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]Report{
		"landlock, version 7 (no bwrap)": {Backend: Landlock, ABI: 7, Reason: "no bwrap"},
		"none (nothing)":                 {Backend: None, Reason: "nothing"},
		"bubblewrap":                     {Backend: Bubblewrap},
	} {
		if got := r.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	for _, p := range Properties() {
		if p.Holds(Report{Backend: None}) || p.Landlock > 0 && p.Holds(Report{Backend: Landlock, ABI: p.Landlock - 1}) {
			t.Errorf("%s is held by what does not hold it", p.ID)
		}
	}
}

func FuzzParseRules(f *testing.F) {
	f.Add(`{"abi":7,"read":["/usr"],"write":["/w"],"devices":["/dev/null"],"network":true,"home":"/h","tmp":"/t","dir":"/w"}`)
	f.Add(`{"abi":7}{}`)
	f.Add(`{"abi":7,"home":"/../x","tmp":"/t","dir":"/w"}`)
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRules(text)
		if err != nil {
			return
		}
		for _, p := range append(append([]string{r.Home, r.Tmp, r.Dir}, r.Write...), r.Read...) {
			if !path.IsAbs(p) || path.Clean(p) != p {
				t.Errorf("took the path %q of %q", p, text)
			}
		}
		if r.ABI < minABI || r.Status < 0 {
			t.Errorf("took %+v", r)
		}
	})
}
