package sandbox

import (
	"fmt"
	"io/fs"
	"path/filepath"
)

// inHidden reports whether path lies in a directory that is replaced by an
// empty one, where any name can be made.
func (p *plan) inHidden(path string) bool {
	for _, h := range p.hidden {
		if within(path, h) {
			return true
		}
	}
	return false
}

// target returns where path is inside. Outside hidden directories the place
// must exist, because the root is read-only and the worktree is not to be
// littered.
func (p *plan) target(what, path string) (string, error) {
	if p.inHidden(path) && !within(path, p.root) {
		return path, nil
	}
	real, err := p.host.resolve(path)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", what, err)
	}
	if p.inHidden(real) && !within(real, p.root) {
		return real, nil
	}
	ok, err := p.host.exists(real)
	if err != nil {
		return "", fmt.Errorf("look at %s: %w", what, err)
	}
	if !ok {
		return "", fmt.Errorf("%s %q does not exist and lies in no hidden directory", what, path)
	}
	return real, nil
}

func (p *plan) addMounts() error {
	seen := map[string]Mount{}
	for _, m := range p.spec.Mounts {
		source, err := absolute("source of a mount", m.Source)
		if err != nil {
			return err
		}
		target, err := absolute("target of a mount", m.Target)
		if err != nil {
			return err
		}
		if source, err = p.host.eval(source); err != nil {
			return fmt.Errorf("resolve source of a mount: %w", err)
		}
		if !m.Writable && source == target && within(source, p.root) {
			continue // the worktree is shared already
		}
		if target, err = p.target("target of a mount", target); err != nil {
			return err
		}
		real := Mount{Source: source, Target: target, Writable: m.Writable}
		if prev, ok := seen[target]; ok {
			if prev == real {
				continue
			}
			return fmt.Errorf("two different mounts on %q", target)
		}
		seen[target] = real
		if err := p.allowed(real); err != nil {
			return err
		}
		flag := "--ro-bind"
		if m.Writable {
			flag = "--bind"
		}
		p.shared = append(p.shared, real)
		p.add(rankMount, target, flag, source, target)
	}
	return nil
}

// allowed refuses a mount that would open again what the rest of the spec
// closes.
func (p *plan) allowed(m Mount) error {
	if m.Source == "/" || m.Target == "/" {
		return fmt.Errorf("mount %q on %q: the whole root is never shared", m.Source, m.Target)
	}
	for _, top := range []string{"/proc", "/dev", "/sys"} {
		if within(m.Target, top) {
			return fmt.Errorf("mount on %q: %s is the sandbox's own", m.Target, top)
		}
	}
	for _, h := range p.hidden {
		// Under its own name a hidden directory stays hidden in what is shared.
		if h == m.Source || within(h, m.Source) && m.Source != m.Target {
			return fmt.Errorf("mount %q on %q: it holds the hidden directory %q", m.Source, m.Target, h)
		}
	}
	if p.root == m.Target {
		return fmt.Errorf("mount on %q: it would cover the worktree", m.Target)
	}
	if m.Writable && within(p.root, m.Source) {
		return fmt.Errorf("mount %q writable: it holds the worktree", m.Source)
	}
	if m.Writable && !p.spec.Writable && within(m.Source, p.root) {
		return fmt.Errorf("mount %q writable: the worktree is read-only", m.Source)
	}
	for _, path := range p.spec.Protect {
		kept, err := p.host.resolve(path)
		if err != nil {
			return fmt.Errorf("resolve a protected path: %w", err)
		}
		// What is mounted above the worktree is mounted before it.
		covers := overlap(m.Target, kept) && !(within(p.root, m.Target) && p.root != m.Target)
		if m.Writable && overlap(m.Source, kept) || covers {
			return fmt.Errorf("mount %q on %q: it touches the protected path %q", m.Source, m.Target, path)
		}
	}
	return nil
}

// addProtected keeps paths of a writable worktree as they are. A mount point
// cannot be renamed or removed, so every directory on the way to a protected
// path becomes one too; else a child could move the parent away and build its
// own in that place.
func (p *plan) addProtected() error {
	for _, path := range p.spec.Protect {
		way, missing, err := p.protected(path)
		if err != nil {
			return err
		}
		if !p.spec.Writable {
			continue
		}
		last := way[len(way)-1]
		for _, dir := range way[:len(way)-1] {
			p.add(rankPin, dir, "--bind", dir, dir)
		}
		if missing {
			p.add(rankProtect, last, "--tmpfs", last, "--remount-ro", last)
			continue
		}
		for _, name := range append([]string{last}, p.host.spellings(last)...) {
			p.add(rankProtect, name, "--ro-bind", name, name)
		}
	}
	return nil
}

// protected returns the directories from the worktree down to path. When path
// is missing the list ends at the first missing one, which is then kept from
// being made.
func (p *plan) protected(path string) (way []string, missing bool, err error) {
	path, err = absolute("protected path", path)
	if err != nil {
		return nil, false, err
	}
	rel := ""
	for _, root := range []string{filepath.Clean(p.spec.Root), p.root} {
		if within(path, root) && path != root {
			if rel, err = filepath.Rel(root, path); err != nil {
				return nil, false, err
			}
		}
	}
	if rel == "" {
		return nil, false, fmt.Errorf("protected path %q is not below the worktree", path)
	}
	for rest := rel; rest != "."; rest = filepath.Dir(rest) {
		way = append([]string{filepath.Join(p.root, rest)}, way...)
	}
	for i, part := range way {
		ok, err := p.host.exists(part)
		if err != nil {
			return nil, false, fmt.Errorf("look at a protected path: %w", err)
		}
		if !ok {
			return way[:i+1], true, nil
		}
		info, err := p.host.lstat(part)
		if err != nil {
			return nil, false, fmt.Errorf("look at a protected path: %w", err)
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			return nil, false, fmt.Errorf("protected path %q passes through the link %q, which a child could replace", path, part)
		}
	}
	return way, false, nil
}
