package scenario

import (
	"slices"
	"strings"
	"unicode"
)

// KeyNames are the names of keys that are not one character.
func KeyNames() []string {
	return []string{"Enter", "Escape", "Tab", "Space", "Backspace", "Delete", "Insert", "Home", "End", "PageUp", "PageDown",
		"ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "F1", "F2", "F3", "F4", "F5", "F6", "F7", "F8", "F9", "F10", "F11", "F12"}
}

// press reads a key, with what is held down before it: Control+Shift+k.
func (r *reader) press(s Step) (Step, bool) {
	value, at, ok := r.value(string(Press))
	if !ok {
		return s, false
	}
	key, message, hint := parseKey(value)
	if message != "" {
		r.fault(at, message, hint)
		return s, false
	}
	s.Key = key
	return s, true
}

func parseKey(text string) (k Key, message, hint string) {
	held := []string{"Control", "Alt", "Shift", "Meta"}
	rest := text
	for {
		before, after, found := strings.Cut(rest, "+")
		if !found || before == "" || after == "" {
			break
		}
		var down *bool
		switch before {
		case "Control":
			down = &k.Control
		case "Alt":
			down = &k.Alt
		case "Shift":
			down = &k.Shift
		case "Meta":
			down = &k.Meta
		}
		if down == nil {
			return Key{}, "no key is held down by the name " + quoted(before), suggestKey(before, held)
		}
		if *down {
			return Key{}, quoted(before) + " is held down twice", ""
		}
		*down, rest = true, after
	}
	if slices.Contains(KeyNames(), rest) || len([]rune(rest)) == 1 && unicode.IsGraphic([]rune(rest)[0]) && rest != " " {
		k.Name = rest
		return k, "", ""
	}
	return Key{}, "no key is named " + quoted(rest), suggestKey(rest, KeyNames())
}

func suggestKey(met string, names []string) string {
	usual := map[string]string{"ctrl": "Control", "cmd": "Meta", "command": "Meta", "option": "Alt", "return": "Enter", "esc": "Escape",
		"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "del": "Delete"}
	if name := usual[strings.ToLower(met)]; slices.Contains(names, name) {
		return "did you mean " + name + "?"
	}
	for _, n := range names {
		if near([]rune(strings.ToLower(met)), []rune(strings.ToLower(n))) {
			return "did you mean " + n + "?"
		}
	}
	return "one character, or one of " + strings.Join(names, ", ")
}

// String is the key as a scenario writes it.
func (k Key) String() string {
	var b strings.Builder
	for _, held := range []struct {
		down bool
		name string
	}{{k.Control, "Control+"}, {k.Alt, "Alt+"}, {k.Shift, "Shift+"}, {k.Meta, "Meta+"}} {
		if held.down {
			b.WriteString(held.name)
		}
	}
	return b.String() + k.Name
}
