package push

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	maxInline      = 32 << 20 // of a ledger in memory at once
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
	for _, id := range reach {
		if !git.IsObjectID(id) {
			return "", fmt.Errorf("commit to reach %q is no object id", id)
		}
	}
	paths := slices.Sorted(maps.Keys(files))
	if err := checkPaths(paths); err != nil {
		return "", err
	}
	small, large, err := sortBySize(paths, files)
	if err != nil {
		return "", err
	}
	blobs, err := p.store(ctx, gitDir, large)
	if err != nil {
		return "", err
	}
	return p.importCommit(ctx, gitDir, ledgerImport{
		paths: paths, small: small, blobs: blobs, parent: parent, message: message, when: when, reach: reach,
	})
}

// sortBySize reads the small files, so that one process can take them all, and
// names the places of the others.
func sortBySize(paths []string, files map[string]string) (small map[string][]byte, large map[string]string, err error) {
	small, large = map[string][]byte{}, map[string]string{}
	var total, inline int64
	for _, name := range paths {
		disk, err := filepath.Abs(files[name])
		if err != nil {
			return nil, nil, err
		}
		info, err := os.Lstat(disk)
		if err != nil {
			return nil, nil, err
		}
		total += info.Size()
		switch {
		case !info.Mode().IsRegular():
			return nil, nil, fmt.Errorf("file %q is not a regular file", disk)
		case strings.ContainsAny(disk, "\n\""):
			return nil, nil, fmt.Errorf("file %q has a name that cannot be passed on", disk)
		case info.Size() > maxLedgerFile || total > maxLedgerBytes:
			return nil, nil, fmt.Errorf("file %q: more than %d bytes, or %d in all", disk, maxLedgerFile, maxLedgerBytes)
		case inline+info.Size() > maxInline:
			large[name] = disk
			continue
		}
		data, err := os.ReadFile(disk)
		if err != nil {
			return nil, nil, err
		}
		inline += int64(len(data))
		small[name] = data
	}
	return small, large, nil
}

// store writes the contents of files and returns their ids by the files' names.
func (p *Pusher) store(ctx context.Context, gitDir string, files map[string]string) (map[string]string, error) {
	if len(files) == 0 {
		return nil, nil
	}
	paths := slices.Sorted(maps.Keys(files))
	var names strings.Builder
	for _, name := range paths {
		names.WriteString(files[name] + "\n")
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
	blobs := map[string]string{}
	for i, name := range paths {
		blobs[name] = ids[i]
	}
	return blobs, nil
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
