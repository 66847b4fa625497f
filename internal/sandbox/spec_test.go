package sandbox

import (
	"errors"
	"io/fs"
	"path"
	"strings"
	"testing"
	"time"
)

// fakeHost is a host with the given paths: a name ending in "/" is a
// directory, "a -> b" a link, "s=" before a name a socket that listens.
func fakeHost(uid int, entries ...string) host {
	kinds := map[string]fs.FileMode{"/": fs.ModeDir}
	links := map[string]string{}
	var sockets []string
	for _, e := range append(entries, "/tmp/", "/run/", "/var/run -> /run", "/home/u/", "/w/", "/usr/") {
		from, to, link := strings.Cut(e, " -> ")
		name, socket := strings.CutPrefix(strings.TrimSuffix(from, "/"), "s=")
		for dir := path.Dir(name); dir != "/"; dir = path.Dir(dir) {
			if _, ok := kinds[dir]; !ok {
				kinds[dir] = fs.ModeDir
			}
		}
		switch {
		case link:
			kinds[name], links[name] = fs.ModeSymlink, to
		case socket:
			kinds[name] = fs.ModeSocket
			sockets = append(sockets, name)
		case strings.HasSuffix(e, "/"):
			kinds[name] = fs.ModeDir
		default:
			kinds[name] = 0
		}
	}
	eval := func(p string) (string, error) {
		for range 10 {
			again := false
			for from, to := range links {
				if within(p, from) {
					p, again = to+p[len(from):], true
				}
			}
			if !again {
				break
			}
		}
		if _, ok := kinds[p]; !ok {
			return "", &fs.PathError{Op: "lstat", Path: p, Err: fs.ErrNotExist}
		}
		return p, nil
	}
	return host{
		uid: uid, gid: uid, eval: eval,
		lstat: func(p string) (fs.FileInfo, error) {
			dir, err := eval(path.Dir(p))
			if err != nil {
				return nil, err
			}
			mode, ok := kinds[path.Join(dir, path.Base(p))]
			if !ok {
				return nil, &fs.PathError{Op: "lstat", Path: p, Err: fs.ErrNotExist}
			}
			return info{mode}, nil
		},
		sockets: func() ([]string, error) { return sockets, nil },
	}
}

type info struct{ mode fs.FileMode }

func (info) Name() string        { return "" }
func (info) Size() int64         { return 0 }
func (i info) Mode() fs.FileMode { return i.mode }
func (info) ModTime() time.Time  { return time.Time{} }
func (i info) IsDir() bool       { return i.mode.IsDir() }
func (info) Sys() any            { return nil }

func base(change func(*Spec)) Spec {
	s := Spec{Backend: Bubblewrap, Root: "/w/tree", Writable: true, Home: "/tmp/home", MaskHomes: []string{"/home/u"}}
	if change != nil {
		change(&s)
	}
	return s
}

