package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/git"
)

const (
	maxLedgerFiles = 20_000
	maxLedgerBytes = 1 << 30
	maxLedgerFile  = 64 << 20
	ledgerName     = "Warden"
	ledgerAddress  = "warden@localhost"
)

// LedgerCommit writes files into gitDir as the whole tree of a commit and returns
// its id. The keys are paths in the tree, the values regular files of the disk,
// stored byte for byte. The same files, parent, message and second give the same
// id. Parent may be empty. The commits in reach become further parents, so that
// whoever has the ledger has them too.
func (p *Pusher) LedgerCommit(ctx context.Context, gitDir string, files map[string]string, parent, message string, when time.Time, reach ...string) (string, error) {
	id, err := p.ledgerCommit(ctx, gitDir, files, parent, message, when, reach)
	if err != nil {
		return "", fmt.Errorf("commit the ledger: %w", err)
	}
	return id, nil
}

func (p *Pusher) ledgerCommit(ctx context.Context, gitDir string, files map[string]string, parent, message string, when time.Time, reach []string) (string, error) {
	if parent != "" && !git.IsObjectID(parent) {
		return "", fmt.Errorf("parent %q is no object id", parent)
	}
	if strings.TrimSpace(message) == "" || strings.ContainsRune(message, 0) || when.Unix() < 0 {
		return "", errors.New("no message or no time")
	}
	paths := make([]string, 0, len(files))
	for name := range files {
		paths = append(paths, name)
	}
	slices.Sort(paths)
	if err := checkPaths(paths); err != nil {
		return "", err
	}
	blobs, err := p.store(ctx, gitDir, paths, files)
	if err != nil {
		return "", err
	}
	tree, err := p.tree(ctx, gitDir, paths, blobs)
	if err != nil {
		return "", err
	}
	var parents []string
	if parent != "" {
		parents = []string{parent}
	}
	for _, id := range reach {
		if !git.IsObjectID(id) {
			return "", fmt.Errorf("commit to reach %q is no object id", id)
		}
	}
	parents = append(parents, reach...)
	return p.git.CommitTree(ctx, gitDir, tree, parents, git.CommitSpec{Message: message, Name: ledgerName, Email: ledgerAddress, When: when})
}

// store writes the files' contents and returns their ids in the order of paths.
func (p *Pusher) store(ctx context.Context, gitDir string, paths []string, files map[string]string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var names strings.Builder
	var total int64
	for _, name := range paths {
		disk, err := filepath.Abs(files[name])
		if err != nil {
			return nil, err
		}
		info, err := os.Lstat(disk)
		if err != nil {
			return nil, err
		}
		total += info.Size()
		switch {
		case !info.Mode().IsRegular():
			return nil, fmt.Errorf("file %q is not a regular file", disk)
		case strings.ContainsAny(disk, "\n\""):
			return nil, fmt.Errorf("file %q has a name that cannot be passed on", disk)
		case info.Size() > maxLedgerFile || total > maxLedgerBytes:
			return nil, fmt.Errorf("file %q: more than %d bytes, or %d in all", disk, maxLedgerFile, maxLedgerBytes)
		}
		names.WriteString(disk + "\n")
	}
	res, err := p.git.Do(ctx, git.Call{
		Dir: gitDir, GitDir: gitDir, Stdin: []byte(names.String()),
		Args: []string{"hash-object", "-w", "--no-filters", "--stdin-paths"},
	})
	if err != nil {
		return nil, err
	}
	ids := strings.Fields(string(res.Stdout))
	if len(ids) != len(paths) {
		return nil, fmt.Errorf("git hash-object: %d ids for %d files", len(ids), len(paths))
	}
	return ids, nil
}

