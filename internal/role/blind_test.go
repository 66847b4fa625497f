package role

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
)

// A reader that has nothing but its prompt gets the change in it, whole, or is not
// asked.
func TestBlindReader(t *testing.T) {
	t.Parallel()
	near := func(t *testing.T, judge fileJudge) *fixture {
		t.Helper()
		f := newFixture(t)
		f.reviewer()
		p := profile("rb", "reviewer", "b")
		p.Runner, p.Command, p.Endpoint, p.Model, p.PromptDelivery = "local", "", "http://127.0.0.1:1/v1", "m-1", "argv"
		f.Home.Profiles["rb"] = p
		judge.root = f.root
		f.Judge = judge
		f.Confine.Required = true // and there is no backend: a server is no child
		return f
	}
	t.Run("change_is_appended", func(t *testing.T) {
		t.Parallel()
		f := near(t, fileJudge{diff: "diff --git a/src/a.go b/src/a.go\n-old\n+new\n"})
		f.script("rb", answered(passReviewer))
		got := f.dispatch(t)
		wantCode(t, got, outcome.OK)
		if p := f.prompt(t); !strings.Contains(p, "-old\n+new") || !strings.Contains(p, "You have no tools") {
			t.Errorf("prompt:\n%s", p)
		}
		if report := f.read(t, got.ReportFile.Path); !strings.Contains(report, `"prompt_delivery": "request"`) || strings.Contains(report, `"confinement"`) {
			t.Errorf("report:\n%s", report)
		}
	})
	t.Run("change_stands_once", func(t *testing.T) {
		t.Parallel()
		f := near(t, fileJudge{diff: "diff --git a/src/a.go b/src/a.go\n+new\n"})
		f.template("reviewer", reviewerTemplate+"{{ diff }}")
		f.script("rb", answered(passReviewer))
		wantCode(t, f.dispatch(t), outcome.OK)
		if n := strings.Count(f.prompt(t), "+new"); n != 1 {
			t.Errorf("the change stands %d times", n)
		}
	})
	t.Run("half_a_change_is_not_read", func(t *testing.T) {
		t.Parallel()
		f := near(t, fileJudge{diff: "diff --git a/src/a.go b/src/a.go\n+new\n", cut: true})
		got := f.dispatch(t)
		wantCode(t, got, outcome.RolePromptUndeliverable)
		if len(f.reserved) != 0 || !strings.Contains(got.Detail, "no tools") {
			t.Errorf("reserved %v: %s", f.reserved, got.Detail)
		}
	})
}
