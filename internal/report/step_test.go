package report_test

import (
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/report"
)

// Nobody is told to answer what has been answered.
func TestNextStepEndsWithTheAnswer(t *testing.T) {
	t.Parallel()
	const step = "review the candidate and answer"
	r := report.Report{RunID: "r1", SafeNextStep: step, Decision: &decision.State{State: decision.Pending}}
	shown := func() int {
		t.Helper()
		page, err := report.HTML(r, "/runs", nil)
		if err != nil {
			t.Fatal(err)
		}
		text := report.Text(r, "/runs", func(s string) string { return s })
		return strings.Count(string(page), step) + strings.Count(text, step)
	}
	if n := shown(); n != 2 {
		t.Errorf("an open question: the step is shown %d times", n)
	}
	word, by, at := decision.Reject, "mona", time.Unix(1, 0)
	r.Decision = &decision.State{State: decision.Resolved, Decision: &word, Actor: &by, UpdatedAt: at}
	if n := shown(); n != 0 {
		t.Errorf("an answered one: the step is shown %d times", n)
	}
}
