package sandbox

import (
	"fmt"
	"path/filepath"
	"strings"
)

// within reports whether path is dir or lies below it. Both are clean.
func within(path, dir string) bool {
	return path == dir || dir == "/" || strings.HasPrefix(path, dir+"/")
}

// overlap reports whether one of the two contains the other.
func overlap(a, b string) bool { return within(a, b) || within(b, a) }

func depth(path string) int {
	if path == "/" {
		return 0
	}
	return strings.Count(path, "/")
}

// absolute returns path cleaned, or an error that names what it is for.
func absolute(what, path string) (string, error) {
	if !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return "", fmt.Errorf("%s %q is not an absolute path", what, path)
	}
	return filepath.Clean(path), nil
}
