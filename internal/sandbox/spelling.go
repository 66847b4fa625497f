package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"unicode"
)

// maxSpellings bounds how many names of one file are covered.
const maxSpellings = 256

// spellings are the other names that a file system which ignores case takes for the
// file at path, where it is one. The kernel knows one entry for a directory, under
// whatever name it is asked for, and one for each name of a file: what is mounted on
// one of them leaves the others as they are.
func (h host) spellings(path string) []string {
	info, err := h.lstat(path)
	if err != nil || info.IsDir() {
		return nil
	}
	dir, base := filepath.Split(path)
	if !h.same(info, dir+strings.ToUpper(base)) && !h.same(info, dir+strings.ToLower(base)) {
		return nil
	}
	names := []string{""}
	for _, r := range base {
		lower, upper := unicode.ToLower(r), unicode.ToUpper(r)
		var longer []string
		for _, name := range names {
			longer = append(longer, name+string(lower))
			if upper != lower && len(names)*2 <= maxSpellings {
				longer = append(longer, name+string(upper))
			}
		}
		names = longer
	}
	var others []string
	for _, name := range names {
		if name != base && h.same(info, dir+name) {
			others = append(others, dir+name)
		}
	}
	return others
}

// same reports whether path is the file of info under a name that is not its own.
func (h host) same(info os.FileInfo, path string) bool {
	other, err := h.lstat(path)
	return err == nil && filepath.Base(path) != info.Name() && os.SameFile(info, other)
}
