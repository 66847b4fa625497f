package sandbox

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const (
	maxLinks        = 40 // links followed from one name, as in the kernel
	maxInterpreters = 3  // scripts started by scripts
)

// ExecutableMounts returns what has to be shared, read-only, so that the
// executable at path can start although directories in hidden are empty
// inside. Every link on the way is followed. Of each place it shares the
// node_modules directory that holds it, with the bin directory of the same
// installation, or else the directory of the file, with lib and libexec beside
// a bin directory; a file that lies directly in a hidden directory is shared
// alone. The interpreter of a script counts too. It never returns a hidden
// directory itself, nor anything for a path that does not exist.
func ExecutableMounts(path string, hidden []string) []Mount {
	s := shares{}
	for _, dir := range hidden {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			s.hidden = append(s.hidden, real)
		}
	}
	s.executable(path, 0)
	return s.mounts()
}

// shares collects the paths to share.
type shares struct {
	hidden []string
	paths  []string
	links  []Mount // links that are shared alone, as the file they lead to
}

func (s *shares) executable(path string, level int) {
	path, err := filepath.Abs(path)
	if err != nil || level > maxInterpreters {
		return
	}
	for range maxLinks {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return
		}
		path = filepath.Join(dir, filepath.Base(path))
		info, err := os.Lstat(path)
		if err != nil {
			return
		}
		s.place(path)
		if info.Mode()&os.ModeSymlink == 0 {
			if next := interpreter(path); next != "" {
				s.executable(next, level+1)
			}
			return
		}
		to, err := os.Readlink(path)
		if err != nil {
			return
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(dir, to)
		}
		path = to
	}
}

// place shares the smallest installation around path, if it is hidden.
func (s *shares) place(path string) {
	home := s.hiddenBy(path)
	if home == "" {
		return
	}
	if at := strings.Index(path[len(home):], "/node_modules/"); at >= 0 {
		top := path[:len(home)+at]
		s.paths = append(s.paths, top+"/node_modules")
		if prefix := filepath.Dir(top); filepath.Base(top) == "lib" && prefix != home && within(prefix, home) {
			s.directory(filepath.Join(prefix, "bin"))
		}
		return
	}
	dir := filepath.Dir(path)
	if s.isHidden(dir) {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			s.links = append(s.links, Mount{Source: real, Target: path})
		}
		return
	}
	s.paths = append(s.paths, dir)
	if filepath.Base(dir) == "bin" {
		for _, beside := range []string{"lib", "libexec"} {
			s.directory(filepath.Join(filepath.Dir(dir), beside))
		}
	}
}

// directory shares dir if it is a directory and not one of the hidden ones.
func (s *shares) directory(dir string) {
	if info, err := os.Lstat(dir); err == nil && info.IsDir() && !s.isHidden(dir) {
		s.paths = append(s.paths, dir)
	}
}

func (s *shares) hiddenBy(path string) string {
	best := ""
	for _, h := range s.hidden {
		if path != h && within(path, h) && len(h) > len(best) {
			best = h
		}
	}
	return best
}

// isHidden reports whether sharing dir would show a whole hidden directory.
func (s *shares) isHidden(dir string) bool {
	for _, h := range s.hidden {
		if within(h, dir) {
			return true
		}
	}
	return false
}

// mounts drops what lies in another shared path.
func (s *shares) mounts() []Mount {
	var out []Mount
	add := func(m Mount, source string) {
		for _, p := range s.paths {
			if p != source && within(m.Target, p) {
				return
			}
		}
		for _, done := range out {
			if done.Target == m.Target {
				return
			}
		}
		out = append(out, m)
	}
	for _, p := range s.paths {
		add(Mount{Source: p, Target: p}, p)
	}
	for _, m := range s.links {
		add(m, "")
	}
	return out
}

// interpreter returns the executable that a script names in its first line, or
// "". Behind env it is looked up on the caller's PATH.
func interpreter(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	line, err := bufio.NewReader(io.LimitReader(f, 256)).ReadString('\n')
	if err != nil && err != io.EOF {
		return ""
	}
	rest, ok := strings.CutPrefix(line, "#!")
	if !ok {
		return ""
	}
	words := strings.Fields(rest)
	if len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		return words[0]
	}
	for _, word := range words[1:] {
		if strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if found, err := exec.LookPath(word); err == nil {
			return found
		}
		return ""
	}
	return ""
}
