package metrics

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// counts are the rows of a dimension, the largest first.
func counts(by map[string]int, safe func(string) string) [][]string {
	var rows [][]string
	keys := slices.SortedFunc(maps.Keys(by), func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	for _, k := range keys {
		shown := "?"
		if k != Unknown {
			shown = safe(k)
		}
		rows = append(rows, []string{shown, strconv.Itoa(by[k])})
	}
	return rows
}

// writeTable aligns rows by the widest cell of each column; words stand on the
// left, and what is shown as a number on the right.
func writeTable(b *strings.Builder, rows [][]string) {
	var width []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(width) {
				width = append(width, 0)
			}
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	numbers := slices.IndexFunc(rows[0], func(title string) bool { return title == "count" || title == "total" })
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			pad := strings.Repeat(" ", width[i]-utf8.RuneCountInString(cell))
			if i >= numbers {
				cell, pad = pad+cell, ""
			}
			line.WriteString(cell + pad + "  ")
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
}