func TestBuild(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		uid    int
		host   []string
		change func(*Spec)
		want   []string // in this order
		absent []string
	}{
		{name: "plain", uid: 1001, want: []string{
			"--unshare-user --uid 1001 --gid 1001", "--unshare-pid --unshare-ipc --unshare-uts --unshare-net",
			"--die-with-parent --new-session --cap-drop ALL", "--ro-bind / / --dev /dev --proc /proc",
			"--tmpfs /tmp", "--tmpfs /home/u", "--bind /w/tree /w/tree", "--setenv HOME /tmp/home", "--chdir /w/tree"},
			absent: []string{"/proc/sys", "--uid 0", "/var/run"}},
		{name: "root is never root inside", uid: 0, want: []string{"--uid 1000 --gid 1000", "--ro-bind /proc/sys /proc/sys"}, absent: []string{"--uid 0"}},
		{name: "network", change: func(s *Spec) { s.Network = true }, absent: []string{"--unshare-net"}},
		{name: "read-only", change: func(s *Spec) { s.Writable = false }, want: []string{"--ro-bind /w/tree /w/tree"}, absent: []string{" --bind "}},
		{name: "root below a hidden directory comes after it",
			host: []string{"/home/u/w/tree/"}, change: func(s *Spec) { s.Root = "/home/u/w/tree" },
			want: []string{"--tmpfs /home/u ", "--bind /home/u/w/tree"}},
		{name: "root by a link", host: []string{"/link -> /w/tree"}, change: func(s *Spec) { s.Root, s.Protect = "/link", []string{"/link/.git"} },
			want: []string{"--bind /w/tree /w/tree", "--ro-bind /w/tree/.git /w/tree/.git"}, absent: []string{"/link"}},
		{name: "missing protected path", change: func(s *Spec) { s.Protect = []string{"/w/tree/.warden"} },
			want: []string{"--bind /w/tree /w/tree", "--tmpfs /w/tree/.warden --remount-ro /w/tree/.warden"}},
		{name: "deep protected path pins its parents", host: []string{"/w/tree/a/b/.warden/"}, change: func(s *Spec) { s.Protect = []string{"/w/tree/a/b/.warden"} },
			want: []string{"--bind /w/tree ", "--bind /w/tree/a ", "--bind /w/tree/a/b ", "--ro-bind /w/tree/a/b/.warden"}},
		{name: "first missing parent is kept", change: func(s *Spec) { s.Protect = []string{"/w/tree/a/b/.warden"} },
			want: []string{"--tmpfs /w/tree/a --remount-ro /w/tree/a"}, absent: []string{"/w/tree/a/b"}},
		{name: "mount in a hidden home", host: []string{"/home/u/.codex/"}, change: func(s *Spec) {
			s.Home, s.Mounts = "/home/u", []Mount{{"/home/u/.codex", "/home/u/.codex", true}}
		}, want: []string{"--tmpfs /home/u ", "--bind /home/u/.codex"}},
		{name: "hidden inside what is shared stays hidden", host: []string{"/home/u/repo/.git/own/"}, change: func(s *Spec) {
			s.Mounts, s.Hide = []Mount{{Source: "/home/u/repo/.git", Target: "/home/u/repo/.git"}}, []string{"/home/u/repo/.git/own"}
		}, want: []string{"--ro-bind /home/u/repo/.git", "--tmpfs /home/u/repo/.git/own"}},
		{name: "sockets", host: []string{"s=/srv/d.sock", "s=/run/docker.sock", "s=/w/tree/s", "s=/home/u/x/s"}, change: func(s *Spec) {
			s.Mounts = []Mount{{Source: "/home/u/x", Target: "/tmp/x"}}
		}, want: []string{"--tmpfs /run", "--ro-bind /dev/null /srv/d.sock", "--ro-bind /home/u/x /tmp/x", "--ro-bind /dev/null /tmp/x/s"},
			absent: []string{"/run/docker.sock", "/w/tree/s"}},
		{name: "status", change: func(s *Spec) { s.StatusFD = 5 }, want: []string{"--json-status-fd 5"}},
		{name: "what is shared with the worktree is not made read-only", host: []string{"/w/tree/bin/"}, change: func(s *Spec) {
			s.Mounts = []Mount{{Source: "/w/tree/bin", Target: "/w/tree/bin"}}
		}, absent: []string{"/w/tree/bin"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			argv, err := base(tc.change).build(fakeHost(tc.uid, append(tc.host, "/w/tree/.git", "/w/tree/")...))
			if err != nil {
				t.Fatal(err)
			}
			line := strings.Join(argv, " ") + " "
			rest := line
			for _, w := range tc.want {
				_, after, ok := strings.Cut(rest, w)
				if !ok {
					t.Fatalf("no %q, or out of order, in\n%s", w, line)
				}
				rest = after
			}
			for _, a := range tc.absent {
				if strings.Contains(line, a) {
					t.Errorf("%q in\n%s", a, line)
				}
			}
		})
	}
}

