package plain

import "strings"

// text makes one line outside a code block harmless, its code spans excepted.
func text(line string) string {
	spans, plain := codeSpans(line)
	var b strings.Builder
	rest := strings.TrimLeft(line, " \t")
	if isAction(rest) {
		at := len(line) - len(rest) + 1
		b.WriteString(line[:at] + zero)
		writeText(&b, line, at, len(line), spans, plain)
		return b.String()
	}
	writeText(&b, line, 0, len(line), spans, plain)
	return b.String()
}

// span is a code span with its backticks.
type span struct{ from, to int }

// codeSpans pairs the runs of backticks in a line as every forge does. Where a
// span holds a bar, the line may be a row of a table, in which cells are cut before
// spans are paired: then plain is true, and nothing in the line is taken for code.
func codeSpans(line string) (spans []span, plain bool) {
	for i := 0; i < len(line); {
		switch {
		case line[i] == '\\':
			i += 2
		case line[i] == '`':
			n := run(line, i)
			end := closing(line, i+n, n)
			if end < 0 {
				i += n
				continue
			}
			spans = append(spans, span{i, end})
			plain = plain || strings.Contains(line[i:end], "|")
			i = end
		default:
			i++
		}
	}
	return spans, plain
}

func run(line string, i int) int {
	return len(line[i:]) - len(strings.TrimLeft(line[i:], "`"))
}

// closing returns the end of the next run of exactly n backticks, or -1.
func closing(line string, from, n int) int {
	for i := from; i < len(line); {
		if line[i] != '`' {
			i++
			continue
		}
		m := run(line, i)
		if i += m; m == n {
			return i
		}
	}
	return -1
}

func writeText(b *strings.Builder, line string, from, to int, spans []span, plain bool) {
	for i := from; i < to; {
		if len(spans) > 0 && i == spans[0].from {
			s := spans[0]
			spans = spans[1:]
			if !plain {
				b.WriteString(line[s.from:s.to])
				i = s.to
				continue
			}
			n := run(line, i)
			b.WriteString(line[i : i+n])
			writeInSpan(b, line, i+n, s.to-n)
			b.WriteString(line[s.to-n : s.to])
			i = s.to
			continue
		}
		i = writeChar(b, line, i, to)
	}
}

// writeInSpan takes the power from text that is code unless the line is a row.
func writeInSpan(b *strings.Builder, line string, from, to int) {
	for i := from; i < to; {
		if strings.IndexByte("`\\$", line[i]) >= 0 {
			b.WriteByte(line[i])
			i++
			continue
		}
		i = writeChar(b, line, i, to)
	}
}

// writeChar writes the character at i, with what takes its power, and returns the
// index of the next one.
func writeChar(b *strings.Builder, line string, i, to int) int {
	c, next := line[i], byte(0)
	if i+1 < to {
		next = line[i+1]
	}
	switch c {
	case '\\':
		b.WriteByte(c)
		if next != 0 && strings.IndexByte("\\`$|", next) >= 0 {
			b.WriteByte(next)
			return i + 2
		}
		return i + 1
	case '`':
		b.WriteString("\\`")
		return i + 1
	case '$':
		b.WriteString(`\$`)
		return i + 1
	}
	b.WriteByte(c)
	if acts(line, i, c, next) {
		b.WriteString(zero)
	}
	return i + 1
}

// acts reports whether the character, with the next one, can begin or complete
// something that a forge acts upon.
func acts(line string, i int, c, next byte) bool {
	switch c {
	case '@':
		return true
	case '#':
		return next != 0 && next != ' ' && next != '\t' && next != '#'
	case '<':
		return isLetter(next) || next == '/' || next == '!' || next == '?'
	case '&':
		return isLetter(next) || isDigit(next) || next == '#'
	case '!':
		return isDigit(next) || next == '['
	case ']':
		return next == '(' || next == ':' || next == '['
	case '[':
		return next == '['
	case ':':
		return follows(line, i, '/')
	case 'w', 'W':
		return follows(line, i, '.') && i >= 2 && strings.EqualFold(line[i-2:i+1], "www")
	case 'h', 'H':
		return follows(line, i, '-') && i >= 1 && line[i-1]|0x20 == 'g'
	}
	return false
}

// follows reports whether c stands behind index i, escaped or not.
func follows(line string, i int, c byte) bool {
	rest := strings.TrimPrefix(line[i+1:], `\`)
	return rest != "" && rest[0] == c
}

// Inline returns s as one code span on one line.
func Inline(s string) string {
	s = strings.Join(strings.Split(clean(s), "\n"), " ")
	fence := strings.Repeat("`", longestRun(s)+1)
	if s == "" || s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " "
	}
	return fence + s + fence
}

// CodeFence returns s as a code block. Its fence is longer than any run of
// backticks in s, and no line of it is at the margin, so that no reader that ends
// fences too early finds a command there; the forge shows exactly s.
func CodeFence(s string) string {
	s = strings.TrimSuffix(clean(s), "\n")
	f := fence{mark: strings.Repeat("`", max(3, longestRun(s)+1))}
	out := []string{" " + f.mark}
	for line := range strings.SplitSeq(s, "\n") {
		out = append(out, " "+line)
	}
	return strings.Join(append(out, " "+f.mark), "\n")
}

func longestRun(s string) int {
	longest := 0
	for i := 0; i < len(s); i++ {
		if s[i] == '`' {
			n := run(s, i)
			longest = max(longest, n)
			i += n
		}
	}
	return longest
}

// Title returns s as the title of a pull request: one line of at most max characters,
// not read as Markdown, in which references, mentions and keywords do nothing, not
// even when a merge makes it the message of a commit.
func Title(s string, max int) string {
	line := Line(s, max)
	var b strings.Builder
	for i := range len(line) {
		b.WriteByte(line[i])
		next := byte(0)
		if i+1 < len(line) {
			next = line[i+1]
		}
		if acts(line, i, line[i], next) || i == 0 && isAction(line) {
			b.WriteString(zero)
		}
	}
	return b.String()
}

// TableCell returns s as the text of one cell of a table: one line, no code, no bar
// that ends the cell.
func TableCell(s string) string {
	line := strings.Join(strings.Fields(clean(s)), " ")
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] == '|' {
			b.WriteString(`\|`)
			i++
			continue
		}
		i = writeChar(&b, line, i, len(line))
	}
	out := b.String()
	if isAction(out) {
		out = "/" + zero + out[1:]
	}
	if trail := len(out) - len(strings.TrimRight(out, `\`)); trail%2 == 1 {
		out += `\`
	}
	return out
}
