package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// JudgeConfig says what is judged and from where.
type JudgeConfig struct {
	Worktree string // the files that are judged
	GitDir   string // Warden's own, named *.git; made if absent; outside every child's reach
	Source   string // the repository's git directory, whose objects are read
	Base     string // commit that changes are counted from
	Head     string // commit that is checked out

	// DistrustIndex says that a child may already have run on the worktree while
	// GitDir was absent. Its index is then not taken over and every file is read once.
	DistrustIndex bool

	// Settings, when set, are those of Source, read before any child ran.
	Settings *Settings

	// Now tells what changed only just before the judge was opened; nil is time.Now.
	Now func() time.Time
}

// Judge looks at the files of a worktree through a git directory of its own:
// own settings, own index, own ignore rules, objects read from the repository.
// Nothing that a child writes into the repository's git directory reaches it.
// Its methods may not be called at the same time.
type Judge struct {
	git        *Git
	cfg        JudgeConfig
	fileMode   bool
	ignoreCase bool // git found, when it made the repository, that its file system does
	sha256     bool
	sparse     bool                // some tracked files were not checked out at the start
	tracked    []byte              // "ls-files -v -s -z" of Head, for spelling
	folded     map[string]string   // spelling by path without case, made from tracked when it is first needed
	twins      map[string][]string // the spellings of what is tracked in several; made with folded
	modules    []string            // submodules that were not checked out at the start

	submodules []string  // all of Head
	looked     time.Time // when the last look began
	baseFile   string    // index of Base, made when it is first needed
	ahead      []Change  // what Head changed since Base
}

// OpenJudge makes the git directory, or opens the one that is there: what was
// taken over from the repository at the first opening (settings, excludes, stat
// data of the index) is kept and never read again.
func (g *Git) OpenJudge(ctx context.Context, cfg JudgeConfig) (*Judge, error) {
	if !IsObjectID(cfg.Base) || !IsObjectID(cfg.Head) {
		return nil, fmt.Errorf("open judge: base %q and head %q must be object ids", cfg.Base, cfg.Head)
	}
	if err := cfg.resolve(); err != nil {
		return nil, fmt.Errorf("open judge: %w", err)
	}
	j := &Judge{git: g, cfg: cfg}
	if err := j.makeDir(ctx); err != nil {
		return nil, fmt.Errorf("open judge: %w", err)
	}
	for _, id := range slices.Compact([]string{cfg.Base, cfg.Head}) {
		if _, err := j.run(ctx, "cat-file", "-e", id+"^{commit}"); err != nil {
			return nil, fmt.Errorf("open judge: commit %s is not in %s: %w", id, cfg.Source, err)
		}
	}
	if err := j.seedIndex(ctx); err != nil {
		return nil, fmt.Errorf("open judge: %w", err)
	}
	if cfg.Base != cfg.Head {
		out, err := j.run(ctx, "diff-tree", "-r", "--raw", "--no-renames", "--no-abbrev", "-z", cfg.Base, cfg.Head, "--")
		if err == nil {
			j.ahead, err = parseRaw(out)
		}
		if err != nil {
			return nil, fmt.Errorf("open judge: %w", err)
		}
	}
	return j, nil
}

// GitDir returns the absolute path of the git directory that holds the candidate's objects.
func (j *Judge) GitDir() string { return j.cfg.GitDir }

// resolve makes the paths absolute and free of links, so that two spellings of
// one place compare equal.
func (c *JudgeConfig) resolve() error {
	var err error
	if c.Worktree, err = realPath(c.Worktree); err != nil {
		return fmt.Errorf("worktree: %w", err)
	}
	if c.Source, err = realPath(c.Source); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	// A linked worktree's own directory leads to the common one.
	if data, err := os.ReadFile(filepath.Join(c.Source, "commondir")); err == nil {
		common := strings.TrimSpace(string(data))
		if !filepath.IsAbs(common) {
			common = filepath.Join(c.Source, common)
		}
		if c.Source, err = realPath(common); err != nil {
			return fmt.Errorf("source: %w", err)
		}
	}
	if c.GitDir == "" {
		return errors.New("no git directory named")
	}
	if err := os.MkdirAll(c.GitDir, 0o700); err != nil {
		return err
	}
	if c.GitDir, err = realPath(c.GitDir); err != nil {
		return err
	}
	if rel, err := filepath.Rel(c.Worktree, c.GitDir); err == nil && filepath.IsLocal(rel) {
		return fmt.Errorf("git directory %s lies inside the worktree", c.GitDir)
	}
	return nil
}

