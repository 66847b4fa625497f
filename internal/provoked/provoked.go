// Package provoked counts what the real program said while the tests ran: every
// key and every word of its answers and of the files it wrote. Tests use it alone.
// It does nothing where the variable Env is not set.
package provoked

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Env names the directory where what was seen is kept.
const Env = "WARDEN_PROVOKED"

const maxFile = 16 << 20

// word is how a code is written; a longer text is no code.
var word = regexp.MustCompile(`^[a-z][a-z0-9]*([_-][a-z0-9]+)*$`)

// Note keeps the keys and words of text, which is any number of JSON values one
// after the other. What follows something that is no JSON is not looked at.
func Note(text []byte) error {
	dir := os.Getenv(Env)
	if dir == "" {
		return nil
	}
	said := Said{}
	said.read(text)
	return said.keep(dir)
}

// Tree is Note for every .json and .jsonl file below root.
func Tree(root string) error {
	dir := os.Getenv(Env)
	if dir == "" {
		return nil
	}
	said := Said{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil // a test took it away, or closed it
		}
		if err != nil || !d.Type().IsRegular() || !strings.HasSuffix(path, ".json") && !strings.HasSuffix(path, ".jsonl") {
			return err
		}
		if info, err := d.Info(); err != nil || info.Size() > maxFile {
			return nil
		}
		text, err := os.ReadFile(path)
		if err == nil {
			said.read(text)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at what the program wrote: %w", err)
	}
	return said.keep(dir)
}

// Said is a set of "key:<name>" and "word:<value>".
type Said map[string]bool

func (s Said) read(text []byte) {
	d := json.NewDecoder(bytes.NewReader(text))
	for {
		var v any
		if err := d.Decode(&v); err != nil {
			return
		}
		s.walk(v)
	}
}

func (s Said) walk(v any) {
	switch v := v.(type) {
	case string:
		head, _, _ := strings.Cut(v, ":") // "condition_not_met:risk_high", "code: detail"
		if word.MatchString(head) {
			s["word:"+head] = true
		}
	case []any:
		for _, e := range v {
			s.walk(e)
		}
	case map[string]any:
		for k, e := range v {
			s["key:"+k] = true
			s.walk(e)
		}
	}
}

// keep writes the set into a file of its own, so that processes need no lock.
func (s Said) keep(dir string) error {
	if len(s) == 0 {
		return nil
	}
	f, err := os.CreateTemp(dir, "said-*")
	if err != nil {
		return fmt.Errorf("keep what the program said: %w", err)
	}
	lines := make([]string, 0, len(s))
	for line := range s {
		lines = append(lines, line+"\n")
	}
	slices.Sort(lines)
	_, err = f.WriteString(strings.Join(lines, ""))
	return errors.Join(err, f.Close())
}

// Read returns everything that was kept in dir.
func Read(dir string) (Said, error) {
	names, err := filepath.Glob(filepath.Join(dir, "said-*"))
	if err != nil {
		return nil, err
	}
	all := Said{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read what the program said: %w", err)
		}
		for line := range strings.Lines(string(text)) {
			all[strings.TrimSpace(line)] = true
		}
	}
	return all, nil
}
