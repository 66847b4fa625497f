package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tolboy/warden/internal/git"
)

// FillLFS puts the content of files that Git LFS keeps into a worktree that was just
// cut, from the objects that the repository has on this machine. It is a copy, checked
// against the pointer; no filter runs, git-lfs is not needed, and nothing is fetched.
// missing are the files of which the content is not here.
func FillLFS(ctx context.Context, g *git.Git, dir string) (filled int, missing []string, err error) {
	if !git.UsesLFS(dir) {
		return 0, nil, nil
	}
	fail := func(err error) (int, []string, error) {
		return filled, missing, fmt.Errorf("fill in files of Git LFS: %w", err)
	}
	common, err := g.CommonDir(ctx, dir)
	if err != nil {
		return fail(err)
	}
	head, err := g.Resolve(ctx, dir, "HEAD")
	if err != nil {
		return fail(err)
	}
	pointers, err := g.Pointers(ctx, dir, head)
	if err != nil {
		return fail(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return fail(err)
	}
	defer root.Close()
	for _, path := range slices.Sorted(maps.Keys(pointers)) {
		if err := ctx.Err(); err != nil {
			return fail(err)
		}
		p := pointers[path]
		object := filepath.Join(common, "lfs", "objects", p.SHA256[:2], p.SHA256[2:4], p.SHA256)
		switch err := fillOne(root, path, object, p); {
		case errors.Is(err, os.ErrNotExist):
			missing = append(missing, path)
		case err != nil:
			return fail(fmt.Errorf("%q: %w", path, err))
		default:
			filled++
		}
	}
	return filled, missing, nil
}

// fillOne replaces a pointer by its content. An object that is not what the pointer
// says is as good as none.
func fillOne(root *os.Root, path, object string, p git.Pointer) error {
	from, err := os.Open(object)
	if err != nil {
		return err
	}
	defer from.Close()
	info, err := root.Lstat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	temp := path + ".warden-lfs"
	to, err := root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(to, sum), io.LimitReader(from, p.Size+1))
	err = errors.Join(err, to.Close())
	if err == nil && (n != p.Size || hex.EncodeToString(sum.Sum(nil)) != p.SHA256) {
		err = fmt.Errorf("object %s of Git LFS is damaged: %w", p.SHA256, os.ErrNotExist)
	}
	if err == nil {
		err = root.Rename(temp, path)
	}
	if err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return nil
}

// withoutLFS drops the paths whose content is what the pointer at HEAD names.
func withoutLFS(ctx context.Context, g *git.Git, dir string, paths []string) ([]string, error) {
	if len(paths) == 0 || !git.UsesLFS(dir) {
		return paths, nil
	}
	head, err := g.Resolve(ctx, dir, "HEAD")
	if err != nil {
		return nil, err
	}
	pointers, err := g.Pointers(ctx, dir, head)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return slices.DeleteFunc(paths, func(path string) bool {
		p, ok := pointers[path]
		return ok && holdsContent(root, path, p)
	}), nil
}

// holdsContent reports whether a file has the content that a pointer names.
func holdsContent(root *os.Root, path string, p git.Pointer) bool {
	info, err := root.Lstat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != p.Size {
		return false
	}
	f, err := root.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	sum := sha256.New()
	n, err := io.Copy(sum, io.LimitReader(f, p.Size+1))
	return err == nil && n == p.Size && hex.EncodeToString(sum.Sum(nil)) == p.SHA256
}
