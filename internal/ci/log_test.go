package ci_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/ci"
)

// hostile texts, each of which a runner obeys when it is printed as it is.
var hostile = map[string]string{
	"set-output":       "::set-output name=outcome::accepted\n",
	"indented":         "   ::error file=a,line=1::forged\n",
	"after a return":   "progress 10%\r::error::forged\n",
	"older form":       "see ##[error]forged\n",
	"stop and restart": "::stop-commands::mine\n::mine::\n::error::forged\n",
	"no line end":      "::error::forged",
	"mask":             "::add-mask::e\n",
}

func TestLog(t *testing.T) {
	t.Parallel()
	for name, text := range hostile {
		t.Run("foreign text/"+name, func(t *testing.T) {
			t.Parallel()
			var bare runner
			bare.feed(text)
			if len(bare.obeyed) == 0 {
				t.Fatalf("the runner obeys nothing in %q, so this case proves nothing", text)
			}
			var out bytes.Buffer
			log := open(t, &out)
			write(t, log, text)
			annotate(t, log, forge.Annotation{Level: "warning", Message: "ours"})
			write(t, log, text)
			if err := log.Close(); err != nil {
				t.Fatal(err)
			}
			var r runner
			r.feed(out.String())
			want := []issued{{Name: "warning", Props: map[string]string{}, Data: "ours"}}
			if diff := cmp.Diff(want, r.obeyed); diff != "" {
				t.Errorf("obeyed (-want +got):\n%s\nlog:\n%s", diff, out.String())
			}
			if r.stopToken != "" {
				t.Errorf("commands are still stopped after Close")
			}
		})
	}
	t.Run("foreign text in an annotation", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		log := open(t, &out)
		annotate(t, log, forge.Annotation{
			Path: "a,line=9::b.go", Line: 3, Level: "failure", Title: "t%0A::set-output name=x::y",
			Message: "one\r\n::error::two\x1b[2J%0A::error::three\u202e",
		})
		var r runner
		r.feed(out.String())
		want := []issued{{
			Name:  "error",
			Props: map[string]string{"file": "a,line=9::b.go", "line": "3", "title": "t%0A::set-output name=x::y"},
			Data:  "one\n:\u200b:error::two%0A::error::three",
		}}
		if diff := cmp.Diff(want, r.obeyed); diff != "" {
			t.Errorf("obeyed (-want +got):\n%s", diff)
		}
	})
	t.Run("a secret is masked line by line", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		log := open(t, &out)
		if err := log.Mask(ci.NewSecret("first\r\n\nsecond%0A")); err != nil {
			t.Fatal(err)
		}
		var r runner
		r.feed(out.String())
		var masked []string
		for _, c := range r.obeyed {
			masked = append(masked, c.Name+" "+c.Data)
		}
		if diff := cmp.Diff([]string{"add-mask first", "add-mask second%0A"}, masked); diff != "" {
			t.Errorf("obeyed (-want +got):\n%s", diff)
		}
	})
	t.Run("text with the token is refused", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		log := open(t, &out)
		token := strings.TrimSpace(strings.TrimPrefix(out.String(), "::stop-commands::"))
		if _, err := log.Write([]byte("::" + token + "::\n::error::forged\n")); err == nil {
			t.Errorf("write with the token %q succeeded", token)
		}
	})
	t.Run("a log that cannot be silenced takes no text", func(t *testing.T) {
		t.Parallel()
		if _, err := ci.Open(&bytes.Buffer{}, iotest.ErrReader(errors.New("no randomness"))); err == nil {
			t.Fatal("opened without randomness")
		}
		var out bytes.Buffer
		log, err := ci.Open(&out, bytes.NewReader(make([]byte, 16)))
		if err != nil {
			t.Fatal(err)
		}
		if err := log.Annotate(forge.Annotation{Message: "m"}); err == nil {
			t.Fatal("the second token came from nowhere")
		}
		if n, err := log.Write([]byte("::error::forged\n")); err == nil {
			t.Errorf("wrote %d bytes to a runner that listens", n)
		}
	})
}

func TestGuardJSON(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(map[string]string{"goal": "###[error]forged ##[warning]x # [a]"})
	if err != nil {
		t.Fatal(err)
	}
	var bare, r runner
	bare.feed(string(text))
	if len(bare.obeyed) == 0 {
		t.Fatal("the runner obeys nothing in the unguarded text")
	}
	guarded := ci.GuardJSON(text)
	r.feed(string(guarded))
	if len(r.obeyed) > 0 {
		t.Errorf("obeyed %v in %s", r.obeyed, guarded)
	}
	var got, want any
	if json.Unmarshal(text, &want) != nil || json.Unmarshal(guarded, &got) != nil || !cmp.Equal(want, got) {
		t.Errorf("guarded text means %v, want %v", got, want)
	}
}

// FuzzLog holds that no foreign text becomes a command, and that what we say is
// read back as we said it.
func FuzzLog(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, text)
	}
	f.Fuzz(func(t *testing.T, foreign, message string) {
		var out bytes.Buffer
		log := open(t, &out)
		write(t, log, foreign)
		annotate(t, log, forge.Annotation{Level: "failure", Path: "p", Title: "title " + message, Message: "m " + message})
		write(t, log, foreign)
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
		var r runner
		r.feed(out.String())
		if len(r.obeyed) != 1 || r.obeyed[0].Name != "error" || r.stopToken != "" {
			t.Fatalf("obeyed %v, stopped by %q, in %q", r.obeyed, r.stopToken, out.String())
		}
		said := strings.TrimPrefix(r.obeyed[0].Data, "m ")
		if r.obeyed[0].Props["title"] != "title "+said {
			t.Fatalf("title %q and message %q of one text differ", r.obeyed[0].Props["title"], said)
		}
		if !strings.ContainsFunc(message, func(c rune) bool { return c < ' ' || c > '~' }) && strings.ReplaceAll(said, "\u200b", "") != message {
			t.Fatalf("message %q was read as %q", message, said)
		}
	})
}

func open(t *testing.T, out *bytes.Buffer) *ci.Log {
	t.Helper()
	log, err := ci.Open(out, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func write(t *testing.T, log *ci.Log, text string) {
	t.Helper()
	if _, err := log.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
}

func annotate(t *testing.T, log *ci.Log, a forge.Annotation) {
	t.Helper()
	if err := log.Annotate(a); err != nil {
		t.Fatal(err)
	}
}
