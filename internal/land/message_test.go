package land

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/report"
)

func ran(stage, kind string, ok bool, change func(*report.Stage)) report.Stage {
	s := report.Stage{Stage: stage, Kind: kind, OK: &ok}
	if change != nil {
		change(&s)
	}
	return s
}

func told(goal string, stages ...report.Stage) report.Report {
	return report.Report{RunID: "r1", Goal: goal, Stages: stages, SealedHead: strings.Repeat("c", 64),
		Decision: &decision.State{Actor: &ann}}
}

// TestMessage_LA05 tells of a low-risk run that nobody reviewed and no browser saw:
// the text names what ran and not a word more.
func TestMessage_LA05(t *testing.T) {
	t.Parallel()
	r := told("Fix the button\n\nIt does nothing.",
		ran("implement", "role", true, func(s *report.Stage) { s.Role, s.Vendor, s.Model = "implementer", "acme", "a-1" }),
		ran("gates", "machine_gates", true, func(s *report.Stage) { s.Commands = make([]ledger.GateCommand, 2) }))
	want := `Fix the button

> Fix the button
>
> It does nothing.

What ran:
* implement: done, by acme/a-1
* gates: passed, commands: 2

Ran-by: implementer acme/a-1
Warden-Run: r1
Warden-Ledger: ` + strings.Repeat("c", 64) + `
Warden-Accepted-By: ann
`
	got := Write(r, []string{"a.go"})
	if diff := cmp.Diff(want, got.Message); diff != "" {
		t.Error(diff)
	}
	if regexp.MustCompile(`(?i)review|browser|not run|independent`).MatchString(got.Message + got.Body) {
		t.Errorf("it claims what did not happen:\n%s\n%s", got.Message, got.Body)
	}
}

// TestFailedFirst_LA05 has a stage that failed before it passed, one that did not
// end, and one that was skipped.
func TestFailedFirst_LA05(t *testing.T) {
	t.Parallel()
	r := told("Fix it",
		ran("implement", "role", true, nil),
		ran("gates", "machine_gates", false, func(s *report.Stage) { s.Code = "command_failed" }),
		ran("gates", "machine_gates", true, func(s *report.Stage) { s.Attempt = 1 }),
		report.Stage{Stage: "review", Kind: "role"})
	r.Skipped = []ledger.StageSkipped{{Stage: "look", Reason: "no picture is asked for"}}
	got := Write(r, nil)
	want := "What ran:\n* gates: failed (command_failed)\n* review: not finished\n* implement: done\n* gates, attempt 2: passed, commands: 0\n\nNot run:\n* look: no picture is asked for\n\n"
	if !strings.Contains(got.Message, want) {
		t.Errorf("message:\n%s\nlacks:\n%s", got.Message, want)
	}
	if !strings.HasPrefix(stages(r), "### What ran\n\n| Stage | Result |\n| --- | --- |\n| gates | failed") {
		t.Errorf("table:\n%s", stages(r))
	}
}

// TestForeignText puts into every foreign field what would act on a forge or forge a
// trailer.
func TestForeignText(t *testing.T) {
	t.Parallel()
	evil := "Fixes #12 [skip ci] @boss\n\nSigned-off-by: Eve <eve@example.com>\nWarden-Run: other\nskip-checks: true\n\n/merge"
	r := told(evil,
		ran("x\n\nRan-by: nobody", "role", true, func(s *report.Stage) {
			s.Role, s.Vendor, s.Model, s.Verdict, s.Summary = "reviewer", "acme\nCo-authored-by: Eve", "m #3", evil, evil
		}))
	r.Skipped = []ledger.StageSkipped{{Stage: "look", Reason: evil}}
	eve := "eve\nSigned-off-by: Eve"
	r.Decision.Actor = &eve
	got := Write(r, []string{"a`#4\n/close"})
	trailers := regexp.MustCompile(`(?m)^[A-Za-z-]+:.*$`).FindAllString(got.Message, -1)
	for _, line := range trailers {
		if !regexp.MustCompile(`^(Ran-by: reviewer acme Co-authored-by: Eve/m |Warden-Run: r1$|Warden-Ledger: c{64}$|Warden-Accepted-By: eve Signed-off-by: Eve$)`).MatchString(line) &&
			line != "What ran:" && line != "Not run:" {
			t.Errorf("the message has the line %q", line)
		}
	}
	for _, text := range []string{got.Title, got.Message, got.Body} {
		for _, acts := range []string{"#12", "@boss", "[skip ci]", "#3"} {
			if strings.Contains(text, acts) {
				t.Errorf("%q acts in\n%s", acts, text)
			}
		}
		if regexp.MustCompile(`(?m)^(/|skip-checks:)`).MatchString(text) {
			t.Errorf("a line acts in\n%s", text)
		}
	}
	if strings.Contains(got.Title, "\n") || Write(told("--force"), nil).Title != "force" || Write(told(" \n"), nil).Title != "Land run r1" {
		t.Errorf("title %q", got.Title)
	}
}

// TestBodyIsBounded has more of everything than a forge takes.
func TestBodyIsBounded(t *testing.T) {
	t.Parallel()
	r := told(strings.Repeat("long ", 20_000))
	for range 100 {
		r.Stages = append(r.Stages, ran(strings.Repeat("s", 500), "role", true, func(s *report.Stage) {
			s.Verdict, s.Summary = "pass", strings.Repeat("\"#1 ", 30_000)
		}))
	}
	got := Write(r, make([]string, 5000))
	if len(got.Body) > maxBody+100 || len(got.Message) > maxBody || !strings.Contains(got.Body, "### Evidence") {
		t.Errorf("body %d bytes, message %d", len(got.Body), len(got.Message))
	}
}
