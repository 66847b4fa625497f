package role

import (
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/roster"
)

// RI-06: a known writer does not explain what was there before anybody wrote.
func TestUnexplained(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		writers     []string
		unexplained bool
		want        string
	}{
		"RI-06_known":                {[]string{"a"}, false, roster.Independent},
		"RI-06_changes_of_nobody":    {[]string{"a"}, true, roster.Unproven},
		"RI-06_no_writer":            {nil, true, roster.Unproven},
		"RI-06_a_coauthor_stays_one": {[]string{"b"}, true, roster.Coauthor},
	} {
		f := newFixture(t)
		f.reviewer()
		readers := f.Home.Policy.Roles["reviewer"]
		readers.Independent = false
		f.Home.Policy.Roles["reviewer"] = readers
		f.req.Writers, f.req.Unexplained = tt.writers, tt.unexplained
		f.script("rb", answered(passReviewer))
		got := f.dispatch(t)
		wantCode(t, got, outcome.OK)
		if got.Record.Independence != tt.want {
			t.Errorf("%s: %s, want %s", name, got.Record.Independence, tt.want)
		}
	}
}
