package git

import "testing"

func TestComplaint(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                         "git x: exit status 1",
		"warning: a\nerror: b\n":   "git x: exit status 1: error: b",
		"fatal: first\nfatal: why": "git x: exit status 1: fatal: why",
		"fatal: Unable to create '/r/.git/index.lock': File exists.\n\nAnother git process seems to be running\nremove the file manually to continue.": "git x: exit status 1: fatal: Unable to create '/r/.git/index.lock': File exists.",
		"fatal: a\x1b[2Jb": "git x: exit status 1: fatal: a[2Jb",
	} {
		if got := (&CommandError{Name: "x", ExitCode: 1, Stderr: text}).Error(); got != want {
			t.Errorf("of %q: got %q, want %q", text, got, want)
		}
	}
}