func (p *Pusher) tree(ctx context.Context, gitDir string, paths, blobs []string) (string, error) {
	dir, err := os.MkdirTemp("", "warden-ledger-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	var entries strings.Builder
	for i, name := range paths {
		fmt.Fprintf(&entries, "100644 %s\t%s\x00", blobs[i], name)
	}
	c := git.Call{Dir: gitDir, GitDir: gitDir, Env: []string{"GIT_INDEX_FILE=" + filepath.Join(dir, "index")}}
	c.Args, c.Stdin = []string{"update-index", "--add", "-z", "--index-info"}, []byte(entries.String())
	if _, err := p.git.Do(ctx, c); err != nil {
		return "", err
	}
	c.Args, c.Stdin = []string{"write-tree"}, nil
	res, err := p.git.Do(ctx, c)
	return strings.TrimSpace(string(res.Stdout)), err
}

// ReadTree writes the files of a commit below toDir, which must be absent or
// empty. A commit comes from a remote: a link, a submodule, a path that leads
// out or means git's own directory, two paths that some file system takes for
// one, more than 20,000 files or 1 GiB are errors, found before the first byte
// is written.
func (p *Pusher) ReadTree(ctx context.Context, gitDir, commit, toDir string) error {
	if err := p.readTree(ctx, gitDir, commit, toDir); err != nil {
		return fmt.Errorf("read ledger commit %.12s: %w", commit, err)
	}
	return nil
}

func (p *Pusher) readTree(ctx context.Context, gitDir, commit, toDir string) error {
	entries, err := p.git.ListTree(ctx, gitDir, commit, "")
	if err != nil {
		return err
	}
	paths, total := make([]string, len(entries)), int64(0)
	for i, e := range entries {
		if !e.Regular() {
			return fmt.Errorf("path %q is not a regular file", e.Path)
		}
		if total += e.Size; e.Size > maxLedgerFile || total > maxLedgerBytes {
			return fmt.Errorf("path %q: more than %d bytes, or %d in all", e.Path, maxLedgerFile, maxLedgerBytes)
		}
		paths[i] = e.Path
	}
	if err := checkPaths(paths); err != nil {
		return err
	}
	if err := os.MkdirAll(toDir, 0o700); err != nil {
		return err
	}
	if there, err := os.ReadDir(toDir); err != nil || len(there) > 0 {
		return errors.Join(fmt.Errorf("directory %s is not empty", toDir), err)
	}
	root, err := os.OpenRoot(toDir)
	if err != nil {
		return err
	}
	defer root.Close()
	for start := 0; start < len(entries); {
		end, size := start+1, entries[start].Size
		for end < len(entries) && end-start < 1000 && size+entries[end].Size <= maxLedgerFile {
			size += entries[end].Size
			end++
		}
		blobs, err := p.git.Blobs(ctx, gitDir, entries[start:end])
		if err != nil {
			return err
		}
		for i, data := range blobs {
			if err := writeNew(root, entries[start+i].Path, data); err != nil {
				return err
			}
		}
		start = end
	}
	return nil
}

func writeNew(root *os.Root, name string, data []byte) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Close())
}

// checkPaths accepts plain names that mean the same on every file system.
func checkPaths(paths []string) error {
	if len(paths) > maxLedgerFiles {
		return fmt.Errorf("%d files are more than %d", len(paths), maxLedgerFiles)
	}
	spelled, files := map[string]string{}, map[string]bool{}
	for _, name := range paths {
		if !fs.ValidPath(name) || name == "." || len(name) > 1024 || strings.ContainsAny(name, "\\:\x00\n\r\t\"<>|?*") {
			return fmt.Errorf("path %q is not a plain one", name)
		}
		if why := git.BadPath(name); why != "" {
			return fmt.Errorf("path %q: %s", name, why)
		}
		for at := name; at != "."; at = path.Dir(at) {
			key := strings.ToLower(at)
			// A folder may come again, a file may not, nor may it be a folder too.
			if other, ok := spelled[key]; ok && (other != at || at == name || files[at]) {
				return fmt.Errorf("path %q meets path %q", name, other)
			}
			spelled[key] = at
		}
		files[name] = true
	}
	return nil
}
