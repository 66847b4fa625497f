package git

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// maxPointer is the largest file that can be a pointer of Git LFS, in bytes.
const maxPointer = 1024

// Pointer is what Git LFS commits in place of a file.
type Pointer struct {
	SHA256 string // of the file's content
	Size   int64
}

var pointer = regexp.MustCompile(`^version https://git-lfs\.github\.com/spec/v1\n(?:ext-[^\n]*\n)*oid sha256:([0-9a-f]{64})\nsize (0|[1-9][0-9]{0,17})\n$`)

// ParsePointer reads a pointer. What is not plainly one is none.
func ParsePointer(data []byte) (Pointer, bool) {
	if len(data) > maxPointer {
		return Pointer{}, false
	}
	m := pointer.FindSubmatch(data)
	if m == nil {
		return Pointer{}, false
	}
	size, err := strconv.ParseInt(string(m[2]), 10, 64)
	return Pointer{SHA256: string(m[1]), Size: size}, err == nil
}

// UsesLFS reports whether the tree at root asks for Git LFS at its top. A look that
// fails is a no: files of LFS then count as what they are.
func UsesLFS(root string) bool {
	name := filepath.Join(root, ".gitattributes")
	info, err := os.Lstat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<20))
	return err == nil && bytes.Contains(data, []byte("filter=lfs"))
}

// withoutLFS drops what differs from the base only in that the content stands where
// the base has the pointer to just that content. No filter is run for it: it is a
// comparison of hashes.
func (j *Judge) withoutLFS(ctx context.Context, changes []Change) ([]Change, error) {
	if !UsesLFS(j.disk(".")) {
		return changes, nil
	}
	ids := map[string]Pointer{}
	for _, c := range changes {
		if c.Kind == 'M' && c.Mode == c.OldMode && c.SHA256 != "" {
			ids[c.Before] = Pointer{}
		}
	}
	if len(ids) == 0 {
		return changes, nil
	}
	if err := j.git.pointers(ctx, j.cfg.GitDir, ids); err != nil {
		return nil, fmt.Errorf("compare files of Git LFS: %w", err)
	}
	out := changes[:0]
	for _, c := range changes {
		if p := ids[c.Before]; c.Kind != 'M' || c.Mode != c.OldMode || p.SHA256 == "" || p.SHA256 != c.SHA256 {
			out = append(out, c)
		}
	}
	return out, nil
}

// pointers fills in those of the blobs that are pointers.
func (g *Git) pointers(ctx context.Context, dir string, ids map[string]Pointer) error {
	var asked strings.Builder
	for id := range ids {
		asked.WriteString(id + "\n")
	}
	c := at(dir, "cat-file", "--batch-check=%(objectname) %(objecttype) %(objectsize)")
	c.Stdin = []byte(asked.String())
	res, err := g.Do(ctx, c)
	if err != nil {
		return err
	}
	var small []TreeEntry
	for line := range strings.Lines(string(res.Stdout)) {
		f := strings.Fields(line)
		if len(f) != 3 || f[1] != "blob" {
			continue
		}
		if size, err := strconv.ParseInt(f[2], 10, 64); err == nil && size <= maxPointer {
			small = append(small, TreeEntry{ID: f[0], Size: size})
		}
	}
	blobs, err := g.Blobs(ctx, dir, small)
	if err != nil {
		return err
	}
	for i, e := range small {
		if p, ok := ParsePointer(blobs[i]); ok {
			ids[e.ID] = p
		}
	}
	return nil
}

// Pointers returns the files of a commit that are pointers of Git LFS, by path.
func (g *Git) Pointers(ctx context.Context, dir, commit string) (map[string]Pointer, error) {
	tree, err := g.ListTree(ctx, dir, commit, "")
	if err != nil {
		return nil, err
	}
	ids := map[string]Pointer{}
	for _, e := range tree {
		if e.Regular() && e.Size <= maxPointer && e.Size > 0 {
			ids[e.ID] = Pointer{}
		}
	}
	if err := g.pointers(ctx, dir, ids); err != nil {
		return nil, err
	}
	out := map[string]Pointer{}
	for _, e := range tree {
		if p := ids[e.ID]; e.Regular() && p.SHA256 != "" {
			out[e.Path] = p
		}
	}
	return out, nil
}
