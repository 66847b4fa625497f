package reconcile

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Verb is the word after "/warden".
type Verb string

// The verbs. Six of them answer a question; the others ask one.
const (
	VerbAccept  Verb = "accept"
	VerbReject  Verb = "reject"
	VerbRetry   Verb = "retry"
	VerbSwitch  Verb = "switch"
	VerbAbort   Verb = "abort"
	VerbRecheck Verb = "recheck"
	VerbStop    Verb = "stop"
	VerbStatus  Verb = "status"
	VerbHelp    Verb = "help"
)

// Command is a command that was given.
type Command struct {
	Verb Verb
	SHA  string // of an accept: 7 to 64 hexadecimal digits, lower case
	// Note is what stands after the command, byte for byte: for a reject from the
	// first line on, for the others from the second.
	Note string
}

const commandWord = "/warden"

// ParseCommand reads the command in the first line of a comment. Found says that
// the first line addresses Warden; problem is then "" for a command and otherwise
// UnknownCommand or MalformedCommand. Nothing but the first line is looked at, and
// it must begin with the command at its first byte, so that a command inside a
// quote, a fence, inline code or an HTML comment is never one.
func ParseCommand(body string) (c Command, found bool, problem string) {
	line, rest, _ := strings.Cut(body, "\n")
	after, ok := strings.CutPrefix(line, commandWord)
	if !ok || after != "" && !strings.ContainsRune(" \t\r", rune(after[0])) {
		return Command{}, false, ""
	}
	if !readable(strings.TrimSuffix(line, "\r")) {
		return Command{}, true, string(MalformedCommand)
	}
	after = strings.TrimRight(after, " \t\r")
	if after == "" || after[0] != ' ' {
		return Command{}, true, string(MalformedCommand)
	}
	verb, argument, spaced := strings.Cut(after[1:], " ")
	switch v := Verb(verb); v {
	case VerbAccept:
		if !isHex(argument) || len(argument) < 7 || len(argument) > 64 {
			return Command{}, true, string(MalformedCommand)
		}
		return Command{Verb: v, SHA: strings.ToLower(argument), Note: rest}, true, ""
	case VerbReject:
		return Command{Verb: v, Note: rejection(line, body)}, true, ""
	case VerbRetry, VerbSwitch, VerbAbort, VerbRecheck, VerbStop, VerbStatus, VerbHelp:
		if spaced {
			return Command{}, true, string(MalformedCommand)
		}
		return Command{Verb: v, Note: rest}, true, ""
	case "":
		return Command{}, true, string(MalformedCommand)
	}
	return Command{}, true, string(UnknownCommand)
}

// rejection returns everything after "/warden reject" and the one blank or line
// end that separates the text from it.
func rejection(line, body string) string {
	text := body[len(commandWord+" "+string(VerbReject)):]
	if strings.Trim(line[len(commandWord+" "+string(VerbReject)):], " \t\r") == "" {
		_, rest, _ := strings.Cut(text, "\n")
		return rest
	}
	return text[1:]
}

// readable refuses a line that holds control characters: what a person sees may
// then not be what is there.
func readable(line string) bool {
	return utf8.ValidString(line) && !strings.ContainsFunc(line, func(r rune) bool {
		return r != '\t' && unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
	})
}

func isHex(s string) bool {
	for _, r := range s {
		if !strings.ContainsRune("0123456789abcdefABCDEF", r) {
			return false
		}
	}
	return s != ""
}
