// Package git runs the git program so that nothing a repository says takes
// effect in a call of ours: no hooks, no filters, no monitors, no configuration
// of the system or the user, no replacement objects. It also holds the Judge,
// which looks at a worktree through a git directory of its own.
package git

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/proc"
)

const (
	// maxOutput bounds the standard output of one call, in bytes.
	maxOutput = 64 << 20
	// callLimit ends a call that nobody else ends. A first checkout or fetch of
	// a large repository takes minutes.
	callLimit = 15 * time.Minute
	callGrace = 5 * time.Second
)

// Git is the git program with a clean environment. It is safe for concurrent use.
type Git struct {
	path     string
	env      []string // clean: no variable that begins with GIT_ but ours
	operator []string // like env, but git reads the operator's own settings
	own      *programs
}

// New finds git on the PATH of this process, outside of the trees that are worked
// on, those around dirs among them. It starts no process. What git itself looks for
// (ssh) is found outside too.
func New(dirs ...string) (*Git, error) {
	parent := os.Environ()
	path, err := proc.LookOutside("git", parent, dirs...)
	if err != nil {
		return nil, fmt.Errorf("find git: %w", err)
	}
	base := proc.Environ(parent, map[string]string{"PATH": proc.PathOutside(parent, dirs...)})
	return &Git{path: path, env: cleanEnv(base, parent), operator: operatorEnv(base, parent), own: new(programs)}, nil
}

// Call is one call of git.
type Call struct {
	Dir      string   // working directory; required
	GitDir   string   // names the git directory, so that git looks for none; empty: the one found from Dir
	WorkTree string   // only with GitDir
	Config   []string // "key=value", added to the fixed settings
	Args     []string // subcommand and its arguments
	Stdin    []byte
	Env      []string // "KEY=value", added to the clean environment

	ExtraFiles []*os.File    // from descriptor 3 on
	MaxOutput  int           // bytes of each stream; 0 means 64 MiB
	Cut        bool          // a longer output is cut instead of being an error
	Limit      time.Duration // 0 means 15 minutes
}

// Result is what a call printed. Output is whole unless the call allowed a cut.
type Result struct {
	Stdout, Stderr []byte
	ExitCode       int
	Truncated      bool
}

// Do performs a call. An exit status other than zero is a *CommandError beside
// the result; a call that was not finished is an error alone.
func (g *Git) Do(ctx context.Context, c Call) (Result, error) {
	return g.do(ctx, c, g.env)
}

// Run calls git in dir and returns its standard output. It reads the settings of
// the repository at dir, filters included, so a subcommand that looks at files of
// a worktree is for trees that no child has touched; for others there is the
// Judge. When dir has no .git of
// its own, is named *.git and looks like a git directory, it is used as one: the
// bare mirrors that Warden makes are found that way and no other bare repository is.
func (g *Git) Run(ctx context.Context, dir string, args ...string) ([]byte, error) {
	res, err := g.Do(ctx, at(dir, args...))
	if err != nil {
		return nil, err
	}
	return res.Stdout, nil
}

func at(dir string, args ...string) Call {
	c := Call{Dir: dir, Args: args}
	if isOwnBare(dir) {
		c.GitDir = dir
	}
	return c
}

func isOwnBare(dir string) bool {
	return strings.HasSuffix(filepath.Clean(dir), ".git") && isGitDir(dir)
}

// isGitDir reports whether dir looks like a git directory and like no worktree.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		return false
	}
	for _, name := range []string{"HEAD", "objects", "refs"} {
		if _, err := os.Lstat(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

func (g *Git) do(ctx context.Context, c Call, env []string) (Result, error) {
	return g.perform(ctx, c, fixed, env)
}

// perform is do with settings that win over every file.
func (g *Git) perform(ctx context.Context, c Call, settings, env []string) (Result, error) {
	argv := []string{g.path}
	for _, kv := range settings {
		argv = append(argv, "-c", kv)
	}
	for _, kv := range c.Config {
		argv = append(argv, "-c", kv)
	}
	if c.GitDir != "" {
		argv = append(argv, "--git-dir="+c.GitDir)
		if c.WorkTree != "" {
			argv = append(argv, "--work-tree="+c.WorkTree)
		}
	}
	argv = append(argv, quietDiff(c.Args)...)
	return g.start(ctx, c, subcommand(c.Args), argv, env)
}

// start performs a call as argv, and calls it by its name.
func (g *Git) start(ctx context.Context, c Call, name string, argv, env []string) (Result, error) {
	limit, max := c.Limit, c.MaxOutput
	if limit == 0 {
		limit = callLimit
	}
	if max == 0 {
		max = maxOutput
	}
	res, err := proc.Run(ctx, proc.Command{
		Leaf: true,
		Argv: argv, Dir: c.Dir, Env: append(env[:len(env):len(env)], c.Env...), Stdin: c.Stdin,
		Timeout: limit, Grace: callGrace, MaxOutput: max, ExtraFiles: c.ExtraFiles,
	})
	out := Result{Stdout: res.Stdout.Bytes, Stderr: res.Stderr.Bytes, ExitCode: res.ExitCode, Truncated: res.Stdout.Truncated}
	switch {
	case err != nil:
		return out, fmt.Errorf("git %s: %w", name, err)
	case res.StartErr != nil:
		return out, fmt.Errorf("git %s: %w", name, res.StartErr)
	case res.Canceled:
		return out, fmt.Errorf("git %s: %w", name, context.Cause(ctx))
	case res.TimedOut:
		return out, fmt.Errorf("git %s: ended after %s", name, limit)
	case res.Signal != "":
		return out, fmt.Errorf("git %s: ended by signal %s", name, res.Signal)
	case res.ExitCode != 0:
		return out, &CommandError{Name: name, ExitCode: res.ExitCode, Stderr: string(out.Stderr)}
	case out.Truncated && !c.Cut:
		return out, fmt.Errorf("git %s: printed more than %d bytes", name, max)
	}
	return out, nil
}

func subcommand(args []string) string {
	if len(args) == 0 {
		return ""
	}
	return args[0]
}