func TestBuildRefuses(t *testing.T) {
	t.Parallel()
	mount := func(source, target string, writable bool) func(*Spec) {
		return func(s *Spec) {
			s.Protect = []string{"/w/tree/.git"}
			s.Mounts = []Mount{{source, target, writable}}
		}
	}
	for name, change := range map[string]func(*Spec){
		"relative root":                      func(s *Spec) { s.Root = "tree" },
		"missing root":                       func(s *Spec) { s.Root = "/w/none" },
		"root of the machine":                func(s *Spec) { s.Root = "/" },
		"root is a home":                     func(s *Spec) { s.Root = "/home/u" },
		"root is /tmp":                       func(s *Spec) { s.Root = "/tmp" },
		"no home":                            func(s *Spec) { s.Home = "" },
		"home that cannot be made":           func(s *Spec) { s.Home = "/nowhere" },
		"home is the worktree":               func(s *Spec) { s.Home = "/w/tree" },
		"relative mask":                      func(s *Spec) { s.MaskHomes = []string{"~"} },
		"hide everything":                    func(s *Spec) { s.Hide = []string{"/"} },
		"protected path outside":             func(s *Spec) { s.Protect = []string{"/etc"} },
		"protected path is the root":         func(s *Spec) { s.Protect = []string{"/w/tree"} },
		"protected path by a dotted way":     func(s *Spec) { s.Protect = []string{"/w/tree/../other"} },
		"protected path is a link":           func(s *Spec) { s.Protect = []string{"/w/tree/link"} },
		"protected path through a link":      func(s *Spec) { s.Protect = []string{"/w/tree/link/x"} },
		"relative protected path":            func(s *Spec) { s.Protect = []string{".git"} },
		"whole home":                         mount("/home/u", "/tmp/h", false),
		"what holds a home, under its name":  mount("/home", "/tmp/h", false),
		"the machine":                        mount("/", "/tmp/r", false),
		"over /proc":                         mount("/usr", "/proc/x", false),
		"over the worktree":                  mount("/usr", "/w/tree", false),
		"the worktree's parent, writable":    mount("/w", "/tmp/w", true),
		"the worktree again, writable":       mount("/w/tree", "/tmp/w", true),
		"a protected path, writable":         mount("/w/tree/.git", "/tmp/g", true),
		"over a protected path":              mount("/usr", "/w/tree/.git", false),
		"a source that is missing":           mount("/home/u/none", "/tmp/x", false),
		"a target that cannot be made":       mount("/usr", "/nowhere/x", false),
		"a target that would litter":         mount("/usr", "/w/tree/new", false),
		"relative mount":                     mount("usr", "/tmp/x", false),
		"part of a read-only tree, writable": func(s *Spec) { s.Writable = false; s.Mounts = []Mount{{"/w/tree/a", "/tmp/a", true}} },
		"two mounts in one place":            func(s *Spec) { s.Mounts = []Mount{{"/usr", "/tmp/x", false}, {"/w", "/tmp/x", false}} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := fakeHost(1001, "/w/tree/.git", "/w/tree/a/", "/w/tree/link -> /w/tree/a", "/w/other/")
			if argv, err := base(change).build(h); err == nil {
				t.Errorf("got %q", argv)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	t.Parallel()
	argv, err := Spec{Backend: None}.Wrap("", []string{"a", "b"})
	if err != nil || strings.Join(argv, " ") != "a b" {
		t.Errorf("got %q, %v", argv, err)
	}
	for name, call := range map[string]func() ([]string, error){
		"no command":      func() ([]string, error) { return base(nil).Wrap("/usr/bin/bwrap", nil) },
		"no backend":      func() ([]string, error) { return Spec{}.Wrap("/usr/bin/bwrap", []string{"a"}) },
		"no bubblewrap":   func() ([]string, error) { return base(nil).Wrap("", []string{"a"}) },
		"a relative path": func() ([]string, error) { return base(nil).Wrap("bwrap", []string{"a"}) },
	} {
		if argv, err := call(); err == nil {
			t.Errorf("%s: got %q", name, argv)
		}
	}
}

func TestSocketsThatCannotBeListed(t *testing.T) {
	t.Parallel()
	h := fakeHost(1001, "/w/tree/")
	h.sockets = func() ([]string, error) { return nil, errors.New("no table") }
	if argv, err := base(nil).build(h); err == nil {
		t.Errorf("got %q", argv)
	}
}

func FuzzParseSockets(f *testing.F) {
	const head = "Num       RefCount Protocol Flags    Type St Inode Path\n"
	const listen = "00000000f70c33e3: 00000002 00000000 00010000 0001 01   583 "
	f.Add("/run/docker.sock")
	f.Add("/with blank/s")
	f.Add("@abstract")
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsAny(name, "\n\r\x00") || len(name) > 1000 {
			t.Skip("the kernel's table has no such name")
		}
		got := parseSockets([]byte(head + listen + name + "\n" + listen + name + "\n" + strings.Replace(listen, "00010000", "00000000", 1) + "/x\n"))
		if want := strings.HasPrefix(name, "/"); want != (len(got) == 1) || want && got[0] != name {
			t.Errorf("got %q of %q", got, name)
		}
		parseSockets([]byte(name))
	})
}
