package clean

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Idle is how long a leftover was untouched. No command runs for so long.
const Idle = 24 * time.Hour

// temporary are the names of directories that commands make for themselves.
var temporary = regexp.MustCompile(`^warden-(home|ledger|land|push|refs|tmp|verify)-[0-9]+(\.git)?$`)

// Leftover is a directory of a command that was killed.
type Leftover struct {
	Path   string
	RunID  string
	Reason Reason
	Detail string
}

// Leftovers looks for what commands leave that are killed: the private git directory
// and the home of a run in the state directory, and their temporary directories. alive
// reports whether a process exists.
func Leftovers(stateDir, tempDir string, now time.Time, alive func(pid int) bool) ([]Leftover, error) {
	using, err := inUse(filepath.Join(stateDir, "busy"), alive)
	if err != nil {
		return nil, err
	}
	var out []Leftover
	for _, place := range []struct{ dir, suffix string }{{filepath.Join(stateDir, "judge"), ".git"}, {filepath.Join(stateDir, "home"), ""}} {
		err := each(place.dir, func(e fs.DirEntry) {
			id, ok := strings.CutSuffix(e.Name(), place.suffix)
			if !ok || !e.IsDir() {
				return
			}
			l := Leftover{Path: filepath.Join(place.dir, e.Name()), RunID: id, Reason: recent(e, now)}
			if by := using[id]; by != "" || using[""] != "" {
				l.Reason, l.Detail = InUse, by+using[""]
			}
			out = append(out, l)
		})
		if err != nil {
			return nil, err
		}
	}
	counted := filepath.Join(stateDir, "counted")
	if err := each(counted, func(e fs.DirEntry) {
		if e.Type().IsRegular() { // one that is missing is made again
			out = append(out, Leftover{Path: filepath.Join(counted, e.Name()), Reason: recent(e, now)})
		}
	}); err != nil {
		return nil, err
	}
	caches := filepath.Join(stateDir, "caches")
	if err := each(caches, func(e fs.DirEntry) {
		if !e.IsDir() {
			return
		}
		l := Leftover{Path: filepath.Join(caches, e.Name()), Reason: recent(e, now)} // its use is its time
		for _, by := range using {
			l.Reason, l.Detail = InUse, by // by which run is not said
		}
		out = append(out, l)
	}); err != nil {
		return nil, err
	}
	err = each(tempDir, func(e fs.DirEntry) {
		if e.IsDir() && temporary.MatchString(e.Name()) && mine(e) {
			out = append(out, Leftover{Path: filepath.Join(tempDir, e.Name()), Reason: recent(e, now)})
		}
	})
	return out, err
}

func each(dir string, look func(fs.DirEntry)) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look for leftovers: %w", err)
	}
	for _, e := range entries {
		look(e)
	}
	return nil
}

func recent(e fs.DirEntry, now time.Time) Reason {
	if info, err := e.Info(); err != nil || now.Sub(info.ModTime()) < Idle {
		return TooRecent
	}
	return ""
}

// holder is what a command writes into the lock of its worktree.
var holder = regexp.MustCompile(`^process ([0-9]+) for run (\S+)$`)

// inUse names by run the processes that hold a worktree and live; under "" one whose
// words say no run, which may be any.
func inUse(dir string, alive func(int) bool) (map[string]string, error) {
	out := map[string]string{}
	err := each(dir, func(e fs.DirEntry) {
		words, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || len(words) == 0 {
			return // nobody holds it, or it is going
		}
		m := holder.FindStringSubmatch(string(words))
		if m == nil {
			out[""] = string(words[:min(len(words), 200)])
			return
		}
		if pid, err := strconv.Atoi(m[1]); err != nil || alive(pid) {
			out[m[2]] = m[0]
		}
	})
	return out, err
}
