package plain_test

import (
	"testing"

	"github.com/tolboy/warden/internal/plain"
)

func TestPictures(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"plain\n\ttext, Grüße ✓":            "plain\n\ttext, Grüße ✓",
		"\x1b]52;c;aGk=\x07\x1b[31mred":     "␛]52;c;aGk=␇␛[31mred",
		"a\x00b\x7fc\u009b1md\u202ee\u2066": "a␀b␡c␦1md␦e␦",
		"one\r\ntwo\rthree":                 "one\ntwo␍three",
	} {
		got := plain.Pictures(in)
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
		if again := plain.Pictures(got); again != got {
			t.Errorf("%q: a second time gives %q", in, again)
		}
	}
}
