package scenario

import (
	"slices"
	"strings"
)

// onElement reads the value of a matcher and what is done to the element. The
// reader stands after the equals sign.
func (r *reader) onElement(s Step, m Matcher) (Step, bool) {
	at := r.i
	switch {
	case r.i < len(r.runes) && r.runes[r.i] == '"':
		value, ok := r.quotedText()
		if !ok {
			return s, false
		}
		m.Value = value
		if !r.end(r.i) && !r.blank(r.i) {
			r.fault(r.i, "a blank must follow the closing quote", `write a quote inside the text as \"`)
			return s, false
		}
	case m.By == ByRole:
		if !r.role(&m) {
			return s, false
		}
	default:
		value, ok := r.unquoted(m.By)
		if !ok {
			return s, false
		}
		m.Value = value
	}
	if strings.TrimSpace(m.Value) == "" {
		r.fault(min(at, len(r.runes)-1), "the element has no name", "write for example "+string(m.By)+"=save")
		return s, false
	}
	if fault, hint := m.wrong(); fault != "" {
		r.fault(at, fault, hint)
		return s, false
	}
	s.Target = m
	return r.act(s)
}

// wrong says what is wrong with a matcher that was read.
func (m Matcher) wrong() (message, hint string) {
	switch m.By {
	case ByRole:
		return wrongRole(m.Value)
	case ByCSS:
		return CheckSelector(m.Value)
	}
	return "", ""
}

// unquoted reads a value up to what is done to the element, the arrow or the end,
// and leaves the reader at what is done. The last word is what is done when it is
// one of the words for it.
func (r *reader) unquoted(by By) (string, bool) {
	from, last := r.i, -1
	i := from
	for !r.end(i) {
		switch {
		case by == ByCSS && r.runes[i] == '\\':
			i = min(i+2, len(r.runes))
			continue
		case by == ByCSS && r.runes[i] == '[':
			next, ok := r.brackets(i)
			if !ok {
				return "", false
			}
			i = next
			continue
		}
		if !r.blank(i) && i > from && r.blank(i-1) {
			if word, _ := r.keyword(i); slices.Contains(valuedActs(), word) {
				r.i = i
				return r.between(from, i), true
			} else if other := joined(word, r.word(i)); other != "" {
				r.fault(i, quoted(other)+" stands inside another step", `join two steps with ->, or quote a text that holds it`)
				return "", false
			} else if word != "" && (by != ByText || nearest(word, valuedActs()) != "") {
				r.fault(i, "nothing is done by "+quoted(word+"="), suggest(word, valuedActs(), "%=")+"; quote a value that holds it")
				return "", false
			}
			last = i
		}
		i++
	}
	if by == ByCSS && i > from && i+len(arrow) < len(r.runes) && !r.blank(i-1) && !r.blank(i+len(arrow)) {
		r.fault(i, "an arrow stands inside a selector without blanks around it", "put blanks around it if the step ends here, or quote the selector")
		return "", false
	}
	r.i = i
	if last < 0 {
		return r.between(from, i), true
	}
	word := r.word(last)
	switch {
	case slices.Contains(bareActs(), word) || strings.HasPrefix(word, "click@"):
		r.i = last
		return r.between(from, last), true
	case nearAct(word) != "":
		r.fault(last, "the last word "+quoted(word)+" is nearly "+quoted(nearAct(word)),
			"write "+string(by)+"="+r.between(from, last)+" "+nearAct(word)+", or quote the whole: "+string(by)+"="+quote(r.between(from, i)))
		return "", false
	case by == ByTestID:
		r.fault(last, "nothing is done by the word "+quoted(word), suggest(word, append(bareActs(), "fill=…"), "%")+"; a test id that holds a blank is written in quotes")
		return "", false
	}
	return r.between(from, i), true
}

// joined returns the beginning of another step or act that stands where a blank
// precedes it, or "".
func joined(keyword, word string) string {
	if slices.Contains(matcherWords(), keyword) || slices.Contains(aloneWords(), keyword) {
		return keyword + "="
	}
	if strings.HasPrefix(word, "click@") && strings.HasSuffix(word, ",") {
		return word
	}
	return ""
}

// brackets moves past an attribute selector, with the texts in it.
func (r *reader) brackets(i int) (next int, ok bool) {
	quote := rune(0)
	for j := i + 1; j < len(r.runes); j++ {
		switch c := r.runes[j]; {
		case c == '\\':
			j++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == ']':
			return j + 1, true
		}
	}
	r.fault(i, "the bracket that opens here is not closed", "close it with ]")
	r.i = len(r.runes)
	return 0, false
}

// role reads a role with its accessible name, as button[name="Save"].
func (r *reader) role(m *Matcher) bool {
	from := r.i
	for r.i < len(r.runes) && (r.runes[r.i] >= 'a' && r.runes[r.i] <= 'z' || r.runes[r.i] == '-' && !r.end(r.i)) {
		r.i++
	}
	m.Value = string(r.runes[from:r.i])
	const opens = `[name="`
	if strings.HasPrefix(string(r.runes[r.i:min(len(r.runes), r.i+len(opens))]), opens) {
		at := r.i
		r.i += len(opens) - 1
		name, ok := r.quotedText()
		if !ok {
			return false
		}
		if r.i >= len(r.runes) || r.runes[r.i] != ']' || strings.TrimSpace(name) == "" {
			r.fault(at, "the accessible name is not written right", `write role=button[name="Save"]`)
			return false
		}
		m.Name, r.i = name, r.i+1
	}
	if !r.end(r.i) && !r.blank(r.i) {
		r.fault(r.i, "after a role stands "+quoted(string(r.runes[r.i])), `write role=button or role=button[name="Save"]`)
		return false
	}
	return true
}
