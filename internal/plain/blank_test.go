package plain_test

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/plain"
)

func TestBlank(t *testing.T) {
	t.Parallel()
	unseen := []string{"", " \t\r\n", "\u00a0", "\u3000", "\u200b", "\ufeff", "\u200d\u2060", "\u202e", "\u00ad", "\u3164", "\u2800", "\ufe0f",
		"\u034f", "\u180e", "\U000e0041\U000e007f", "\U0001bca0", "\u0000\u001b", "\u2028\u0085"}
	for _, s := range append(unseen, strings.Join(unseen, "")) {
		if !plain.Blank(s) {
			t.Errorf("%q shows something", s)
		}
	}
	for _, s := range []string{"x", ".", "\u200b.\u200b", "é", "語", "\u0627", "👎", "👎🏽\ufe0f", "\ufffd", "\xff", "<!-- -->", "\u0600"} {
		if plain.Blank(s) {
			t.Errorf("%q shows nothing", s)
		}
	}
}
