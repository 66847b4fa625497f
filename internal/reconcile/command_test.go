package reconcile_test

import (
	"regexp"
	"strings"
	"testing"

	. "github.com/tolboy/warden/internal/reconcile"
)

func TestParseCommand(t *testing.T) {
	t.Parallel()
	tests := []struct {
		body    string
		want    Command
		found   bool
		problem Reason
	}{
		{"/warden accept abcdef1", Command{Verb: VerbAccept, SHA: "abcdef1"}, true, ""},
		{"/warden accept ABCDEF1 \r\nfine", Command{Verb: VerbAccept, SHA: "abcdef1", Note: "fine"}, true, ""},
		{"/warden accept abcdef", Command{}, true, MalformedCommand},
		{"/warden accept abcdefg", Command{}, true, MalformedCommand},
		{"/warden accept abcdef1 now", Command{}, true, MalformedCommand},
		{"/warden accept  abcdef1", Command{}, true, MalformedCommand},
		{"/warden accept " + strings.Repeat("a", 65), Command{}, true, MalformedCommand},
		{"/warden reject", Command{Verb: VerbReject}, true, ""},
		{"/warden reject too slow\r\n\r\n  and `x`\r\n", Command{Verb: VerbReject, Note: "too slow\r\n\r\n  and `x`\r\n"}, true, ""},
		{"/warden reject\r\n> quote\n", Command{Verb: VerbReject, Note: "> quote\n"}, true, ""},
		{"/warden reject  x", Command{Verb: VerbReject, Note: " x"}, true, ""},
		{"/warden reject\u00a0x", Command{}, true, UnknownCommand},
		{"/warden rejected", Command{}, true, UnknownCommand},
		{"/warden retry", Command{Verb: VerbRetry}, true, ""},
		{"/warden retry please", Command{}, true, MalformedCommand},
		{"/warden Retry", Command{}, true, UnknownCommand},
		{"/warden", Command{}, true, MalformedCommand},
		{"/warden ", Command{}, true, MalformedCommand},
		{"/warden  stop", Command{}, true, MalformedCommand},
		{"/warden\tstop", Command{}, true, MalformedCommand},
		{"/warden stop\r/warden retry", Command{}, true, MalformedCommand},
		{"/warden stop\x00", Command{}, true, MalformedCommand},
		{"/warden stop\xff", Command{}, true, MalformedCommand},
		{"/wardens stop", Command{}, false, ""},
		{"/Warden stop", Command{}, false, ""},
		{" /warden stop", Command{}, false, ""},
		{"\ufeff/warden stop", Command{}, false, ""},
		{"\n/warden stop", Command{}, false, ""},
		{"hello\n/warden stop", Command{}, false, ""},
		{"", Command{}, false, ""},
	}
	for _, tt := range tests {
		got, found, problem := ParseCommand(tt.body)
		if got != tt.want || found != tt.found || Reason(problem) != tt.problem {
			t.Errorf("ParseCommand(%q) = %+v, %t, %q", tt.body, got, found, problem)
		}
	}
}

// FuzzCommand judges by a grammar of its own.
func FuzzCommand(f *testing.F) {
	for _, s := range []string{"/warden accept abcdef1\nx", "/warden reject a\r\nb", "/warden stop ", "> /warden stop", "/warden\rstop", "x"} {
		f.Add(s)
	}
	grammar := regexp.MustCompile(`^/warden (accept [0-9a-fA-F]{7,64}[ \t\r]*|reject|reject[ \t\r]+|reject [^\x00-\x08\x0a-\x1f\x7f-\x{9f}\x{2028}\x{2029}]*\r?|(retry|switch|abort|recheck|stop|status|help)[ \t\r]*)$`)
	f.Fuzz(func(t *testing.T, body string) {
		c, found, problem := ParseCommand(body)
		line, _, _ := strings.Cut(body, "\n")
		if found != (line == "/warden" || strings.HasPrefix(line, "/warden ") || strings.HasPrefix(line, "/warden\t") || strings.HasPrefix(line, "/warden\r")) {
			t.Fatalf("found = %t", found)
		}
		given := found && problem == ""
		if given && !grammar.MatchString(line) {
			t.Fatalf("%q is no command, got %+v", line, c)
		}
		if !given && c != (Command{}) {
			t.Fatalf("half a command: %+v", c)
		}
		if given && !strings.HasSuffix(body, c.Note) {
			t.Fatalf("note %q is not the end of the body", c.Note)
		}
		for _, quoted := range []string{"> " + body, "```\n" + body + "\n```", "`" + body + "`", "<!-- " + body + " -->", " " + body, "\t" + body, "- " + body, "\n" + body} {
			if _, found, _ := ParseCommand(quoted); found {
				t.Fatalf("quoted command found in %q", quoted)
			}
		}
	})
}
