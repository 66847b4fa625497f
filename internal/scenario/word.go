package scenario

import (
	"strings"
	"unicode"
)

// nearest returns the word that was probably meant, or "": the same but for case,
// or but for one letter added, dropped or changed, or two neighbours swapped.
func nearest(met string, words []string) string {
	met = strings.ToLower(met)
	for _, w := range words {
		if near([]rune(met), []rune(w)) {
			return w
		}
	}
	return ""
}

func near(a, b []rune) bool {
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b = a[1:], b[1:]
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	if len(a) == 2 && len(b) == 2 {
		return a[0] == b[1] && a[1] == b[0]
	}
	return len(a) <= 1 && len(b) <= 1
}

// nearAct is the act that a last word probably means, which may be the word itself,
// or "". What holds a mark, as ".hidden" and "hidden.", means none; what cannot be
// seen in it does not count.
func nearAct(word string) string {
	word = strings.Map(func(c rune) rune {
		if unicode.Is(unicode.Cf, c) {
			return -1
		}
		return c
	}, word)
	if strings.ContainsFunc(word, func(c rune) bool { return !unicode.IsLetter(c) }) {
		return ""
	}
	return nearest(word, bareActs())
}

// suggest is the hint for a word of a closed set: the one that was probably meant,
// written by form, else all of them.
func suggest(met string, words []string, form string) string {
	if w := nearest(met, words); w != "" {
		return "did you mean " + strings.ReplaceAll(form, "%", w) + "?"
	}
	all := make([]string, len(words))
	for i, w := range words {
		all[i] = strings.ReplaceAll(form, "%", w)
	}
	return "one of " + strings.Join(all, ", ")
}
