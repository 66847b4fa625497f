package report

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"

	"github.com/tolboy/warden/internal/plain"
)

//go:embed page.html
var page string

// HTML renders the report as one self-contained page: no script, nothing loaded
// from elsewhere, all text escaped.
// Files of the evidence are shown below dir. The pictures come from read, by their paths
// below the runs directory, and the page carries them; nil shows none.
func HTML(r Report, dir string, read func(path string) ([]byte, error)) ([]byte, error) {
	a := &album{read: read, room: maxAlbum}
	var reels []reel
	if read != nil {
		reels = a.reels(r)
	}
	first, rest := headline(r)
	word, class := state(r)
	t, err := template.New("page").Funcs(template.FuncMap{
		"partial": partial, "pair": pair, "seconds": seconds, "who": who, "moment": moment,
		"verdict": Stage.verdictText, "name": Stage.name, "mark": verdict, "cost": Stage.cost, "tokens": Stage.tokens,
		"round": Stage.round, "failed": Stage.failed, "red": red, "where": where,
		"place":    func(file string) string { return place(dir, file) },
		"spent":    func() string { return r.spent() },
		"human":    func() string { return humanText(r, oneLine) },
		"ended":    func() string { return outcomeText(r, oneLine) },
		"held":     func() string { return weaker(r) },
		"word":     func() string { return word },
		"state":    func() string { return class },
		"next":     func() string { return r.step() },
		"took":     func() string { return took(r) },
		"timeline": func() []bar { return timeline(r) }, "judged": Stage.judged, "opinion": Stage.opinion, "open": r.stillOpen,
		"first": func() string { return first },
		"rest":  func() string { return rest },
		"reels": func() []reel { return reels },
		"found": seenStep.found, "what": seenStep.what,
		"taken": func(s Stage) []picture {
			if read == nil {
				return nil
			}
			return a.taken(s)
		},
		"album": func() *album { return a },
	}).Parse(page)
	if err != nil {
		return nil, fmt.Errorf("render report of run %q: %w", r.RunID, err)
	}
	var b bytes.Buffer
	if err := t.Execute(&b, r); err != nil {
		return nil, fmt.Errorf("render report of run %q: %w", r.RunID, err)
	}
	return []byte(plain.Pictures(b.String())), nil // the page may be shown by a terminal
}
