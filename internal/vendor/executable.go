package vendor

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

// ErrRunner is returned for a profile whose runner is not built.
var ErrRunner = errors.New("this version of Warden does not have it")

// Available reports why a profile's program cannot be started, or nil. Nothing is
// run, no shell is asked, and no server: a local profile needs no program.
func (r *Runner) Available(p policy.Profile, env []string) error {
	if p.Runner == "local" {
		return nil
	}
	if p.Runner == "orca" {
		_, err := r.Find(OrcaProgram(env), env)
		return err
	}
	if p.Runner != "" && p.Runner != "direct" {
		return fmt.Errorf("profile %q: runner %s: %w", p.Name, p.Runner, ErrRunner)
	}
	_, err := r.Find(p.Command, env)
	return err
}

// locate finds the program. One that lies in the tree under work is refused: a
// candidate must not bring the program that judges or writes it.
func (r *Runner) locate(name, root string, env []string) (string, error) {
	path, err := r.Find(name, env, root)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", fmt.Errorf("resolve %s: %w", path, err)
	}
	for _, p := range []string{path, real} {
		if within(p, root) {
			return "", fmt.Errorf("the command %q would be taken from the tree under work (%s)", name, p)
		}
	}
	if by := interpreter(path, env); by != "" && proc.Inside(by, root) != "" {
		return "", fmt.Errorf("the command %q is a script whose interpreter would be taken from the tree under work (%s); correct PATH", name, by)
	}
	return path, nil
}

// executableMounts are the directories that a program needs to start: its own,
// its package's, and those of the interpreter that its first line names. Where
// the operator's home is hidden, a program installed there starts only because of
// them.
func executableMounts(path string, env, hidden []string) []sandbox.Mount {
	seen := map[string]bool{}
	var mounts []sandbox.Mount
	add := func(dir string) {
		if dir == "/" || seen[dir] || system(dir) {
			return
		}
		seen[dir] = true
		mounts = append(mounts, sandbox.Mount{Source: dir, Target: dir})
	}
	for _, program := range []string{path, interpreter(path, env)} {
		if program == "" {
			continue
		}
		real, err := filepath.EvalSymlinks(program)
		if err != nil {
			continue
		}
		for _, dir := range []string{packageRoot(real), filepath.Dir(program)} {
			if !slices.Contains(hidden, dir) {
				add(dir)
			} else if !seen[program] {
				// The directory stays hidden; only the program is shared.
				seen[program] = true
				mounts = append(mounts, sandbox.Mount{Source: real, Target: program})
			}
		}
	}
	return mounts
}

// packageRoot is the directory that holds a program and its parts: for a Node
// package the outermost node_modules, else the program's own directory.
func packageRoot(real string) string {
	const mark = string(filepath.Separator) + "node_modules" + string(filepath.Separator)
	if i := strings.Index(real, mark); i >= 0 {
		return real[:i+len(mark)-1]
	}
	return filepath.Dir(real)
}

// interpreter finds the program named by a script's first line, or "".
func interpreter(path string, env []string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, 256)
	n, err := io.ReadFull(f, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) || n < 2 || head[0] != '#' || head[1] != '!' {
		return ""
	}
	line, _, _ := bytes.Cut(head[2:n], []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) == 0 {
		return ""
	}
	if filepath.Base(words[0]) != "env" {
		return words[0]
	}
	for _, w := range words[1:] {
		if !strings.HasPrefix(w, "-") {
			found, err := proc.LookPath(w, env)
			if err != nil {
				return ""
			}
			return found
		}
	}
	return ""
}

// system reports whether a directory belongs to the system, which every sandbox
// shows as it is.
func system(dir string) bool {
	for _, root := range []string{"/usr", "/bin", "/sbin", "/lib", "/lib64", "/opt", "/nix"} {
		if within(dir, root) {
			return true
		}
	}
	return false
}

func within(path, root string) bool {
	return root != "" && (path == root || strings.HasPrefix(path, strings.TrimSuffix(root, "/")+"/"))
}
