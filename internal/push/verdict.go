package push

import (
	"errors"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// verdict reads the one line "flag<TAB>from:to<TAB>summary (reason)" that
// push --porcelain prints for a ref.
func verdict(ref, out string, err error) (same bool, _ error) {
	var failed *git.CommandError
	if err != nil && !errors.As(err, &failed) {
		return false, err
	}
	for line := range strings.Lines(out) {
		f := strings.SplitN(strings.TrimRight(line, "\n"), "\t", 3)
		if len(f) != 3 || !strings.HasSuffix(f[1], ":"+ref) {
			continue
		}
		switch f[0] {
		case "=":
			return true, err
		case "!":
			return false, refusal(ref, f[2], err)
		case " ", "*", "+", "-": // the last of a ref that was to go
			return false, err
		}
	}
	if err == nil {
		return false, errors.New("git push said nothing of the ref")
	}
	return false, refusal(ref, "", err)
}

// refusal tells the reasons apart. The summary is git's own or the server's; a
// server may say more on the error stream.
func refusal(ref, summary string, err error) error {
	text := summary
	var failed *git.CommandError
	if errors.As(err, &failed) {
		text += "\n" + failed.Stderr
	}
	lower := strings.ToLower(text)
	has := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(lower, w) {
				return true
			}
		}
		return false
	}
	switch {
	case has("refusing to allow") && has("workflow"):
		return fmt.Errorf("%w: %s", ErrWorkflowScope, words(text))
	case strings.HasPrefix(summary, "[rejected]"),
		has("cannot lock ref", "reference already exists", "incorrect old value", "failed to update ref"):
		return ErrLease
	case strings.HasPrefix(summary, "[remote rejected]"):
		return &ErrRefused{Ref: ref, Text: words(text)}
	case err != nil:
		return err
	}
	return &ErrRefused{Ref: ref, Text: words(text)}
}

// words makes one line of at most 500 bytes out of a remote's text.
func words(text string) string {
	line := strings.Map(func(r rune) rune {
		if r < 0x20 || r == 0x7f {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
	line = strings.Join(strings.Fields(line), " ")
	if len(line) > 500 {
		line = strings.ToValidUTF8(line[:500], "") + "…"
	}
	return line
}
