package strict

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// characters refuses bytes that would make line numbers, or the text itself,
// mean something else than what an editor shows.
func (p *parse) characters(data []byte) {
	for i, line := range bytes.Split(data, []byte("\n")) {
		at := i + 1
		line = bytes.TrimSuffix(line, []byte("\r"))
		switch {
		case !utf8.Valid(line):
			p.add(at, "", "the text is not UTF-8", "save the file as UTF-8")
		case bytes.ContainsRune(line, 0):
			p.add(at, "", "the line holds a NUL character", "remove it")
		case bytes.ContainsAny(line, "\r\u0085\u2028\u2029"):
			p.add(at, "", "the line holds a line separator other than a line feed", `inside double quotes, write it as \r, \u0085, \u2028 or \u2029`)
		case bytes.ContainsFunc(line, unprintable):
			p.add(at, "", "the line holds a control character", "inside double quotes, write it as an escape such as \\x1b")
		}
	}
}

func unprintable(r rune) bool {
	return r != '\t' && unicode.IsControl(r) || r == '\ufeff' || r == '\ufffe' || r == '\uffff'
}

// at returns the character at a place of the document, counted from 1, or 0.
func (p *parse) at(line, column int) rune {
	runes := p.runes(line)
	if column < 1 || column > len(runes) {
		return 0
	}
	return runes[column-1]
}

// runes returns the characters of a line. The last one asked for is kept, since
// a file of one long line asks for it once per value.
func (p *parse) runes(line int) []rune {
	if line < 1 || line > len(p.lines) {
		return nil
	}
	if p.kept != line {
		p.kept, p.keptRunes = line, []rune(p.lines[line-1])
	}
	return p.keptRunes
}

// tabs refuses tabs in indentation. Inside quotes and block scalars a leading
// tab is text, so those lines are left out.
func (p *parse) tabs(doc *yaml.Node) {
	if !strings.Contains(strings.Join(p.lines, "\n"), "\t") {
		return
	}
	inside := map[int]bool{}
	p.textLines(doc, 0, inside)
	for i := range p.lines {
		if !inside[i+1] {
			p.tab(i + 1)
		}
	}
}

func (p *parse) tab(line int) bool {
	s := p.lines[line-1]
	rest := strings.TrimLeft(s, " \t")
	if strings.Contains(s[:len(s)-len(rest)], "\t") && strings.TrimSpace(rest) != "" {
		p.add(line, "", "a tab in the indentation", "indent with spaces")
		return true
	}
	return false
}

// textLines collects the lines that continue a quoted or block scalar. indent
// is how many spaces the content of a block scalar has at least.
func (p *parse) textLines(y *yaml.Node, indent int, inside map[int]bool) {
	switch {
	case y.Kind == yaml.ScalarNode && y.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		for i := y.Line; i < len(p.lines); i++ {
			s := p.lines[i]
			rest := strings.TrimLeft(s, " ")
			if strings.TrimSpace(rest) != "" && len(s)-len(rest) < indent {
				return
			}
			inside[i+1] = true
		}
	case y.Kind == yaml.ScalarNode && y.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle) != 0:
		for i, end := y.Line+1, p.quoteEnd(y); i <= end; i++ {
			inside[i] = true
		}
	}
	for i, child := range y.Content {
		in := y.Column
		if y.Kind == yaml.MappingNode && i%2 == 1 {
			in = y.Content[i-1].Column
		}
		p.textLines(child, in, inside)
	}
}

// quoteEnd returns the line on which a quoted scalar closes.
func (p *parse) quoteEnd(y *yaml.Node) int {
	quote := p.at(y.Line, y.Column)
	column := y.Column
	for line := y.Line; line <= len(p.lines); line++ {
		runes := p.runes(line)
		for i := column; i < len(runes); i++ {
			switch {
			case quote == '"' && runes[i] == '\\':
				i++
			case quote == '\'' && runes[i] == quote && i+1 < len(runes) && runes[i+1] == quote:
				i++
			case runes[i] == quote:
				return line
			}
		}
		column = 0
	}
	return len(p.lines)
}

var (
	syntaxForm = regexp.MustCompile(`^yaml: (?:line ([0-9]+): )?(.*)$`)
	aliasForm  = regexp.MustCompile(`^unknown anchor '(.*)' referenced$`)
	// The reader counts lines from 0 in these messages and from 1 in its others.
	countsFromZero = regexp.MustCompile(`^(did not find expected (<|node content|'-'|key|',')|found (undefined tag handle|duplicate|incompatible))`)
)

// syntax reports what the YAML reader could not take. It stops at the first
// such place. A tab, the usual reason, is looked for there.
func (p *parse) syntax(err error) {
	line, message := 1, strings.TrimPrefix(err.Error(), "yaml: ")
	if m := syntaxForm.FindStringSubmatch(err.Error()); m != nil {
		message = m[2]
		if n, err := strconv.Atoi(m[1]); err == nil {
			if countsFromZero.MatchString(message) {
				n++
			}
			line = min(max(n, 1), len(p.lines))
		}
		for line > 1 && strings.TrimSpace(p.lines[line-1]) == "" {
			line-- // the end of the text: show the last line that has any
		}
	}
	if m := aliasForm.FindStringSubmatch(message); m != nil {
		p.add(p.lineWith("*"+m[1]), "", "aliases (*name) are not allowed", "write the value out")
		return
	}
	for _, near := range []int{line, line - 1, line + 1} {
		if near >= 1 && near <= len(p.lines) && p.tab(near) {
			return
		}
	}
	if strings.Contains(message, "unexpected end of stream") {
		p.add(line, "", "a quote that begins here is not closed", "close it, or double a quote inside single quotes")
		return
	}
	p.add(line, "", "this is not YAML: "+clip(message, 200), "look at the indentation, the quotes and the colon of this line and the one before")
}

func (p *parse) lineWith(s string) int {
	for i, line := range p.lines {
		if strings.Contains(line, s) {
			return i + 1
		}
	}
	return 1
}
