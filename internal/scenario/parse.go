package scenario

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds of one scenario.
const (
	MaxLength = 2000 // characters
	MaxSteps  = 50
)

// Parse reads one scenario. With faults the scenario is not meaningful. It never
// panics, whatever the text. A scenario that can be read may still prove nothing:
// see Scenario.Faults.
func Parse(text string) (Scenario, Faults) {
	r := &reader{text: text, runes: []rune(text)}
	if !r.characters() {
		return Scenario{}, r.faults
	}
	s := Scenario{Text: text, Viewport: r.viewport()}
	for {
		r.step++
		if r.step > MaxSteps {
			r.fault(r.i, fmt.Sprintf("the scenario has more than %d steps", MaxSteps), "make two scenarios of it")
			break
		}
		if step, ok := r.one(); ok {
			s.Steps = append(s.Steps, step)
		} else {
			r.skip()
		}
		if r.i >= len(r.runes) {
			break
		}
		r.i += len(arrow)
	}
	if len(r.faults) > 0 {
		return Scenario{}, r.faults
	}
	return s, nil
}

const arrow = "->"

// reader walks one scenario. i is the place of the next character to read.
type reader struct {
	text   string
	runes  []rune
	i      int
	acted  int // where the last step says what is done
	step   int // the one that is being read, from 1; 0 before the first
	faults Faults
}

func (r *reader) fault(at int, message, hint string) {
	r.faults = append(r.faults, Fault{Text: r.text, Step: r.step, Column: at + 1, Message: message, Hint: hint})
}

// characters refuses what would make the scenario mean something else than what an
// editor shows.
func (r *reader) characters() bool {
	if !utf8.ValidString(r.text) {
		r.faults = append(r.faults, Fault{Text: strings.ToValidUTF8(r.text, "\ufffd"), Message: "the scenario is not UTF-8"})
		return false
	}
	if len(r.runes) > MaxLength {
		r.faults = append(r.faults, Fault{Text: r.text, Message: fmt.Sprintf("the scenario has %d characters, the limit is %d", len(r.runes), MaxLength), Hint: "make two scenarios of it"})
		return false
	}
	for i, c := range r.runes {
		switch {
		case unseen(c):
			r.fault(i, fmt.Sprintf("a character that cannot be seen (U+%04X) stands here", c), fmt.Sprintf(`inside quotes, write it as \u{%x}`, c))
			return false
		case unicode.IsControl(c) && c != '\t' || c == '\u2028' || c == '\u2029':
			r.fault(i, "a control character stands here", `inside quotes, write a line break as \n`)
			return false
		}
	}
	return true
}

// unseen reports whether a character turns the order of those around it, so that a
// person reads another scenario than the browser runs. Joiners and plain direction
// marks belong to the words of some languages.
func unseen(c rune) bool {
	return c >= '\u202a' && c <= '\u202e' || c >= '\u2066' && c <= '\u2069' || c == '\ufeff'
}

// end reports whether the step ends at a place.
func (r *reader) end(i int) bool {
	return i >= len(r.runes) || r.runes[i] == '-' && i+1 < len(r.runes) && r.runes[i+1] == '>'
}

func (r *reader) blank(i int) bool { return i < len(r.runes) && unicode.IsSpace(r.runes[i]) }

// blanks moves past blanks.
func (r *reader) blanks() {
	for r.blank(r.i) {
		r.i++
	}
}

// skip moves to the end of a step with a fault in it, past what is in quotes.
func (r *reader) skip() {
	for !r.end(r.i) {
		if r.runes[r.i] == '"' {
			if _, next, ok := r.unquote(r.i); ok {
				r.i = next
				continue
			}
		}
		r.i++
	}
}

// between is the text from one place to another, without the blanks around it.
func (r *reader) between(from, to int) string {
	return strings.TrimSpace(string(r.runes[from:to]))
}

// keyword is the word before an equals sign at a place, or "", and the place after
// the sign.
func (r *reader) keyword(i int) (word string, next int) {
	for j := i; j < len(r.runes); j++ {
		c := r.runes[j]
		switch {
		case c == '=' && j > i:
			return string(r.runes[i:j]), j + 1
		case c < utf8.RuneSelf && (unicode.IsLetter(c) || j > i && (unicode.IsDigit(c) || c == '-' || c == '_')):
		default:
			return "", i
		}
	}
	return "", i
}

// word is what stands at a place up to the next blank or the end of the step.
func (r *reader) word(i int) string {
	j := i
	for !r.end(j) && !r.blank(j) {
		j++
	}
	return string(r.runes[i:j])
}
