package scenario

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
)

var consoleForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)^no[-_ ]?console[-_ ]?errors$`) })

// one reads one step, up to the arrow after it or the end.
func (r *reader) one() (Step, bool) {
	r.blanks()
	s := Step{Number: r.step, Column: r.i + 1}
	if r.end(r.i) {
		r.fault(min(r.i, max(len(r.runes)-1, 0)), "a step is empty", "write for example: testid=save visible")
		return s, false
	}
	if r.runes[r.i] == '"' {
		return r.onElement(s, Matcher{By: ByText})
	}
	word, next := r.keyword(r.i)
	switch {
	case word == "":
		return r.wordless(s)
	case word == string(WaitFor):
		return r.waitFor(s, next)
	case word == string(Open) || word == string(URL):
		s.Act, r.i = Act(word), next
		return r.address(s)
	case word == string(Press):
		s.Act, r.i = Press, next
		return r.press(s)
	case slices.Contains(matcherWords(), word):
		r.i = next
		return r.onElement(s, Matcher{By: By(word)})
	case slices.Contains(valuedActs(), word):
		r.fault(r.i, quoted(word+"=")+" names no element", "write the element before it: testid=name "+word+"=…")
	default:
		r.fault(r.i, "nothing is written "+quoted(word+"="), beginning(word))
	}
	return s, false
}

// beginning is the hint for a word that begins no step.
func beginning(word string) string {
	usual := map[string]string{
		"id": "css=#…", "class": "css=.…", "selector": "css=…", "xpath": "css=…", "tag": "css=…",
		"label": "text=…", "data-testid": "testid=…", "data-test-id": "testid=…", "data-test": "testid=…", "test": "testid=…",
		"name": `role=textbox[name="…"]`, "aria-label": `role=button[name="…"]`, "aria": `role=button[name="…"]`, "button": `role=button[name="…"]`,
		"goto": "open=/…", "href": "open=/…", "path": "url=/…", "wait": "wait 5", "waitfor": "wait-for=css=…", "waitFor": "wait-for=css=…",
		"type": "testid=name fill=…", "click": "testid=save click", "key": "press=Enter",
	}
	if form := usual[word]; form != "" {
		return "write " + form
	}
	return suggest(word, slices.Concat(matcherWords(), aloneWords()), "%=") + `; quote a text that holds an equals sign: text="a=b"`
}

// wordless reads a step that no word with an equals sign begins: a pause, the
// console, or a label.
func (r *reader) wordless(s Step) (Step, bool) {
	stop := r.i
	for !r.end(stop) {
		stop++
	}
	text := r.between(r.i, stop)
	first, rest := text, ""
	if at := strings.IndexFunc(text, unicode.IsSpace); at >= 0 {
		first, rest = text[:at], strings.TrimSpace(text[at:])
	}
	switch {
	case consoleForm().MatchString(text):
		s.Act, r.i = QuietConsole, stop
		return s, true
	case nearest(strings.NewReplacer("-", "", "_", "", " ", "").Replace(text), []string{"noconsoleerrors"}) != "":
		r.fault(r.i, "nothing is written "+quoted(text), "did you mean no-console-errors?")
		return s, false
	case first == "wait":
		r.i += len("wait")
		return r.wait(s, stop)
	case strings.EqualFold(first, "wait") && strings.IndexAny(rest, "0123456789") == 0:
		r.fault(r.i, "nothing is written "+quoted(first), "did you mean wait "+rest+"?")
		return s, false
	case first == "wait-for":
		r.fault(r.i, "a wait-for has no equals sign", "write wait-for=css=… or wait-for=testid=…")
		return s, false
	case slices.Contains(bareActs(), text) || strings.HasPrefix(text, "click@"):
		r.fault(r.i, quoted(text)+" names no element", `write the element before it: testid=save `+text+`; if it is a text of the page, write text="`+text+`"`)
		return s, false
	}
	return r.onElement(s, Matcher{By: ByText})
}

// waitFor reads a wait for an element. It ends when the element can be seen, and
// cannot end in another way.
func (r *reader) waitFor(s Step, next int) (Step, bool) {
	word, after := r.keyword(next)
	if !slices.Contains(matcherWords(), word) {
		r.fault(next, "a wait-for names its element with text=, css=, testid= or role=", "write wait-for=text=…")
		return s, false
	}
	r.i = after
	s, ok := r.onElement(s, Matcher{By: By(word)})
	if ok && s.Act != Visible {
		r.fault(r.acted, "a wait-for cannot end in "+quoted(string(s.Act)), "it waits until the element is visible; make "+string(s.Act)+" the next step: wait-for=… -> "+word+"=… "+string(s.Act))
		return s, false
	}
	s.Act = WaitFor
	return s, ok
}
