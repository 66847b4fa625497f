package plain

import (
	"regexp"
	"strings"
)

// Markdown returns s as Markdown in which nothing acts: mentions, references,
// closing keywords, quick actions, HTML, comments, links and images lose their
// power and keep their looks. Bytes inside fenced and inline code stay, but for
// control and invisible characters. A fence that was left open is closed.
//
// What counts as code is decided so that every forge agrees: fences are written at
// the margin, a code span never crosses a line, and a backtick without a partner
// is escaped.
func Markdown(s string) string {
	return strings.Join(blocks(strings.Split(clean(s), "\n"), 0), "\n")
}

// Quote returns Markdown(s) as a block quote, every line of it.
func Quote(s string) string {
	return strings.Join(quoted(blocks(strings.Split(clean(s), "\n"), 1)), "\n")
}

func quoted(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		if out[i] = ">"; l != "" {
			out[i] = "> " + l
		}
	}
	return out
}

var (
	quoteMark = regexp.MustCompile(`^ {0,3}>[ \t]?`)
	fenceMark = regexp.MustCompile("^([ \t]*(?:(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)*)(`{3,}|~{3,})(.*)$")
)

// maxDepth bounds how deep quotes are taken apart; deeper ones are text.
const maxDepth = 5

func blocks(lines []string, depth int) []string {
	var out []string
	for i := 0; i < len(lines); {
		if depth < maxDepth && quoteMark.MatchString(lines[i]) {
			var inner []string
			for ; i < len(lines) && quoteMark.MatchString(lines[i]); i++ {
				inner = append(inner, lines[i][len(quoteMark.FindString(lines[i])):])
			}
			out = append(out, quoted(blocks(inner, depth+1))...)
			continue
		}
		if f, ok := openFence(lines[i]); ok {
			content, next := f.content(lines, i+1)
			out = append(out, f.write(content)...)
			i = next
			continue
		}
		out = append(out, text(lines[i]))
		i++
	}
	return out
}

// fence is the first line of a code block.
type fence struct {
	list   string // list markers that stood before it
	indent int
	mark   string
	info   string
}

func openFence(line string) (fence, bool) {
	m := fenceMark.FindStringSubmatch(line)
	if m == nil || m[2][0] == '`' && strings.Contains(m[3], "`") {
		return fence{}, false
	}
	f := fence{indent: len(m[1]), mark: m[2], info: language(m[3])}
	// A lone "-" would make a heading of the line before it.
	f.list = strings.ReplaceAll(strings.Trim(m[1], " \t"), "-", "*")
	return f, true
}

// content returns the lines of the block that starts at from, without the fence's
// own indentation, and the index of the line after the block.
func (f fence) content(lines []string, from int) ([]string, int) {
	var out []string
	for i := from; i < len(lines); i++ {
		line := dedent(lines[i], f.indent)
		if f.closes(line) {
			return out, i + 1
		}
		out = append(out, line)
	}
	return out, len(lines)
}

func dedent(line string, n int) string {
	for ; n > 0 && line != "" && (line[0] == ' ' || line[0] == '\t'); n-- {
		line = line[1:]
	}
	return line
}

func (f fence) closes(line string) bool {
	inner := strings.TrimLeft(line, " ")
	run := len(inner) - len(strings.TrimLeft(inner, f.mark[:1]))
	return len(line)-len(inner) <= 3 && run >= len(f.mark) && strings.Trim(inner[run:], " \t") == ""
}

// write returns the block at the margin. Where a line of it could be taken for a
// quick action by a reader that ends fences too early, the whole block moves in by
// one blank: the forge takes it off again, and nothing is left at the margin.
func (f fence) write(content []string) []string {
	indent := ""
	for _, line := range content {
		if isAction(line) {
			indent = " "
		}
	}
	var out []string
	if f.list != "" {
		out = append(out, f.list)
	}
	out = append(out, indent+f.mark+f.info)
	for _, line := range content {
		if line != "" {
			line = indent + line
		}
		out = append(out, line)
	}
	return append(out, indent+f.mark)
}

// acting are languages whose blocks a forge renders, or applies, instead of showing.
var acting = regexp.MustCompile(`(?i)^(suggestion|mermaid|math|geojson|topojson|stl|plantuml|kroki|json:table|dot|graphviz)`)

// language keeps the name of a language, and nothing else.
func language(info string) string {
	word, _, _ := strings.Cut(strings.Trim(info, " \t"), " ")
	if len(word) > 20 || acting.MatchString(word) || strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-") != "" {
		return ""
	}
	return word
}

func isAction(line string) bool {
	return len(line) > 1 && line[0] == '/' && isLetter(line[1])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return '0' <= c && c <= '9' }
