package proc

import (
	"slices"
	"strings"
	"testing"
)

const system32 = `C:\Windows\System32`

func TestWindowsCommand(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		argv    []string
		program string
		line    string
	}{
		{"plain", []string{`C:\v.exe`, "-p", "one"}, `C:\v.exe`, `C:\v.exe -p one`},
		{"a program with a blank", []string{`C:\Program Files\v.exe`, ""}, `C:\Program Files\v.exe`, `"C:\Program Files\v.exe" ""`},
		{"PR-07 quotes and blanks", []string{`C:\v.exe`, `say {"a": "b c"}`}, `C:\v.exe`, `C:\v.exe "say {\"a\": \"b c\"}"`},
		{"PR-07 quotes alone", []string{`C:\v.exe`, `key="high"`}, `C:\v.exe`, `C:\v.exe "key=\"high\""`},
		{"backslashes at the end", []string{`C:\v.exe`, `a b\`}, `C:\v.exe`, `C:\v.exe "a b\\"`},
		{"PR-05 a batch file", []string{`C:\npm\v.CMD`, "-p", "fix & go"}, system32 + `\cmd.exe`,
			system32 + `\cmd.exe /e:on /v:off /d /s /c ""C:\npm\v.CMD" "-p" "fix & go""`},
		{"PR-07 quotes to a batch file", []string{`C:\v.cmd`, `key="&high"`}, system32 + `\cmd.exe`,
			system32 + `\cmd.exe /e:on /v:off /d /s /c ""C:\v.cmd" "key=""&high"""` + `"`},
		{"a percent sign to a batch file", []string{`C:\v.cmd`, "%PATH%"}, system32 + `\cmd.exe`,
			system32 + `\cmd.exe /e:on /v:off /d /s /c ""C:\v.cmd" "%%cd:~,%PATH%%cd:~,%""`},
		{"a command of the interpreter", []string{`C:\Windows\cmd.exe`, "/d", "/s", "/c", `echo "a b" && dir`}, `C:\Windows\cmd.exe`,
			`C:\Windows\cmd.exe /d /s /c "echo "a b" && dir"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			program, line := windowsCommand(system32, tc.argv[0], tc.argv)
			if program != tc.program || line != tc.line {
				t.Errorf("got %s\n%s, want\n%s", program, line, tc.line)
			}
		})
	}
}

// parted takes a command line apart as the C runtime does.
func parted(line string) []string {
	var out []string
	for i := 0; i < len(line); {
		if line[i] == ' ' || line[i] == '\t' {
			i++
			continue
		}
		var b strings.Builder
		quoted := false
		for ; i < len(line) && (quoted || line[i] != ' ' && line[i] != '\t'); i++ {
			n := 0
			for ; i < len(line) && line[i] == '\\'; i++ {
				n++
			}
			if i == len(line) || line[i] != '"' {
				b.WriteString(strings.Repeat(`\`, n))
				if i == len(line) || !quoted && (line[i] == ' ' || line[i] == '\t') {
					break
				}
				b.WriteByte(line[i])
				continue
			}
			b.WriteString(strings.Repeat(`\`, n/2))
			switch {
			case n%2 == 1:
				b.WriteByte('"')
			case quoted && i+1 < len(line) && line[i+1] == '"':
				b.WriteByte('"')
				i++
			default:
				quoted = !quoted
			}
		}
		out = append(out, b.String())
	}
	return out
}

// outsideQuotes is what the command interpreter sees outside of quotes.
func outsideQuotes(line string) string {
	var b strings.Builder
	quoted := false
	for _, r := range line {
		if r == '"' {
			quoted = !quoted
		} else if !quoted {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func FuzzWindowsCommand(f *testing.F) {
	f.Add("plain", `say "a b"`)
	f.Add(`a\`, `\\"\`)
	f.Add("%PATH%", "a&b|c")
	f.Add(`"&calc"`, "")
	f.Fuzz(func(t *testing.T, one, two string) {
		if strings.ContainsAny(one+two, "\x00\r\n") {
			return // Deliverable refuses it
		}
		argv := []string{`C:\v.exe`, one, two}
		if _, line := windowsCommand(system32, argv[0], argv); !slices.Equal(parted(line), argv) {
			t.Errorf("%q arrives as %q", line, parted(line))
		}
		batch := []string{`C:\v.cmd`, one, two}
		_, line := windowsCommand(system32, batch[0], batch)
		inner := strings.TrimSuffix(line[strings.Index(line, `/c "`)+4:], `"`)
		if strings.Trim(outsideQuotes(inner), " ") != "" {
			t.Errorf("outside of quotes the interpreter sees %q in %q", outsideQuotes(inner), inner)
		}
		if got := parted(strings.ReplaceAll(inner, "%%cd:~,%", "%")); !strings.Contains(one+two, "%%cd:~,%") && !slices.Equal(got, batch) {
			t.Errorf("%q reaches the program as %q", inner, got)
		}
	})
}
