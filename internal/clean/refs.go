package clean

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/ledger"
)

// Ref is the ledger of one run as a remote has it.
type Ref struct {
	Name  string // in full
	At    string // the commit that was read
	Found Found
}

// ReadRef judges what the ref of a run held: dir has the files of its commit. It is
// another's data, and may be of any shape.
func ReadRef(dir, runID string, before time.Time) (Found, error) {
	all, err := Runs(dir, before, OnForge, func(string) bool { return false })
	if err != nil {
		return Found{}, err
	}
	left, err := os.ReadDir(dir)
	if err != nil {
		return Found{}, fmt.Errorf("look at what the ref of %s holds: %w", runID, err)
	}
	if len(all) != 1 || all[0].RunID != runID || !all[0].Ledger || len(all[0].Dirs) != len(left) {
		return Found{RunID: runID, Reason: Altered, Detail: "it does not hold this run alone"}, nil
	}
	f := all[0]
	v, err := ledger.Verify(dir, runID, "", ledger.VerifyOptions{Published: true})
	switch {
	case err != nil:
		f.Reason, f.Detail = Altered, err.Error()
	case !v.OK:
		f.Reason, f.Detail = Altered, v.Code+": "+v.First
	}
	return f, nil
}

// Together judges the refs of a remote by one another and by the branches that it has:
// of an issue all go or none, since the next run is counted from those before it, and
// none while a branch for a candidate remains.
func Together(refs []Ref, branch func(name string) bool) {
	stays, ran := map[string]string{}, map[string]bool{}
	for _, r := range refs {
		ran[IssueOf(r.Found.RunID)] = ran[IssueOf(r.Found.RunID)] || !r.Found.Log
	}
	for i := range refs {
		f := &refs[i].Found
		if f.Reason == "" && !ran[IssueOf(f.RunID)] {
			f.Reason, f.Detail = Unfinished, "the issue had no run"
		}
		if f.Reason == "" && !f.Log && (f.Branch == "" || branch(f.Branch)) {
			f.Reason, f.Detail = OnABranch, "refs/heads/"+f.Branch
		}
		if f.Reason != "" {
			stays[IssueOf(f.RunID)] = f.RunID
		}
	}
	for i := range refs {
		f := &refs[i].Found
		if by := stays[IssueOf(f.RunID)]; f.Reason == "" && by != "" {
			f.Reason, f.Detail = Continued, by
		}
	}
}

// IssueOf is what the ids of an issue's runs have in common.
func IssueOf(runID string) string {
	if at := strings.LastIndexByte(runID, '-'); at > 0 {
		return runID[:at]
	}
	return runID
}
