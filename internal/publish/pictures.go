package publish

import (
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/tolboy/warden/internal/plain"
)

// maxInline bounds the pictures that stand in a body.
const maxInline = 12

// Picture is one picture of the evidence.
type Picture struct {
	Name string
	// URL is the address at which the forge shows it, at one commit of the ledger; ""
	// where it was not published or the forge has no such address. It is ours.
	URL string
	// Inline is the address by which a text shows it, where it was uploaded for that;
	// the forge's word.
	Inline string
}

// Uploads says what became of giving pictures to a forge that takes them.
type Uploads struct {
	Missing int    // pictures that should stand in the body and are only linked
	Why     string // of the first of them
}

var (
	addressForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^https?://[A-Za-z0-9.:_~%+@=,/-]{1,1000}$`) })
	pathForm    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^/[A-Za-z0-9_-][A-Za-z0-9._~%+@=,/-]{0,999}$`) })
)

// link returns a picture's address, or "" for one that could end the link it stands in.
func (p Picture) link() string {
	if !addressForm().MatchString(p.URL) {
		return ""
	}
	return p.URL
}

// shown is the address by which the body shows a picture, or "". Where pictures are
// uploaded, the others are linked only.
func (p Picture) shown(uploads bool) string {
	switch {
	case uploads && (addressForm().MatchString(p.Inline) || pathForm().MatchString(p.Inline)):
		return p.Inline
	case uploads || p.link() == "":
		return ""
	}
	return p.link() + "?raw=true"
}

// choice is a picture that is to stand in the body.
type choice struct {
	*Picture
	group            int // of what it shows: a baseline not met, a failure, a pass
	scenario, number int // from 0
}

// chosen are the pictures that are to stand in the body, what matters most first:
// where a baseline was not met, then what belongs to a failure, then the first of each
// other scenario.
func chosen(v View) []choice {
	var out []choice
	add := func(group, scenario int, list []Picture) {
		for k := range list {
			if len(out) < maxInline {
				out = append(out, choice{&list[k], group, scenario, k})
			}
		}
	}
	for i, s := range v.Scenarios {
		add(0, i, s.Differences)
	}
	for i, s := range v.Scenarios {
		if !s.Passed {
			add(1, i, s.Pictures)
		}
	}
	for i, s := range v.Scenarios {
		if s.Passed {
			add(2, i, s.Pictures[:min(1, len(s.Pictures))])
		}
	}
	return out
}

// Inline returns the pictures that are to stand in the body, 12 at most, what matters
// most first. A forge that takes pictures is given these.
func Inline(v View) []*Picture {
	var out []*Picture
	for _, c := range chosen(v) {
		out = append(out, c.Picture)
	}
	return out
}

// pictureSection shows pictures in the text itself.
func pictureSection(v View) string {
	var groups [3]strings.Builder
	shown := 0
	for _, c := range chosen(v) {
		address := c.shown(v.Uploads != nil)
		if address == "" {
			continue
		}
		shown++
		fmt.Fprintf(&groups[c.group], "\nScenario %d, %s, picture %d:\n\n![scenario %d, picture %d](%s)\n", c.scenario+1,
			plain.TableCell(plain.Line(v.Scenarios[c.scenario].Viewport, 40)), c.number+1, c.scenario+1, c.number+1, address)
	}
	var b strings.Builder
	switch {
	case v.Uploads != nil && shown+v.Uploads.Missing > 0:
		b.WriteString("### Pictures\n\nThey were uploaded to be shown here. As evidence they lie in the ledger at one commit, behind the links in the table.\n")
		if n := v.Uploads.Missing; n > 0 {
			fmt.Fprintf(&b, "\n%d more could not be uploaded and stand in the table only: %s\n", n, plain.TableCell(plain.Line(v.Uploads.Why, 300)))
		}
	case shown > 0:
		b.WriteString("### Pictures\n\nThey lie in the ledger at one commit. In a private repository they may not show here; the links in the table open them for whoever may read it.\n")
	default:
		return ""
	}
	open := " open"
	for i, title := range []string{"Where a baseline was not met", "Of scenarios that failed", "Of scenarios that passed"} {
		if text := groups[i].String(); text != "" {
			fmt.Fprintf(&b, "\n<details%s><summary>%s</summary>\n%s\n</details>\n", open, title, text)
			open = ""
		}
	}
	return b.String()
}
