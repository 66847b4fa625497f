package git

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
)

const (
	absent     = "000000"
	regular    = "100644"
	executable = "100755"
	symlink    = "120000"
	submodule  = "160000"
)

// parseRaw reads the records of "git diff --raw -z --no-abbrev --no-renames":
// ":oldmode newmode oldid newid status", NUL, path, NUL.
func parseRaw(out []byte) ([]Change, error) {
	var changes []Change
	for len(out) > 0 {
		meta, rest, ok := bytes.Cut(out, []byte{0})
		path, rest, ok2 := bytes.Cut(rest, []byte{0})
		fields := strings.Fields(string(meta))
		if !ok || !ok2 || len(path) == 0 || len(fields) != 5 || len(fields[0]) != 7 || fields[0][0] != ':' ||
			!isMode(fields[0][1:]) || !isMode(fields[1]) || !IsObjectID(fields[2]) || !IsObjectID(fields[3]) || fields[4] == "U" {
			return nil, fmt.Errorf("read the list of changes: git printed %q %q", meta, path)
		}
		c := Change{Path: string(path), OldMode: fields[0][1:], Mode: fields[1], Before: known(fields[2]), Blob: known(fields[3])}
		c.Kind = kind(c.OldMode, c.Mode)
		changes = append(changes, c)
		out = rest
	}
	return changes, nil
}

// known turns the id of nothing into the empty string.
func known(id string) string {
	if strings.Trim(id, "0") == "" {
		return ""
	}
	return id
}

func isMode(s string) bool {
	return len(s) == 6 && strings.Trim(s, "01234567") == ""
}

// kind follows from the modes alone, so that it is the same whether a change is
// in an index, in a commit or in neither.
func kind(before, now string) byte {
	switch {
	case before == absent:
		return 'A'
	case now == absent:
		return 'D'
	case before[:3] != now[:3]:
		return 'T'
	}
	return 'M'
}

// status is what differs between Head and the worktree.
type status struct {
	tracked []Change // against Head; Blob is unknown
	others  []string // files that Head does not have
	nested  []string // repositories inside the worktree, which git does not enter
}

// parseStatus reads "git status --porcelain=v2 -z --no-renames": records
// "1 XY sub mH mI mW hH hI path" and "? path". Headers are skipped; anything
// else means that the index is not as the Judge left it.
func parseStatus(out string) (status, error) {
	var s status
	for record := range strings.SplitSeq(out, "\x00") {
		if record == "" || strings.HasPrefix(record, "# ") {
			continue
		}
		if path, ok := strings.CutPrefix(record, "? "); ok && path != "" {
			if dir, ok := strings.CutSuffix(path, "/"); ok {
				s.nested = append(s.nested, dir)
			} else {
				s.others = append(s.others, path)
			}
			continue
		}
		f := strings.SplitN(record, " ", 9)
		if len(f) != 9 || f[0] != "1" || len(f[1]) != 2 || f[1][0] != '.' || f[8] == "" ||
			!isMode(f[3]) || !isMode(f[5]) || !IsObjectID(f[6]) {
			return status{}, fmt.Errorf("read the state of the worktree: git printed %q", record)
		}
		s.tracked = append(s.tracked, Change{Path: f[8], OldMode: f[3], Mode: f[5], Before: known(f[6])})
	}
	return s, nil
}

// merge puts what Head changed since the base, what the worktree changed since
// Head and what is not tracked into one list by path, counted from the base. An
// empty mode is one that has still to be read from the disk.
func merge(ahead []Change, seen status) []Change {
	at := map[string]int{}
	changes := slices.Clone(ahead)
	for i, c := range changes {
		at[c.Path] = i
	}
	for _, c := range seen.tracked {
		if i, ok := at[c.Path]; ok {
			changes[i].Mode, changes[i].Blob = c.Mode, ""
		} else {
			changes = append(changes, c)
		}
	}
	for _, path := range seen.others {
		if i, ok := at[path]; ok {
			changes[i].Mode = ""
		} else {
			changes = append(changes, Change{Path: path, OldMode: absent})
		}
	}
	changes = slices.DeleteFunc(changes, func(c Change) bool {
		return isLedger(c.Path) || c.Mode == absent && c.OldMode == absent
	})
	slices.SortFunc(changes, func(a, b Change) int { return strings.Compare(a.Path, b.Path) })
	for i := range changes {
		if changes[i].Mode != "" {
			changes[i].Kind = kind(changes[i].OldMode, changes[i].Mode)
		}
	}
	return changes
}

// isContract reports whether path belongs to .warden, which no candidate may change.
func isContract(path string) bool { return path == ".warden" || strings.HasPrefix(path, ".warden/") }

// isLedger reports whether path is Warden's own record of a run.
func isLedger(path string) bool {
	return strings.HasPrefix(path, ".warden/runs/")
}
