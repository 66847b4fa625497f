package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// carried are the operator's settings that decide what a checkout looks like.
// None of them can name a program.
var carried = []string{
	"core.autocrlf", "core.eol", "core.filemode", "core.symlinks", "core.ignorecase", "core.precomposeunicode",
}

// Settings are what Warden takes over from an operator's configuration.
type Settings struct {
	Core         []string // "core.key=value", of those that are set, in a fixed order
	ExcludesFile string   // absolute; empty when there is none
	ObjectFormat string   // "sha1" or "sha256"
	FileMode     bool

	filters []string // by name, sorted
}

// Settings reads the configuration that the operator's own git would see at
// dir, a worktree or a git directory: repository, user and system. It is the only call that reads the latter two.
func (g *Git) Settings(ctx context.Context, dir string) (Settings, error) {
	c := at(dir, "config", "-z", "--includes", "--get-regexp",
		`^(core\.(autocrlf|eol|filemode|symlinks|ignorecase|precomposeunicode|excludesfile)|extensions\.objectformat|filter\..*)$`)
	if isGitDir(dir) {
		c.GitDir = dir
	}
	res, err := g.do(ctx, c, g.operator)
	var failed *CommandError
	if err != nil && !(errors.As(err, &failed) && failed.ExitCode == 1) {
		return Settings{}, fmt.Errorf("read the operator's git settings: %w", err)
	}
	s := parseSettings(res.Stdout)
	s.ExcludesFile = excludesPath(s.ExcludesFile, g.operator)
	return s, nil
}

// parseSettings reads "key\nvalue\0" records; the last of a key wins.
func parseSettings(out []byte) Settings {
	last, filters := map[string]string{}, map[string]bool{}
	for record := range bytes.SplitSeq(out, []byte{0}) {
		if len(record) == 0 {
			continue
		}
		key, value, hasValue := strings.Cut(string(record), "\n")
		if !hasValue {
			value = "true" // a key without "=" is true
		}
		last[strings.ToLower(key)] = value
		if name, ok := filterName(key); ok {
			filters[name] = true
		}
	}
	s := Settings{ObjectFormat: "sha1", FileMode: true, ExcludesFile: last["core.excludesfile"], filters: slices.Sorted(maps.Keys(filters))}
	for _, key := range carried {
		if v, ok := last[key]; ok {
			s.Core = append(s.Core, key+"="+v)
		}
	}
	if v, ok := last["core.filemode"]; ok {
		s.FileMode = !slices.Contains([]string{"false", "no", "off", "0", ""}, strings.ToLower(v))
	}
	if strings.EqualFold(last["extensions.objectformat"], "sha256") {
		s.ObjectFormat = "sha256"
	}
	return s
}

// excludesPath gives git's own default when nothing is set, and expands "~/".
func excludesPath(set string, env []string) string {
	home, _ := lookup(env, "HOME")
	path := set
	switch {
	case path == "":
		base, ok := lookup(env, "XDG_CONFIG_HOME")
		if !ok || base == "" {
			base = filepath.Join(home, ".config")
		}
		path = filepath.Join(base, "git", "ignore")
	case strings.HasPrefix(path, "~/"):
		path = filepath.Join(home, path[2:])
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}
