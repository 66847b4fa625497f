package plain_test

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/plain"
)

func TestMarkdown(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, in, want string }{
		{"text", "a < b && c > d, 50% of *it*", "a < b && c > d, 50% of *it*"},
		{"mention", "ping @ann and @org/team, a@b.c", "ping @~ann and @~org/team, a@~b.c"},
		{"entity_for_a_mention", "&#64;ann &commat;ann", "&~#~64;ann &~commat;ann"},
		{"references", "Fixes #12, GH-3, o/r#4, !5, g\\#6, GH\\-7", "Fixes #~12, GH~-3, o/r#~4, !~5, g\\#~6, GH~\\-7"},
		{"heading", "## Title", "## Title"},
		{"link", "[x](http://e.org) ![y](z) <http://e.org> www.e.org", "[x]~(http:~//e.org) !~[y]~(z) <~http:~//e.org> www~.e.org"},
		{"reference_link", "[a][b]\n[b]: x", "[a]~[b]\n[b]~: x"},
		{"wiki_link", "[[home]]", "[~[home]]"},
		{"html", "<b>x</b> <!-- warden:issue=7 --> <?x", "<~b>x<~/b> <~!-- warden:issue=7 --> <~?x"},
		{"peer-23_tag_outside_code", `<Tooltip title="We'll do it">`, `<~Tooltip title="We'll do it">`},
		{"peer-23_tag_in_a_span", "`<Tooltip title=\"We'll do it\">` @a", "`<Tooltip title=\"We'll do it\">` @~a"},
		{"peer-23_xml_in_a_fence", "```xml\n<a href=\"x\">@b</a>\n<!-- c -->\n```\n<i>", "```xml\n<a href=\"x\">@b</a>\n<!-- c -->\n```\n<~i>"},
		{"peer-23_regular_expression", "`(?!x)` and (?!x)", "`(?!x)` and (?!x)"},
		{"peer-23_four_backticks", "````md\n```go\n#1 @a\n```\n````", "````md\n```go\n#1 @a\n```\n````"},
		{"peer-23_double_backticks", "``a ` @b`` @c", "``a ` @b`` @~c"},
		{"quick_action", "/merge\n  /Close\n/warden accept\n//x /y", "/~merge\n  /~Close\n/~warden accept\n//x /y"},
		{"quick_action_after_a_lone_return", "x\n\r/merge\ry\r\n/close", "x\n\n/~merge\ny\n/~close"},
		{"quick_action_in_a_fence_moves_in", "```\n/merge\n\nx\n```", " ```\n /merge\n\n x\n ```"},
		{"fence_break_out_for_early_readers", "````\n```\n/merge\n````", " ````\n ```\n /merge\n ````"},
		{"tildes", "~~~\n@a\n```\n@b\n~~~~\n@c", "~~~\n@a\n```\n@b\n~~~\n@~c"},
		{"open_fence_is_closed", "```go\n@a", "```go\n@a\n```"},
		{"fence_in_a_list_comes_to_the_margin", "- ```go\n  @a\n  ```\n@b", "*\n```go\n@a\n```\n@~b"},
		{"indented_fence_comes_to_the_margin", "- x\n  ```\n  @a\n  ```\n  @b", "- x\n```\n@a\n```\n  @~b"},
		{"fence_in_a_quote", "> ```\n> @a\n@b", "> ```\n> @a\n> ```\n@~b"},
		{"many_line_quote", ">>>\n/merge\n>>>", "> > >\n/~merge\n> > >"},
		{"language_that_acts", "```mermaid\nx\n```\n```suggestion\ny\n```", "```\nx\n```\n```\ny\n```"},
		{"language_with_attributes", "```go title=\"<b>\"\nx\n```", "```go\nx\n```"},
		{"backtick_without_partner", "a ` b\n` @c ` d", "a \\` b\n` @c ` d"},
		{"backtick_escaped", "\\` @c ` d `", "\\` @~c ` d `"},
		{"span_over_a_bar_is_no_code", "| ` | x ` y ` @evil ` |", "| ` | x ` y ` @~evil ` |"},
		{"span_with_a_bar", "`a || b`", "`a || b`"},
		{"dollar", "$x$ `$y` \\$", "\\$x\\$ `$y` \\$"},
		{"control_and_invisible", "a\x00\x1b[31mb\u202ec\u200bd\ufeff\U000e0041e\u2028f", "a[31mbcdef"},
		{"not_utf8", "a\xffb", "a\ufffdb"},
		{"emoji_keeps_its_look", "\u2764\ufe0f", "\u2764\ufe0f"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, seen(plain.Markdown(tt.in))); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// seen shows a zero-width space as a tilde.
func seen(s string) string { return strings.ReplaceAll(s, "\u200b", "~") }

func TestQuote(t *testing.T) {
	t.Parallel()
	if got, want := seen(plain.Quote("a\n\n/merge\n```\nx  \n```")), "> a\n>\n> /~merge\n> ```\n> x  \n> ```"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCode(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, got, want string }{
		{"fence", plain.CodeFence("a\r\n/merge\n"), " ```\n a\n /merge\n ```"},
		{"fence_longer_than_any_run", plain.CodeFence("```\n`````\n/merge"), " ``````\n ```\n `````\n /merge\n ``````"},
		{"inline", plain.Inline("@a <b>"), "`@a <b>`"},
		{"inline_longer_than_any_run", plain.Inline("a``b`"), "``` a``b` ```"},
		{"inline_on_one_line", plain.Inline("a\n/merge"), "`a /merge`"},
		{"inline_empty", plain.Inline(""), "`  `"},
		{"cell", seen(plain.TableCell("a|b\n@c `d|` \\| \\\\| e\\")), "a\\|b @~c \\`d\\|\\` \\| \\\\\\| e\\\\"},
		{"cell_with_action", seen(plain.TableCell("/merge")), "/~merge"},
		{"title", seen(plain.Title("Fixes #1\n| `x` @a <!-- b", 50)), "Fixes #~1 | `x` @~a <~!-- b"},
		{"title_with_action", seen(plain.Title("/merge", 50)), "/~merge"},
		{"line", plain.Line(" a\n\tb  c\u202e ", 9), "a b c"},
		{"line_cut", plain.Line("abc def", 5), "abc…"},
		{"line_cut_to_nothing", plain.Line("abc", 0), ""},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestLog(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, got, want string }{
		{"colour", plain.Terminal("a\x1b[1;31mb\x1b[0m\u009b2Jc"), "abc"},
		{"title", plain.Terminal("a\x1b]0;evil\x07b\x1b]8;;http://e\x1b\\c\x1bPq\x1b\\d"), "abcd"},
		{"unfinished", plain.Terminal("a\x1b]0;evil\nb\x1b[3"), "a\nb"},
		{"lone_return", plain.Terminal("a\rb\x08c"), "a\nbc"},
		{"bidi", plain.Terminal("a\u202eb"), "ab"},
		{"workflow_command", seen(plain.Terminal("x ::y\n  ::set-output name=a::b\n::error::c\n##[error]d ##vso[e]")),
			"x ::y\n  :~:set-output name=a::b\n:~:error::c\n##~[error]d ##~vso[e]"},
		{"data", plain.WorkflowCommandData("50%\r\nb\x1b[0m"), "50%25%0Ab"},
		{"property", plain.WorkflowCommandProperty("a:b,c%\n"), "a%3Ab%2Cc%25%0A"},
	}
	for _, tt := range tests {
		if tt.got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

var (
	oracleFence = regexp.MustCompile("^ {0,3}(`{3,}|~{3,})([^`]*|~.*)$")
	acting      = regexp.MustCompile(`@[\p{L}\p{N}_-]|#[0-9]|&#?[0-9A-Za-z]|<[A-Za-z/!?]|\]\(|\]:|://|(?i:www\.|\bgh-[0-9])|![0-9]|!\[`)
	marginal    = regexp.MustCompile(`(?m)^/[A-Za-z]`)
)

// withoutCode is a small reading of CommonMark that has nothing in common with the
// package: block quotes and fences line by line, then code spans over a whole
// paragraph. It returns the text, and the lines of the fenced blocks.
func withoutCode(lines []string) (text string, code []string) {
	var paragraph []string
	var out strings.Builder
	flush := func() { out.WriteString(dropSpans(strings.Join(paragraph, "\n")) + "\n"); paragraph = nil }
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		if strings.HasPrefix(line, ">") {
			var inner []string
			for ; i < len(lines) && strings.HasPrefix(lines[i], ">"); i++ {
				inner = append(inner, strings.TrimPrefix(lines[i][1:], " "))
			}
			i--
			flush()
			t, c := withoutCode(inner)
			out.WriteString(t)
			code = append(code, c...)
			continue
		}
		m := oracleFence.FindStringSubmatch(line)
		if m == nil {
			paragraph = append(paragraph, line)
			continue
		}
		flush()
		indent := len(line) - len(strings.TrimLeft(line, " "))
		for i++; i < len(lines); i++ {
			l := strings.TrimRight(lines[i], " \t")
			in := strings.TrimLeft(l, " ")
			if len(l)-len(in) <= 3 && len(in) >= len(m[1]) && strings.Trim(in, m[1][:1]) == "" {
				break
			}
			for k := 0; k < indent; k++ {
				lines[i] = strings.TrimPrefix(lines[i], " ")
			}
			code = append(code, lines[i])
		}
	}
	flush()
	return out.String(), code
}

func dropSpans(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); {
		if s[i] == '\\' && i+1 < len(s) {
			b.WriteString(s[i : i+2])
			i += 2
			continue
		}
		if s[i] != '`' {
			b.WriteByte(s[i])
			i++
			continue
		}
		n := len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		end := -1
		for j := i + n; j < len(s); j++ {
			if s[j] == '`' {
				m := len(s[j:]) - len(strings.TrimLeft(s[j:], "`"))
				if m == n {
					end = j + m
					break
				}
				j += m - 1
			}
		}
		if end < 0 {
			b.WriteString(s[i : i+n])
			i += n
			continue
		}
		b.WriteString("\x01")
		i = end
	}
	return b.String()
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{"@a `@b` ``c", "```\n/x\n```", "> ~~~\n> /merge", "a|`b|` @c", "- ```x\n  y", "\\`@a`", "<!-- x -->&#64;a", "x\r/merge", "[a](http://b) ![", "$`@a`$", "`\n@a\n`", "1. ~~~\n@a\n   ~~~"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		for name, out := range map[string]string{"Markdown": plain.Markdown(in), "Quote": plain.Quote(in)} {
			if !utf8.ValidString(out) || strings.ContainsFunc(out, func(r rune) bool {
				return r != '\n' && r != '\t' && unicode.IsControl(r) || r == '\u202e' || r == '\ufeff'
			}) {
				t.Fatalf("%s: control characters in %q", name, out)
			}
			text, _ := withoutCode(strings.Split(out, "\n"))
			if m := acting.FindString(text); m != "" {
				t.Fatalf("%s: %q acts in %q, from %q", name, m, out, in)
			}
			if m := marginal.FindString(text); m != "" {
				t.Fatalf("%s: %q at the margin of %q", name, m, out)
			}
			if m := marginal.FindString(out); m != "" {
				t.Fatalf("%s: %q at the margin, in code, of %q", name, m, out)
			}
		}
		out := plain.Markdown(in)
		if again := plain.Markdown(out); again != out {
			t.Fatalf("not idempotent:\n%q\n%q\n%q", in, out, again)
		}
		if strings.ReplaceAll(plain.Markdown("z "+strings.ReplaceAll(in, "`", "")), "\u200b", "") == "" {
			t.Fatal("text lost")
		}
	})
}

// FuzzCodeStays holds that the bytes of a block are the same afterwards.
func FuzzCodeStays(f *testing.F) {
	f.Add("/merge\n```\n@a <b>", uint8(4), "x @b")
	f.Add("    ```\n~~~", uint8(1), "- y")
	f.Fuzz(func(t *testing.T, code string, more uint8, around string) {
		code = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(code)
		if !utf8.ValidString(code) || strings.ContainsFunc(code, func(r rune) bool { return r > 0x7e || r < ' ' && r != '\n' && r != '\t' }) {
			return
		}
		fence := strings.Repeat("`", 3+len(code)+int(more%4))
		for name, out := range map[string]string{
			"own":     plain.CodeFence(code + "\n"),
			"theirs":  plain.Markdown(fence + "go\n" + code + "\n" + fence),
			"between": plain.Markdown(strings.NewReplacer("`", "", "~", "", ">", "", "\r", "").Replace(around) + "\n" + fence + "\n" + code + "\n" + fence + "\n" + "x"),
			"quoted":  plain.Quote(fence + "\n" + code + "\n" + fence),
		} {
			_, got := withoutCode(strings.Split(out, "\n"))
			if strings.Join(got, "\n") != code {
				t.Fatalf("%s: code %q became %q in %q", name, code, got, out)
			}
			if m := marginal.FindString(out); m != "" {
				t.Fatalf("%s: %q at the margin of %q", name, m, out)
			}
		}
	})
}

func FuzzShort(f *testing.F) {
	f.Add("a|b\\", 3)
	f.Add("\x1b]0;x\x07::error::y", 9)
	f.Fuzz(func(t *testing.T, in string, max int) {
		cell := plain.TableCell(in)
		if again := plain.TableCell(cell); again != cell {
			t.Fatalf("cell not idempotent: %q %q", cell, again)
		}
		for i := 0; i < len(cell); i++ {
			if cell[i] == '\\' {
				i++
				continue
			}
			if cell[i] == '|' || cell[i] == '\n' || cell[i] == '`' {
				t.Fatalf("cell ends early: %q", cell)
			}
		}
		if m := acting.FindString(cell); m != "" {
			t.Fatalf("%q acts in cell %q", m, cell)
		}
		term := plain.Terminal(in)
		if again := plain.Terminal(term); again != term {
			t.Fatalf("terminal not idempotent: %q %q", term, again)
		}
		if strings.ContainsAny(term, "\x1b\r\x07\u009b") || regexp.MustCompile(`(?m)^\s*::`).MatchString(term) || strings.Contains(term, "##[") {
			t.Fatalf("terminal: %q", term)
		}
		if data := plain.WorkflowCommandData(in); strings.ContainsAny(data, "\r\n\x1b") {
			t.Fatalf("data: %q", data)
		}
		max %= 1000
		line := plain.Line(in, max)
		if strings.ContainsAny(line, "\r\n\x1b") || utf8.RuneCountInString(line) > max && line != "" {
			t.Fatalf("line: %q", line)
		}
		if again := plain.Line(line, max); again != line {
			t.Fatalf("line not idempotent: %q %q", line, again)
		}
		title := plain.Title(in, max)
		if again := plain.Title(title, max); again != title || acting.MatchString(title) || marginal.MatchString(title) {
			t.Fatalf("title %q, again %q", title, again)
		}
		if code := plain.Inline(in); strings.ContainsAny(code, "\r\n\x1b") || strings.Trim(dropSpans(code), "\x01") != "" {
			t.Fatalf("inline: %q", code)
		}
	})
}