func realPath(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

func (j *Judge) makeDir(ctx context.Context) error {
	dir := j.cfg.GitDir
	excludes := filepath.Join(dir, "info", "operator-excludes")
	spec := DirSpec{Dir: dir, Alternates: []string{filepath.Join(j.cfg.Source, "objects")}, Head: j.cfg.Head}
	// Read once: later the repository's settings may be a child's.
	settings, first := Settings{}, false
	if _, err := os.Lstat(filepath.Join(dir, "config")); errors.Is(err, fs.ErrNotExist) {
		if settings, err = j.operatorSettings(ctx); err != nil {
			return err
		}
		first = true
		if err := os.MkdirAll(filepath.Dir(excludes), 0o700); err != nil {
			return err
		}
		if err := copyExcludes(settings.ExcludesFile, excludes); err != nil {
			return err
		}
	} else if err != nil {
		return err
	}
	spec.Config = append(settings.Core, "core.excludesfile="+excludes)
	spec.ObjectFormat = settings.ObjectFormat
	if err := MakeDir(spec); err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(dir, "info", "exclude"), []byte("/.warden/runs/\n")); err != nil {
		return err
	}
	if err := copyShallow(j.cfg.Source, dir); err != nil {
		return err
	}
	own := settings // as they have just been written
	if !first {
		out, err := j.run(ctx, "config", "-z", "--local", "--list")
		if err != nil {
			return err
		}
		own = parseSettings(out)
	}
	j.fileMode, j.sha256 = own.FileMode, own.ObjectFormat == "sha256"
	j.ignoreCase = slices.Contains(own.Core, "core.ignorecase=true")
	return nil
}

func (j *Judge) operatorSettings(ctx context.Context) (Settings, error) {
	if j.cfg.Settings != nil {
		return *j.cfg.Settings, nil
	}
	return j.git.Settings(ctx, j.cfg.Source)
}

// copyExcludes freezes the operator's excludes: the file may lie where a child can write.
func copyExcludes(from, to string) error {
	if from == "" {
		return nil
	}
	const most = 1 << 20
	info, err := os.Stat(from)
	if err != nil {
		return fmt.Errorf("read the operator's excludes: %w", err)
	}
	if info.Size() > most {
		return fmt.Errorf("read the operator's excludes: %s is larger than %d bytes", from, most)
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("read the operator's excludes: %w", err)
	}
	return replaceFile(to, data)
}

// copyShallow takes over where a shallow clone's history ends; without it a walk
// over the history would miss commits that were never fetched.
func copyShallow(source, dir string) error {
	data, err := os.ReadFile(filepath.Join(source, "shallow"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read where the shallow clone ends: %w", err)
	}
	return replaceFile(filepath.Join(dir, "shallow"), data)
}

// disk returns where a path of the tree is on the disk.
func (j *Judge) disk(path string) string {
	return filepath.Join(j.cfg.Worktree, filepath.FromSlash(path))
}

func (j *Judge) call(args ...string) Call {
	c := Call{Dir: j.cfg.Worktree, GitDir: j.cfg.GitDir, WorkTree: j.cfg.Worktree, Args: args}
	if j.sparse {
		// Makes git look at a file that appears where nothing was checked out.
		c.Config = []string{"core.sparseCheckout=true"}
	}
	return c
}

func (j *Judge) run(ctx context.Context, args ...string) ([]byte, error) {
	res, err := j.git.Do(ctx, j.call(args...))
	return res.Stdout, err
}
