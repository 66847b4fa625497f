package sandbox

import (
	"errors"
	"fmt"
	"sort"
)

// Ranks order what lands on the same path: the later one is seen.
const (
	rankHide = iota
	rankHome
	rankRoot
	rankMount
	rankSocket
	rankPin
	rankProtect
)

// op is one mount over dst.
type op struct {
	dst  string
	rank int
	args []string
}

// plan is a spec with its links resolved and checked against the host.
type plan struct {
	host   host
	spec   Spec
	root   string
	home   string
	dir    string
	hidden []string // directories
	// covered are hidden files and sockets.
	covered []string
	shared  []Mount
	ops     []op
}

// hostDirs hold other programs' files and sockets: the service bus, a
// container daemon, key agents.
var hostDirs = [...]string{"/tmp", "/var/tmp", "/run", "/var/run"}

// resolverFiles are where /etc/resolv.conf commonly points to. They are shared
// file by file, since the directory also holds the resolver's socket.
var resolverFiles = [...]string{
	"/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf",
	"/run/resolvconf/resolv.conf", "/run/NetworkManager/resolv.conf",
}

// rootOnly are files that only the permission bits keep from an ordinary user,
// who is still their owner when the caller is root.
var rootOnly = [...]string{
	"/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-",
	"/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key",
}

func newPlan(s Spec, h host) (*plan, error) {
	p := &plan{host: h, spec: s}
	steps := []func() error{p.resolveRoot, p.hideHost, p.addHome, p.addRoot, p.addMounts, p.addProtected, p.hideSockets, p.setDir}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// args returns the mounts, outer paths first.
func (p *plan) args() []string {
	sort.SliceStable(p.ops, func(i, j int) bool {
		a, b := p.ops[i], p.ops[j]
		if da, db := depth(a.dst), depth(b.dst); da != db {
			return da < db
		}
		if a.dst != b.dst {
			return a.dst < b.dst
		}
		return a.rank < b.rank
	})
	var out []string
	for _, o := range p.ops {
		out = append(out, o.args...)
	}
	return out
}

func (p *plan) add(rank int, dst string, args ...string) {
	p.ops = append(p.ops, op{dst: dst, rank: rank, args: args})
}

func (p *plan) resolveRoot() error {
	root, err := absolute("root", p.spec.Root)
	if err != nil {
		return err
	}
	if p.root, err = p.host.eval(root); err != nil {
		return fmt.Errorf("resolve root: %w", err)
	}
	for _, top := range []string{"/", "/proc", "/dev", "/sys"} {
		if p.root == top || top != "/" && within(p.root, top) {
			return fmt.Errorf("root %q cannot be a worktree", p.root)
		}
	}
	return nil
}

func (p *plan) hideHost() error {
	list := append([]string(nil), hostDirs[:]...)
	if p.host.uid == 0 {
		list = append(list, rootOnly[:]...)
	}
	list = append(list, p.spec.Hide...)
	list = append(list, p.spec.MaskHomes...)
	for _, path := range list {
		if err := p.hide(path); err != nil {
			return err
		}
	}
	for _, file := range resolverFiles {
		p.add(rankMount, file, "--ro-bind-try", file, file)
	}
	return nil
}

func (p *plan) hide(path string) error {
	path, err := absolute("hidden path", path)
	if err != nil {
		return err
	}
	if ok, err := p.host.exists(path); err != nil {
		return fmt.Errorf("hide a path: %w", err)
	} else if !ok {
		return nil
	}
	real, err := p.host.eval(path)
	if err != nil {
		return fmt.Errorf("hide %q: %w", path, err)
	}
	if p.root == real {
		return fmt.Errorf("root %q is itself a path to hide", p.root)
	}
	if real == "/" {
		return errors.New("hide \"/\": it holds everything")
	}
	for _, done := range p.hidden {
		if done == real {
			return nil
		}
	}
	info, err := p.host.lstat(real)
	if err != nil {
		return fmt.Errorf("hide a path: %w", err)
	}
	if info.IsDir() {
		p.hidden = append(p.hidden, real)
		p.add(rankHide, real, "--tmpfs", real)
		return nil
	}
	p.covered = append(p.covered, real)
	p.add(rankHide, real, "--ro-bind", "/dev/null", real)
	return nil
}

func (p *plan) addHome() error {
	home, err := absolute("home", p.spec.Home)
	if err != nil {
		return err
	}
	if p.home, err = p.target("home", home); err != nil {
		return err
	}
	if p.root == p.home {
		return fmt.Errorf("home %q is the worktree", p.home)
	}
	if p.home == "/" {
		return errors.New("home cannot be \"/\"")
	}
	for _, h := range p.hidden {
		if h == p.home {
			return nil
		}
	}
	p.add(rankHome, p.home, "--tmpfs", p.home)
	return nil
}

func (p *plan) addRoot() error {
	flag := "--ro-bind"
	if p.spec.Writable {
		flag = "--bind"
	}
	p.add(rankRoot, p.root, flag, p.root, p.root)
	return nil
}

func (p *plan) setDir() error {
	if p.spec.Dir == "" {
		p.dir = p.root
		return nil
	}
	dir, err := absolute("working directory", p.spec.Dir)
	if err != nil {
		return err
	}
	if p.dir, err = p.host.resolve(dir); err != nil {
		return fmt.Errorf("resolve working directory: %w", err)
	}
	return nil
}
