package git

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"testing/fstest"
)

const (
	maxTreeFiles = 20_000
	maxTreeBytes = 64 << 20
)

// TreeEntry is one path of a commit's tree. Size is -1 for what is no blob.
type TreeEntry struct {
	Path, Mode, ID string
	Size           int64
}

// Regular reports whether the entry is a plain or an executable file.
func (e TreeEntry) Regular() bool { return e.Mode == "100644" || e.Mode == "100755" }

// ListTree returns every path of commit that is one of prefixes or lies below one;
// without any, or with an empty one, every path. A prefix that is not there gives none.
func (g *Git) ListTree(ctx context.Context, dir, commit string, prefixes ...string) ([]TreeEntry, error) {
	if !IsObjectID(commit) {
		return nil, fmt.Errorf("list tree: %q is no object id", commit)
	}
	args := []string{"ls-tree", "-r", "-z", "-l", "--full-tree", commit, "--"}
	for _, prefix := range prefixes {
		if prefix = strings.Trim(prefix, "/"); prefix == "" {
			args = args[:7]
			break
		}
		args = append(args, prefix)
	}
	out, err := g.Run(ctx, dir, args...)
	if err != nil {
		return nil, err
	}
	var entries []TreeEntry
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if len(record) == 0 {
			continue
		}
		entry, ok := parseTreeEntry(string(record))
		if !ok {
			return nil, fmt.Errorf("list tree of %s: git printed %q", commit, record)
		}
		entries = append(entries, entry)
	}
	return entries, nil
}

// parseTreeEntry reads "mode type id size<TAB>path".
func parseTreeEntry(record string) (TreeEntry, bool) {
	meta, path, ok := strings.Cut(record, "\t")
	fields := strings.Fields(meta)
	if !ok || path == "" || len(fields) != 4 || !IsObjectID(fields[2]) {
		return TreeEntry{}, false
	}
	e := TreeEntry{Path: path, Mode: fields[0], ID: fields[2], Size: -1}
	if fields[3] != "-" {
		n, err := strconv.ParseInt(fields[3], 10, 64)
		if err != nil || n < 0 {
			return TreeEntry{}, false
		}
		e.Size = n
	}
	return e, true
}

// TreeFS returns the regular files at and below prefix in a commit, read into
// memory, with paths relative to prefix. Links and submodules are left out. More
// than 20,000 files or 64 MiB is an error. No file of the disk is read.
func (g *Git) TreeFS(ctx context.Context, dir, commit, prefix string) (fs.FS, error) {
	trees, err := g.TreesFS(ctx, dir, commit, prefix)
	if err != nil {
		return nil, err
	}
	return trees[0], nil
}

// TreesFS is TreeFS for several prefixes, none of which lies below another, in as
// many calls of git as for one. The bound is on all of them.
func (g *Git) TreesFS(ctx context.Context, dir, commit string, prefixes ...string) ([]fs.FS, error) {
	entries, err := g.ListTree(ctx, dir, commit, prefixes...)
	if err != nil {
		return nil, err
	}
	var files []TreeEntry
	var total int64
	for _, e := range entries {
		if !e.Regular() || !fs.ValidPath(e.Path) {
			continue
		}
		files = append(files, e)
		if total += e.Size; total > maxTreeBytes || len(files) > maxTreeFiles {
			return nil, fmt.Errorf("read tree of %s: more than %d files or %d bytes below %q", commit, maxTreeFiles, maxTreeBytes, prefixes)
		}
	}
	blobs, err := g.Blobs(ctx, dir, files)
	if err != nil {
		return nil, err
	}
	var trees []fs.FS
	for _, prefix := range prefixes {
		trees = append(trees, below(prefix, files, blobs))
	}
	return trees, nil
}

// below are the files under a prefix, by their paths from there.
func below(prefix string, files []TreeEntry, blobs [][]byte) fs.FS {
	tree := fstest.MapFS{}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	for i, e := range files {
		path, ok := strings.CutPrefix(e.Path, prefix)
		if !ok {
			continue
		}
		mode := fs.FileMode(0o644)
		if e.Mode == "100755" {
			mode = 0o755
		}
		tree[path] = &fstest.MapFile{Data: blobs[i], Mode: mode}
	}
	return tree
}

// Blobs returns the contents of entries, in their order, in one call of git. The
// caller bounds their sizes; 64 MiB in all is the most.
func (g *Git) Blobs(ctx context.Context, dir string, entries []TreeEntry) ([][]byte, error) {
	if len(entries) == 0 {
		return nil, nil
	}
	var ids strings.Builder
	var total int64
	for _, e := range entries {
		ids.WriteString(e.ID + "\n")
		total += e.Size
	}
	if total > maxTreeBytes {
		return nil, fmt.Errorf("read blobs: %d bytes are more than %d", total, maxTreeBytes)
	}
	const perHeader = 100 // id, type, size and two line ends
	c := at(dir, "cat-file", "--batch")
	c.Stdin, c.MaxOutput = []byte(ids.String()), int(total)+perHeader*len(entries)
	res, err := g.Do(ctx, c)
	if err != nil {
		return nil, err
	}
	return parseBatch(res.Stdout, entries)
}

// parseBatch reads "<id> blob <size>\n<bytes>\n" for each entry.
func parseBatch(out []byte, entries []TreeEntry) ([][]byte, error) {
	blobs := make([][]byte, 0, len(entries))
	for _, e := range entries {
		head, rest, ok := bytes.Cut(out, []byte{'\n'})
		if want := fmt.Sprintf("%s blob %d", e.ID, e.Size); !ok || string(head) != want {
			return nil, fmt.Errorf("read blob of %q: git printed %.80q instead of %q", e.Path, head, want)
		}
		if int64(len(rest)) < e.Size+1 || rest[e.Size] != '\n' {
			return nil, fmt.Errorf("read blob of %q: the output ends early", e.Path)
		}
		blobs = append(blobs, rest[:e.Size:e.Size])
		out = rest[e.Size+1:]
	}
	return blobs, nil
}
