package proc

import (
	"path"
	"strings"
)

// windowsCommand returns the program to start for argv on Windows, and its command
// line. There a program gets one text and takes it apart by itself, and the command
// interpreter does it by other rules than the rest. The program at file is argv[0];
// system is the directory of Windows' own programs.
//
// A batch file is given to the interpreter explicitly, every argument in quotes and
// without delayed expansion, so that nothing in one is a command; Deliverable has
// refused what cannot be said that way. A command of the interpreter is left as it
// is, between quotes of which it takes off the outermost pair.
func windowsCommand(system, file string, argv []string) (program, line string) {
	words := argv[1:]
	switch {
	case isBatch(file):
		program = system + `\cmd.exe`
		parts := []string{quoteBatch(file, true)}
		for _, w := range words {
			parts = append(parts, quoteBatch(w, false))
		}
		return program, quoteArgument(program) + ` /e:on /v:off /d /s /c "` + strings.Join(parts, " ") + `"`
	case isInterpreter(file) && len(words) > 1 && strings.EqualFold(words[len(words)-2], "/c"):
		parts := []string{quoteArgument(file)}
		return file, strings.Join(append(parts, words[:len(words)-1]...), " ") + ` "` + words[len(words)-1] + `"`
	}
	parts := []string{quoteArgument(file)}
	for _, w := range words {
		parts = append(parts, quoteArgument(w))
	}
	return file, strings.Join(parts, " ")
}

func isBatch(file string) bool {
	ext := strings.ToLower(path.Ext(file))
	return ext == ".cmd" || ext == ".bat"
}

func isInterpreter(file string) bool {
	base := strings.ToLower(file[strings.LastIndexAny(file, `\/`)+1:])
	return base == "cmd.exe" || base == "cmd"
}

// quoteArgument quotes s by the rules of the C runtime: a quote is escaped, and so
// are the backslashes that stand before one.
func quoteArgument(s string) string {
	if s != "" && !strings.ContainsAny(s, " \t\n\v\"") {
		return s
	}
	return `"` + doubled(s, `\"`) + `"`
}

// quoteBatch quotes s for a line of the command interpreter. Two quotes stand for
// one, which keeps the interpreter's own count even. A percent sign is followed by
// an empty piece of a variable that is always there, so that it begins no name.
func quoteBatch(s string, file bool) string {
	text := s
	if !file {
		text = doubled(s, `""`)
	}
	return `"` + strings.ReplaceAll(text, "%", "%%cd:~,%") + `"`
}

// doubled writes quote for each quote of s, and doubles the backslashes before one
// and before the end.
func doubled(s, quote string) string {
	var b strings.Builder
	slashes := 0
	for i := range len(s) {
		switch s[i] {
		case '\\':
			slashes++
			continue
		case '"':
			b.WriteString(strings.Repeat(`\`, 2*slashes) + quote)
		default:
			b.WriteString(strings.Repeat(`\`, slashes))
			b.WriteByte(s[i])
		}
		slashes = 0
	}
	b.WriteString(strings.Repeat(`\`, 2*slashes))
	return b.String()
}
