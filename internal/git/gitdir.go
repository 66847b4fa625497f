package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// DirSpec says what a git directory of Warden's own is made with.
type DirSpec struct {
	Dir          string   // ends in ".git", which tells our own from what a tree holds
	Alternates   []string // absolute object directories to read from
	ObjectFormat string   // "sha1" or "sha256"
	Bare         bool
	Head         string   // content of HEAD: an object id, or empty for an unborn branch
	Config       []string // "key=value" of section core
	Verbatim     string   // directory that a checkout from here writes byte for byte; "" is none
}

// noAttributes, in info/attributes, wins over every .gitattributes of a tree.
// What remains is text and eol: they run nothing and decide only line ends.
const noAttributes = "* !filter !ident !working-tree-encoding !diff !merge\n"

// MakeDir writes a git directory without starting a process: no template, no
// hook, no remote. Called again it writes the same files, and leaves the index,
// the objects, the refs and the settings of the first call as they are.
func MakeDir(s DirSpec) error {
	if !strings.HasSuffix(s.Dir, ".git") {
		return fmt.Errorf("make git directory %s: the name must end in .git", s.Dir)
	}
	for _, dir := range []string{"", "info", "objects/info", "objects/pack", "refs/heads", "refs/tags"} {
		if err := os.MkdirAll(filepath.Join(s.Dir, dir), 0o700); err != nil {
			return fmt.Errorf("make git directory: %w", err)
		}
	}
	head := s.Head
	if head == "" {
		head = "ref: refs/heads/none"
	}
	attributes := noAttributes
	if s.Verbatim != "" {
		attributes += "/" + s.Verbatim + "/** -text\n"
	}
	files := map[string]string{"HEAD": head + "\n", "info/attributes": attributes}
	if len(s.Alternates) > 0 {
		files["objects/info/alternates"] = strings.Join(s.Alternates, "\n") + "\n"
	}
	for _, path := range s.Alternates {
		if strings.ContainsAny(path, "\n\"") || strings.HasPrefix(path, "#") || !filepath.IsAbs(path) {
			return fmt.Errorf("make git directory: objects at %q cannot be named", path)
		}
	}
	for name, text := range files {
		if err := replaceFile(filepath.Join(s.Dir, name), []byte(text)); err != nil {
			return fmt.Errorf("make git directory: %w", err)
		}
	}
	// The settings come last: their presence says that the directory is whole.
	if _, err := os.Lstat(filepath.Join(s.Dir, "config")); err == nil {
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("make git directory: %w", err)
	}
	text, err := configText(s)
	if err != nil {
		return err
	}
	if err := replaceFile(filepath.Join(s.Dir, "config"), []byte(text)); err != nil {
		return fmt.Errorf("make git directory: %w", err)
	}
	return nil
}

func configText(s DirSpec) (string, error) {
	var b strings.Builder
	version := 0
	if s.ObjectFormat == "sha256" {
		version = 1
	}
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tbare = %t\n\tlogallrefupdates = false\n", version, s.Bare)
	for _, kv := range s.Config {
		key, value, _ := strings.Cut(kv, "=")
		name, ok := strings.CutPrefix(key, "core.")
		if !ok || strings.ContainsAny(name, ".\n ") || strings.ContainsAny(value, "\n\x00") {
			return "", fmt.Errorf("make git directory: setting %q cannot be written", kv)
		}
		fmt.Fprintf(&b, "\t%s = \"%s\"\n", name, strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value))
	}
	if version == 1 {
		b.WriteString("[extensions]\n\tobjectformat = sha256\n")
	}
	return b.String(), nil
}

// replaceFile puts data at path by a rename, so that no reader sees half of it
// and a link at path is replaced instead of followed.
func replaceFile(path string, data []byte) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
