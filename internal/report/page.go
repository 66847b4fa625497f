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
func HTML(r Report) ([]byte, error) {
	t, err := template.New("page").Funcs(template.FuncMap{
		"partial": partial, "pair": pair, "seconds": seconds, "who": who,
		"verdict": Stage.verdictText, "name": Stage.name, "mark": verdict,
		"spent": func() string { return r.Totals.spent() },
		"human": func() string { return humanText(r, oneLine) },
		"ended": func() string { return outcomeText(r, oneLine) },
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
