package scenario

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Bounds of one step.
const (
	MaxWait  = 120 * time.Second // of one wait
	MaxCount = 10_000            // of elements
)

// act reads what is done to the element; the reader stands behind its matcher.
// Nothing means that it must be visible.
func (r *reader) act(s Step) (Step, bool) {
	r.blanks()
	if r.end(r.i) {
		s.Act = Visible
		return s, true
	}
	at := r.i
	r.acted = at
	if word, next := r.keyword(r.i); word != "" {
		s.Act, r.i = Act(word), next
		switch s.Act {
		case Fill, Select, TextEquals:
			return r.content(s)
		case Press:
			return r.press(s)
		case Count:
			return r.count(s)
		}
		r.fault(at, "nothing is done by "+quoted(word+"="), suggest(word, valuedActs(), "%="))
		return s, false
	}
	word := r.word(r.i)
	r.i += len([]rune(word))
	r.blanks()
	point, aimed := strings.CutPrefix(word, "click@")
	switch {
	case !r.end(r.i):
		r.fault(r.i, "something stands after "+quoted(word), "join two steps with ->")
		return s, false
	case aimed:
		s.Act = Click
		return r.point(s, at, point)
	case slices.Contains(bareActs(), word):
		if s.Act = Act(word); s.Act == Click {
			s.At = Centre()
		}
		return s, true
	}
	r.fault(at, "nothing is done by the word "+quoted(word), suggest(word, slices.Concat(bareActs(), valuedActs()), "%"))
	return s, false
}

// point reads where in its element a click goes.
func (r *reader) point(s Step, at int, text string) (Step, bool) {
	x, y, _ := strings.Cut(text, ",")
	fx, okX := decimal(x)
	fy, okY := decimal(y)
	if !okX || !okY || fx > 1 || fy > 1 {
		r.fault(at, "a click goes to two fractions of the element, from 0 to 1", "write click@0.5,0.5")
		return s, false
	}
	s.At = Point{X: fx, Y: fy}
	return s, true
}

var decimalForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,6})?$`) })

// decimal reads a number without sign, exponent or letters.
func decimal(s string) (float64, bool) {
	if !decimalForm().MatchString(s) {
		return 0, false
	}
	f, err := strconv.ParseFloat(s, 64)
	return f, err == nil
}

// wait reads how long a pause is; the reader stands behind its word.
func (r *reader) wait(s Step, stop int) (Step, bool) {
	at := r.i
	text := r.between(r.i, stop)
	seconds, ok := decimal(strings.TrimSpace(strings.TrimSuffix(text, "s")))
	hold := time.Duration(seconds*1000+0.5) * time.Millisecond
	if !ok || hold <= 0 || hold > MaxWait {
		r.fault(at-len("wait"), "a wait of "+quoted(text)+" is not one of more than 0 and at most "+fmt.Sprint(int(MaxWait.Seconds()))+" seconds",
			`write wait 5; if it is a text of the page, write text="wait …"`)
		return s, false
	}
	s.Act, s.Hold, r.i = Wait, hold, stop
	return s, true
}

// content reads the text of a fill, a select or a text-equals.
func (r *reader) content(s Step) (Step, bool) {
	value, at, ok := r.value(string(s.Act))
	if !ok {
		return s, false
	}
	if value == "" && s.Act == Select {
		r.fault(at, "no option is named", "write select=<its label>")
		return s, false
	}
	s.Value = value
	return s, true
}

// value reads what stands behind an equals sign up to the end of the step, in
// quotes or without. What stands without quotes is not empty.
func (r *reader) value(word string) (value string, at int, ok bool) {
	at = r.i
	if r.i < len(r.runes) && r.runes[r.i] == '"' {
		if value, ok = r.quotedText(); !ok {
			return "", at, false
		}
		if r.blanks(); !r.end(r.i) {
			r.fault(r.i, "something stands after the closing quote", `join two steps with ->, or write a quote inside the text as \"`)
			return "", at, false
		}
		return value, at, true
	}
	last := -1
	for ; !r.end(r.i); r.i++ {
		if r.blank(r.i) || r.i == at || !r.blank(r.i-1) {
			continue
		}
		k, _ := r.keyword(r.i)
		other := joined(k, r.word(r.i))
		if slices.Contains(valuedActs(), k) {
			other = k + "="
		}
		if other != "" {
			r.fault(r.i, quoted(other)+" stands inside another step", "join two steps with ->, or quote a text that holds it")
			return "", at, false
		}
		last = r.i
	}
	value = r.between(at, r.i)
	if value == "" {
		r.fault(min(at, len(r.runes)-1), quoted(word+"=")+" is followed by nothing", filled(Act(word)))
		return "", at, false
	}
	if last >= 0 {
		if w := r.word(last); nearAct(w) != "" || strings.HasPrefix(w, "click@") {
			r.fault(last, "the last word "+quoted(w)+" is not done to the element, it is a part of the text", "quote the text: "+word+"="+quote(value)+", or make it the next step")
			return "", at, false
		}
	}
	return value, at, true
}

// filled is the hint for an act behind whose equals sign nothing stands.
func filled(act Act) string {
	switch act {
	case Press:
		return "write press=Enter"
	case Select:
		return "write select=<its label>"
	case Count:
		return "write count=1"
	case URL, Open:
		return "write " + string(act) + "=/settings"
	}
	return "write " + string(act) + `="" if nothing is meant`
}

func (r *reader) count(s Step) (Step, bool) {
	value, at, ok := r.value(string(Count))
	if !ok {
		return s, false
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 0 || n > MaxCount || strings.HasPrefix(value, "+") {
		r.fault(at, "a count of "+quoted(value)+" cannot be", fmt.Sprintf("a whole number, 0 to %d", MaxCount))
		return s, false
	}
	s.Count = n
	return s, true
}
