package strict

import (
	"slices"
	"strings"
)

// Nearest returns the word that was probably meant, or "" when none is close:
// at most two letters added, dropped, changed or swapped, and fewer for a short
// word.
func Nearest(word string, words []string) string {
	best, bestAt := "", 3
	w := []rune(strings.ToLower(word))
	if len(w) > 64 {
		return ""
	}
	for _, candidate := range words {
		c := []rune(strings.ToLower(candidate))
		d := distance(w, c)
		if d < bestAt && d*3 <= max(len(w), len(c))+1 {
			best, bestAt = candidate, d
		}
	}
	return best
}

// distance counts single-letter edits and swaps of neighbours.
func distance(a, b []rune) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}

// Suggest is the hint for a word that is not one of a closed set: the one that
// was probably meant, else all of them.
func Suggest(word string, words []string) string {
	if near := Nearest(word, words); near != "" {
		return `did you mean "` + near + `"?`
	}
	if len(words) == 0 {
		return ""
	}
	words = slices.Clone(words)
	if len(words) > 40 {
		words = append(words[:40], "…")
	}
	return "allowed: " + strings.Join(words, ", ")
}
