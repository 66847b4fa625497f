package browser

import (
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/runtime"
)

// spoke takes in what the page writes to the console.
func (s *sight) spoke(e *runtime.EventConsoleAPICalled) {
	if e.Type != runtime.ConsoleAPICalledTypeError && e.Type != runtime.ConsoleAPICalledTypeAssert {
		return
	}
	var words []string
	for _, a := range e.Args {
		words = append(words, spelled(a))
		if len(words) == 20 {
			break
		}
	}
	s.complain(strings.Join(words, " "), source(e.StackTrace, "", 0))
}

func (s *sight) threw(e *runtime.EventExceptionThrown) {
	d := e.ExceptionDetails
	if d == nil {
		return
	}
	text := said(d)
	if !strings.HasPrefix(text, "Uncaught") {
		text = "Uncaught " + text
	}
	s.complain(text, source(d.StackTrace, d.URL, int(d.LineNumber)))
}

func (s *sight) complain(text, at string) {
	switch {
	case foreign(text, at):
		s.ignored++
	case len(s.console) < maxConsole:
		s.console = append(s.console, ConsoleError{Text: cut(text, maxConsoleText), Source: cut(at, maxConsoleText)})
	default:
		s.more++
	}
}

// foreign reports whether an error is none of the page's: it comes from an
// extension or from the browser's own pages.
func foreign(text, at string) bool {
	for _, scheme := range []string{"chrome-extension:", "moz-extension:", "edge:", "chrome:", "devtools:"} {
		if strings.HasPrefix(at, scheme) {
			return true
		}
	}
	for _, said := range []string{
		"Could not establish connection. Receiving end does not exist",
		"The message port closed before a response was received",
		"A listener indicated an asynchronous response by returning true",
	} {
		if strings.Contains(text, said) {
			return true
		}
	}
	return false
}

func spelled(o *runtime.RemoteObject) string {
	if o == nil {
		return ""
	}
	if text, err := strconv.Unquote(string(o.Value)); err == nil {
		return text
	}
	if o.Description != "" {
		first, _, _ := strings.Cut(o.Description, "\n")
		return first
	}
	if o.UnserializableValue != "" {
		return string(o.UnserializableValue)
	}
	return string(o.Value)
}

// source is the address and line of the innermost call, both as a person counts.
func source(trace *runtime.StackTrace, address string, line int) string {
	if trace != nil && len(trace.CallFrames) > 0 {
		address, line = trace.CallFrames[0].URL, int(trace.CallFrames[0].LineNumber)
	}
	if address == "" {
		return ""
	}
	return address + ":" + strconv.Itoa(line+1)
}
