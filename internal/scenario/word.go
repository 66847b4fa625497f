package scenario

import "strings"

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
