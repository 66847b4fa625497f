package ledger

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/tolboy/warden/internal/durable"
)

// Copy writes a run as it was read, with every file that its events name and its
// summaries, into another directory of runs, which has nothing of it. Files that may be
// withheld are left out where they are missing. Whether the copy is whole, Verify says.
func Copy(runsDir, id string, h History, to string) error {
	from, err := openRuns(runsDir, id)
	if err != nil {
		return err
	}
	defer from.Close()
	into, err := durable.MakeDir(to)
	if err != nil {
		return fmt.Errorf("copy run %q: %w", id, err)
	}
	defer into.Close()
	evidence, err := from.Read(path.Join(id, fileEvidence), MaxEvidence)
	if err != nil {
		return fmt.Errorf("copy run %q: %w", id, err)
	}
	put := func(name string, data []byte, err error) error {
		if err == nil {
			err = into.Mkdir(path.Dir(name))
		}
		if err == nil {
			err = into.Create(name, data)
		}
		if err != nil {
			return fmt.Errorf("copy run %q: %w", id, err)
		}
		return nil
	}
	if err := put(path.Join(id, fileEvidence), upTo(evidence, len(h.Lines)), nil); err != nil {
		return err
	}
	done := map[string]bool{}
	for _, l := range h.Lines {
		for _, f := range l.Files {
			if done[f.Path] {
				continue
			}
			done[f.Path] = true
			data, err := read(from, f)
			if errors.Is(err, fs.ErrNotExist) && withholdable(f.Path) {
				continue
			}
			if err := put(f.Path, data, err); err != nil {
				return err
			}
		}
	}
	for _, name := range []string{fileHead, fileTaskRun, fileReport, fileDecision} {
		data, err := from.Read(path.Join(id, name), MaxFile)
		if errors.Is(err, fs.ErrNotExist) && name != fileHead {
			continue
		}
		if err := put(path.Join(id, name), data, err); err != nil {
			return err
		}
	}
	return nil
}

// upTo cuts a chain behind its first n lines: it may have grown since it was read.
func upTo(evidence []byte, n int) []byte {
	end := 0
	for range n {
		end += bytes.IndexByte(evidence[end:], '\n') + 1
	}
	return evidence[:end]
}
