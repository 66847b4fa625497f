package cli

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/runner"
)

// treeKey names a worktree in the state directory.
func treeKey(ctx context.Context, m *runner.Machine, dir string) string {
	if root, err := m.Git.Root(ctx, dir); err == nil {
		dir = root
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return keyOf(dir)
}

// keyOf names a worktree by its path, in which no link is left.
func keyOf(dir string) string {
	key := sha256.Sum256([]byte(dir))
	return hex.EncodeToString(key[:16])
}

// owed is the note that a worktree was cut and that the project's setup commands
// have not succeeded in it yet. Whichever run is the first in it runs them: a draft
// alone, or a setup that failed, leaves it for the next.
func owed(ctx context.Context, m *runner.Machine, dir string) string {
	return filepath.Join(m.StateDir, "owed", treeKey(ctx, m, dir))
}

func owe(ctx context.Context, m *runner.Machine, dir string) error {
	name := owed(ctx, m, dir)
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return fmt.Errorf("note that the worktree is not set up: %w", err)
	}
	if err := os.WriteFile(name, []byte(dir+"\n"), 0o600); err != nil {
		return fmt.Errorf("note that the worktree is not set up: %w", err)
	}
	return nil
}

func owes(ctx context.Context, m *runner.Machine, dir string) (bool, error) {
	_, err := os.Lstat(owed(ctx, m, dir))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

func paid(ctx context.Context, m *runner.Machine, dir string) error {
	if err := os.Remove(owed(ctx, m, dir)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("note that the worktree is set up: %w", err)
	}
	return nil
}
