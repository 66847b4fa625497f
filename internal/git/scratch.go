package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// scratch is a throwaway index that begins as the base's. The Judge's own index
// is not used for writing, so that it stays what the next look needs.
type scratch struct {
	judge *Judge
	index string
}

func (j *Judge) scratch(ctx context.Context) (*scratch, error) {
	if err := j.readBase(ctx); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(j.cfg.GitDir, "scratch-")
	if err != nil {
		return nil, fmt.Errorf("make a scratch index: %w", err)
	}
	s := &scratch{judge: j, index: filepath.Join(dir, "index")}
	if err := copyFile(j.baseFile, s.index); err != nil {
		s.remove()
		return nil, fmt.Errorf("make a scratch index: %w", err)
	}
	return s, nil
}

// readBase makes the base's index, once for a git directory.
func (j *Judge) readBase(ctx context.Context) error {
	if j.baseFile != "" {
		return nil
	}
	file := filepath.Join(j.cfg.GitDir, "index-of-"+j.cfg.Base)
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		c := j.call("read-tree", "--index-output="+file, j.cfg.Base)
		c.Env = []string{"GIT_INDEX_FILE=" + file + ".none"}
		if _, err := j.git.Do(ctx, c); err != nil {
			return fmt.Errorf("read the base into an index: %w", err)
		}
	} else if err != nil {
		return fmt.Errorf("look for the base's index: %w", err)
	}
	j.baseFile = file
	return nil
}

func (s *scratch) remove() { os.RemoveAll(filepath.Dir(s.index)) }

func (s *scratch) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	c := s.judge.call(args...)
	c.Stdin, c.Env = stdin, []string{"GIT_INDEX_FILE=" + s.index}
	res, err := s.judge.git.Do(ctx, c)
	return res.Stdout, err
}

// add stores the files at paths as git does, which converts line ends and, in a
// git directory that defines no filter, nothing else.
func (s *scratch) add(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := s.run(ctx, list(paths), "update-index", "--add", "--replace", "-z", "--stdin")
	return err
}

// drop takes paths out of the index. It comes before add: a directory may now be
// a file, and a file a directory.
func (s *scratch) drop(ctx context.Context, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	_, err := s.run(ctx, list(paths), "update-index", "--force-remove", "-z", "--stdin")
	return err
}

// changes lists what the index holds that the base does not.
func (s *scratch) changes(ctx context.Context) ([]Change, error) {
	out, err := s.run(ctx, nil, "diff-index", "--cached", "--raw", "--no-renames", "--no-abbrev", "-z", s.judge.cfg.Base, "--")
	if err != nil {
		return nil, err
	}
	return parseRaw(out)
}

func list(paths []string) []byte { return []byte(strings.Join(paths, "\x00") + "\x00") }
