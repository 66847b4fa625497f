package ledger

import (
	"fmt"
	"io/fs"
)

// ReadNamed returns a file of a run's evidence by its path below the runs directory,
// held against the hash by which an event names it: ErrAltered where it differs, and
// fs.ErrNotExist where no event names it or it is gone.
func ReadNamed(runsDir string, h History, path string) ([]byte, error) {
	for _, l := range h.Lines {
		for _, f := range l.Files {
			if f.Path != path {
				continue
			}
			dir, err := openRuns(runsDir, h.Run.RunID)
			if err != nil {
				return nil, err
			}
			defer dir.Close()
			return read(dir, f)
		}
	}
	return nil, fmt.Errorf("read %q: no event of run %q names it: %w", clip(path), h.Run.RunID, fs.ErrNotExist)
}
