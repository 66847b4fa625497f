package git

import (
	"os"
	"slices"
	"strings"
)

// collisions finds added paths, or directories of theirs, that are spelled like
// another path but for case.
func (j *Judge) collisions(changes []Change) map[string]string {
	out := map[string]string{}
	if !slices.ContainsFunc(changes, func(c Change) bool { return c.Kind == 'A' }) {
		return out
	}
	gone := map[string]bool{}
	for _, c := range changes {
		if c.Kind == 'D' {
			gone[c.Path] = true
		}
	}
	j.fold()
	added := map[string]string{}
	for _, c := range changes {
		if c.Kind != 'A' {
			continue
		}
		for path := c.Path; path != ""; path = parent(path) {
			key := strings.ToLower(path)
			if other, ok := j.folded[key]; ok && other != path && !gone[other] {
				out[c.Path] = other
			}
			if other, ok := added[key]; ok && other != path {
				out[c.Path] = other
			}
			added[key] = path
		}
	}
	return out
}

// oneOnDisk finds tracked paths that differ from Head because the file system takes
// two of them, or of the directories above them, for one: what is there is at most
// one of the two.
func (j *Judge) oneOnDisk(changes []Change) map[string]string {
	out := map[string]string{}
	for _, c := range changes {
		if c.Kind == 'A' {
			continue
		}
		j.fold()
		for path := c.Path; path != "" && out[c.Path] == "" && len(j.twins) > 0; path = parent(path) {
			for _, other := range j.twins[strings.ToLower(path)] {
				if other != path && j.sameOnDisk(path, other) {
					out[c.Path] = other
				}
			}
		}
	}
	return out
}

// sameOnDisk reports whether two spellings of what is tracked name one thing. Where git
// has found case to be ignored they do; the kernel may still remember that one of them
// named nothing, or something that is gone.
func (j *Judge) sameOnDisk(path, twin string) bool {
	other, err := os.Lstat(j.disk(twin))
	if err != nil || j.ignoreCase {
		return err == nil
	}
	one, err := os.Lstat(j.disk(path))
	return err == nil && os.SameFile(one, other)
}

// fold indexes the tracked paths, and the directories above them, without their case.
func (j *Judge) fold() {
	if j.folded != nil {
		return
	}
	j.folded, j.twins = map[string]string{}, map[string][]string{}
	for record := range strings.SplitSeq(string(j.tracked), "\x00") {
		_, path, ok := strings.Cut(record, "\t")
		if !ok {
			continue
		}
		for ; path != ""; path = parent(path) {
			key := strings.ToLower(path)
			before, known := j.folded[key]
			if before == path {
				break // with all that is above it
			}
			j.folded[key] = path
			if !known {
				continue
			}
			for _, twin := range []string{before, path} {
				if !slices.Contains(j.twins[key], twin) {
					j.twins[key] = append(j.twins[key], twin)
				}
			}
		}
	}
}

func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	if i < 0 {
		return ""
	}
	return path[:i]
}
