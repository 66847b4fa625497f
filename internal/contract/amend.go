package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/strict"
)

// Amendment is what somebody would have added to a task. Nothing of a task can be
// taken away by it.
type Amendment struct {
	Acceptance []string `json:"acceptance,omitempty"`  // commands
	Scope      []string `json:"scope_paths,omitempty"` // names of scopes, and paths
}

// Amend returns the text of a task with the amendment in it. Comments, order and
// every other line stay as they are. The result is read back: it is the same task
// with a longer acceptance or a wider scope, or there is an error that says what
// stands in the way. file is the task's name in messages.
func Amend(file string, text []byte, p Project, a Amendment) ([]byte, error) {
	before, err := ParseTask(file, text, p)
	if err != nil {
		return nil, fmt.Errorf("amend %s: %w", file, err)
	}
	for _, words := range append(slices.Clone(a.Acceptance), a.Scope...) {
		if !utf8.ValidString(words) {
			return nil, fmt.Errorf("amend %s: what is proposed is not UTF-8", file)
		}
	}
	var raw rawTask
	_ = strict.Read(strict.Source{File: file}, text, raw.shape())
	commands := missing(a.Acceptance, before.Acceptance)
	scope := missing(a.Scope, append(chosen(raw.Scope), before.Scope...))
	if len(commands)+len(scope) == 0 {
		return nil, fmt.Errorf("amend %s: it says all of this already", file)
	}
	out := text
	if len(commands) > 0 {
		out = lengthen(out, "acceptance", strict.Strings(raw.Acceptance.V), commands)
	}
	if len(scope) > 0 {
		out = lengthen(out, "scope", chosen(raw.Scope), scope)
	}
	after, err := ParseTask(file, out, p)
	if err != nil {
		return nil, fmt.Errorf("amend %s: %w", file, err)
	}
	if err := onlyMore(before, after, commands); err != nil {
		return nil, fmt.Errorf("amend %s: %w", file, err)
	}
	return out, nil
}

func chosen(c strict.Choice) []string { return strict.Strings(c.V) }

// missing are the entries of want that have does not hold.
func missing(want, have []string) []string {
	var out []string
	for _, w := range want {
		if !slices.Contains(have, w) {
			out = appendNew(out, w)
		}
	}
	return out
}

// onlyMore makes sure that nothing but what was meant has changed.
func onlyMore(before, after Task, commands []string) error {
	if want := appendNew(slices.Clone(before.Acceptance), commands...); !slices.Equal(after.Acceptance, want) {
		return errors.New("its commands would not be those of before and the new ones")
	}
	if left := missing(before.Scope, after.Scope); len(left) > 0 {
		return fmt.Errorf("its scope would lose %s", strings.Join(left, ", "))
	}
	after.Acceptance, after.Scope = before.Acceptance, before.Scope
	was, err := json.Marshal(before)
	is, err2 := json.Marshal(after)
	if err != nil || err2 != nil || !bytes.Equal(was, is) {
		return errors.New("more would change than its commands and its scope")
	}
	return nil
}

// lengthen puts entries behind those of a list of the top level: behind the last line
// of one that is written with a dash a line, else as such a list in the place of what
// is there, else at the end of the text. What it makes is read back by the caller.
func lengthen(text []byte, key string, there, more []string) []byte {
	lines := strings.SplitAfter(string(text), "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.HasPrefix(l, key+":") })
	if at < 0 {
		return append(ended(text), listed(key, "  ", more)...)
	}
	last, indent := items(lines, at)
	if value, _, _ := strings.Cut(strings.TrimSpace(lines[at][len(key)+1:]), "#"); last > at && strings.TrimSpace(value) == "" {
		var b strings.Builder
		for _, l := range lines[:last+1] {
			b.WriteString(l)
		}
		head := ended([]byte(b.String()))
		for _, m := range more {
			head = append(head, indent+"- "+strict.Quote(m)+"\n"...)
		}
		return append(head, strings.Join(lines[last+1:], "")...)
	}
	head := strings.Join(lines[:at], "")
	return append([]byte(head), append(listed(key, "  ", append(slices.Clone(there), more...)), strings.Join(lines[at+1:], "")...)...)
}

// items finds the last line of the list that begins under a key, and how far its
// entries stand in. It is the key's own line where nothing of the kind follows.
func items(lines []string, at int) (last int, indent string) {
	last = at
	for i := at + 1; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], "\r\n")
		bare := strings.TrimLeft(line, " ")
		switch {
		case bare == "" || strings.HasPrefix(bare, "#"):
			continue
		case !strings.HasPrefix(bare, "- ") && bare == line:
			return last, indent
		case strings.HasPrefix(bare, "- ") && last == at:
			indent = line[:len(line)-len(bare)]
		}
		last = i
	}
	return last, indent
}

func listed(key, indent string, entries []string) []byte {
	var b strings.Builder
	b.WriteString(key + ":\n")
	for _, e := range entries {
		b.WriteString(indent + "- " + strict.Quote(e) + "\n")
	}
	return []byte(b.String())
}

// ended is a text whose last line ends.
func ended(text []byte) []byte {
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		return append(slices.Clone(text), '\n')
	}
	return slices.Clone(text)
}
