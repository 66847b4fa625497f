package plain

import (
	"regexp"
	"strings"
)

// escapes are the control sequences of terminals, finished or not: the ones with a
// string in them, up to the end of the line, the ones with parameters, the short ones.
var escapes = regexp.MustCompile("(?:\x1b[\\]PX^_]|[\u0090\u0098\u009d\u009e\u009f])[^\x07\x1b\u009c\n]*(?:\x07|\x1b\\\\|\u009c)?" +
	"|(?:\x1b\\[|\u009b)[0-?]*[ -/]*[@-~]?" +
	"|\x1b[ -/]*[0-~]?")

var (
	commandStart = regexp.MustCompile(`(?m)^([ \t]*:):`)
	commandMark  = regexp.MustCompile(`##(\[|vso\[)`)
)

// Terminal returns s without anything that moves a cursor, changes a colour, a
// title or the order of text, and without anything that a runner of workflows
// takes for a command. Line feeds and tabs stay.
func Terminal(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	s = clean(escapes.ReplaceAllString(s, ""))
	s = commandStart.ReplaceAllString(s, "${1}"+zero+":")
	return commandMark.ReplaceAllString(s, "##"+zero+"${1}")
}

var (
	commandData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	commandProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// WorkflowCommandData returns s as the message of a workflow command. It is the
// one function here, with WorkflowCommandProperty, that encodes: twice is wrong.
func WorkflowCommandData(s string) string { return commandData.Replace(Terminal(s)) }

// WorkflowCommandProperty returns s as the value of a property of one.
func WorkflowCommandProperty(s string) string { return commandProperty.Replace(Terminal(s)) }
