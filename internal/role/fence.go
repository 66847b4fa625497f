package role

import (
	"fmt"
	"strconv"
	"strings"
)

// fence sets text apart as data. Its bytes stay as they are, and no run of
// backticks in it is long enough to end the block.
func fence(label, text string) string {
	bar := strings.Repeat("`", max(3, longestRun(text)+1))
	end := "\n"
	if strings.HasSuffix(text, "\n") {
		end = ""
	}
	return bar + label + "\n" + text + end + bar
}

// inline sets a short text apart as data on one line. One that holds a control
// character is shown quoted.
func inline(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\u2028' || r == '\u2029' }) {
		text = strconv.Quote(text)
	}
	n := longestRun(text)
	if n == 0 {
		return "`" + text + "`"
	}
	bar := strings.Repeat("`", n+1)
	return bar + " " + text + " " + bar
}

func longestRun(text string) int {
	longest, run := 0, 0
	for i := 0; i < len(text); i++ {
		if text[i] != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// bullets renders items one a line, or says that there are none.
func bullets(items []string) string {
	if len(items) == 0 {
		return "(none)"
	}
	var b strings.Builder
	for i, item := range items {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "- %s", inline(item))
	}
	return b.String()
}
