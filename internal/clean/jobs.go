package clean

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Job is the state directory of the jobs for one repository of a forge.
type Job struct {
	Dir    string
	Linked string // what of it is a link, or no directory: nothing is read through it
	Runs   []Found
	Loose  []Leftover // of no run that it has
	Mirror Reason     // why its repositories stay
}

// parts are the directories of a job's state; the repositories come last.
var parts = []string{"runs", "runs/.tips", "trees", "judge", "home", "caches", "mirror.git", "ledgers.git"}

// Jobs looks at every job's state below a state directory. Nothing of it goes that was
// touched since before, and whatever is asked, nothing younger than Idle: a job holds
// no lock.
func Jobs(stateDir string, before, now time.Time) ([]Job, error) {
	if idle := now.Add(-Idle); before.After(idle) {
		before = idle
	}
	var out []Job
	err := each(stateDir, func(owner fs.DirEntry) {
		inner, err := os.ReadDir(filepath.Join(stateDir, owner.Name()))
		if err != nil {
			return // no directory, or none of ours
		}
		for _, e := range inner {
			dir := filepath.Join(stateDir, owner.Name(), e.Name())
			if _, err := os.Lstat(filepath.Join(dir, "ledgers.git")); err == nil {
				out = append(out, Job{Dir: dir, Linked: linked(stateDir, owner.Name(), e.Name())})
			}
		}
	})
	for i := range out {
		if err == nil && out[i].Linked == "" {
			err = out[i].look(before)
		}
	}
	return out, err
}

// linked names the first thing on the way to a job's parts that is no directory.
func linked(stateDir, owner, name string) string {
	all := []string{owner, path.Join(owner, name)}
	for _, part := range parts {
		all = append(all, path.Join(owner, name, part))
	}
	for _, at := range all {
		at = filepath.Join(stateDir, filepath.FromSlash(at))
		if info, err := os.Lstat(at); err == nil && !info.IsDir() {
			return at
		}
	}
	return ""
}

func (j *Job) look(before time.Time) (err error) {
	if j.Runs, err = Runs(filepath.Join(j.Dir, "runs"), before, OnForge, func(string) bool { return false }); err != nil {
		return err
	}
	known := map[string]bool{}
	for _, f := range j.Runs {
		known[f.RunID] = true
		if f.Reason != "" {
			j.Mirror = Continued
		}
	}
	for _, part := range []string{"trees", "judge", "home", "caches"} {
		if err := each(filepath.Join(j.Dir, part), func(e fs.DirEntry) {
			id := strings.TrimSuffix(e.Name(), ".git")
			if known[id] || !e.IsDir() {
				return // it goes with its run
			}
			l := Leftover{Path: filepath.Join(j.Dir, part, e.Name()), RunID: id}
			if part == "caches" {
				l.RunID = ""
			}
			if info, err := e.Info(); err != nil || !info.ModTime().Before(before) {
				l.Reason = TooRecent
			}
			if l.Reason != "" && part != "caches" && j.Mirror == "" {
				j.Mirror = TooRecent
			}
			j.Loose = append(j.Loose, l)
		}); err != nil {
			return err
		}
	}
	if j.Mirror == "" && touched(before, filepath.Join(j.Dir, "mirror.git"), filepath.Join(j.Dir, "ledgers.git")) {
		j.Mirror = TooRecent
	}
	return nil
}

// touched reports whether anything below the directories is not from before, or could
// not be looked at.
func touched(before time.Time, dirs ...string) bool {
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if info, err := e.Info(); err != nil || !info.ModTime().Before(before) {
				return fs.ErrExist
			}
			return nil
		})
		if err != nil {
			return true
		}
	}
	return false
}

// Pieces are the names below a job's directory of what a run left there: its ledger
// last, so that what is cut off is found again, but for where its ref was.
func Pieces(f Found) []string {
	out := []string{"trees/" + f.RunID, "judge/" + f.RunID + ".git", "home/" + f.RunID}
	for _, name := range f.Dirs {
		out = append(out, "runs/"+name)
	}
	return append(out, "runs/.tips/"+f.RunID)
}
