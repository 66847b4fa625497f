package role

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
)

// The ledger says what a profile allows and who keeps the model to it; where its
// program is not told, the prompt asks.
func TestToolsAreRecorded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*policy.Profile)
		by     string
		asks   bool
	}{
		"told":      {func(p *policy.Profile) { p.Command, p.Args = "claude", []string{"--tools", "{{tools}}"} }, policy.ToolsByVendor, false},
		"asked":     {func(p *policy.Profile) { p.Command, p.Args = "claude", nil }, policy.ToolsAsked, true},
		"undefined": {func(p *policy.Profile) { p.ToolsAllow = nil }, "", false},
	} {
		f := newFixture(t)
		f.reviewer()
		p := profile("rb", "reviewer", "b")
		p.ToolsAllow = []string{"read", "search"}
		tt.change(&p)
		f.Home.Profiles["rb"] = p
		f.script("rb", answered(passReviewer))
		got := f.dispatch(t)
		wantCode(t, got, outcome.OK)
		if got.Record.ToolsEnforcedBy != tt.by || len(got.Record.ToolsAllow) != len(p.ToolsAllow) {
			t.Errorf("%s: recorded %q by %q", name, got.Record.ToolsAllow, got.Record.ToolsEnforcedBy)
		}
		if asks := strings.Contains(f.prompt(t), "Use only tools of these kinds: read, search."); asks != tt.asks {
			t.Errorf("%s: the prompt asks %t", name, asks)
		}
		if told := strings.Contains(strings.Join(got.Record.Calls[0].Argv, " "), "--tools Read,Grep,Glob"); told != (tt.by == policy.ToolsByVendor) {
			t.Errorf("%s: called with %q", name, got.Record.Calls[0].Argv)
		}
	}
}
