package forgecases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/internal/demo"
)

// TestLimits is where an issue has used up what it may cause.
func TestLimits(t *testing.T) {
	t.Parallel()
	t.Run("twenty runs", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		n, _, err := w.server.OpenIssue(wil, title, goal+"```warden\nscope: nowhere\n```\n") // each run ends before it calls anybody
		if err != nil {
			t.Fatal(err)
		}
		w.issue = n
		p := w.act(w.label())
		for run := 1; run < 20; run++ {
			w.want(len(p.Runs) == run && p.Runs[run-1].Reason == "run_preflight_failed", "run %d: %s", run, p)
			p = w.act(w.comment(mona, w.issue, "/warden retry"))
		}
		w.want(len(p.Runs) == 20 && !p.did("ask", ""), "the twentieth: %s", p)
		p = w.act(w.comment(mona, w.issue, "/warden retry"))
		w.want(len(p.Runs) == 20 && p.did("ask", "run_limit_reached"), "one more: %s", p)
		w.told("run_limit_reached", "this issue has used up its `20` runs")
		w.settled()
		w.want(w.model.made() == 0, "%d vendor calls", w.model.made())
	})
	t.Run("a hundred answers", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		for i := range 99 { // as they stand on the issue when the log of it was lost
			w.comment(forgetest.Bot, w.issue, fmt.Sprintf("<!-- warden:answer=say:comment:%d:help_asked -->\n@%s help.\n", i+1, sam))
		}
		p := w.act(w.comment(wil, w.issue, "/warden help"))
		w.want(p.did("ask", "help_asked") && w.said("help_asked") == 1, "the hundredth: %s", p)
		p = w.act(w.comment(wil, w.issue, "/warden status"))
		w.want(p.did("ignore", "answer_limit_reached") && w.said("status_asked") == 0, "one more: %s", p)
		// Only talk has ended: work goes on, and so does a person's word.
		p = w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "ready_for_human", "no run: %s", p)
		p = w.act(w.comment(mona, p.Pull.Number, "/warden accept "+p.Pull.Head))
		w.want(p.words() == "accept" && !p.Pull.Draft, "no decision: %s", p)
	})
}

// TestClosed closes the issue in the middle of a run. It stops at its next
// boundary, and nothing starts while the issue is closed.
func TestClosed(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	w.open()
	w.model.during(1, func() {
		q := w.try(w.sent(w.server.CloseIssue(mona, w.issue)), "other")
		w.want(q.status == 0 && q.did("stop", "issue_closed"), "another job: %s", q)
	})
	p := w.act(w.label())
	w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "stopped_by_person" && p.Pull == nil, "it went on: %s", p)
	w.parked("issue-1-1", map[string]string{"greeting.txt": greeting})
	w.want(w.said("issue_closed") == 1, "the status comment does not say why")
	w.sent(w.server.RemoveLabel(mona, w.issue, "warden"))
	p = w.act(w.label())
	w.want(len(p.Runs) == 1 && p.did("ignore", "issue_closed") && w.model.made() == 1, "a label on a closed issue: %s", p)
	p = w.act(w.sent(w.server.ReopenIssue(mona, w.issue)))
	w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "opened again: %s", p)
	w.settled()
}

// spentPlan is a vendor that says that its plan is used up.
func spentPlan() []demo.Turn {
	return []demo.Turn{{Role: "implementer", Exit: 1, Stdout: `{"type":"turn.failed","error":{"message":"You have hit your usage limit."}}` + "\n"}}
}

// TestSwitch is a plan that is spent in the middle of a run: only a person lets
// another house take the role, and only that one.
func TestSwitch(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{second: true, writer: spentPlan()})
	w.open()
	p := w.act(w.label())
	w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "failover_requires_confirmation" && p.Pull == nil, "it went on by itself: %s", p)
	w.want(w.said("/warden switch") == 1, "the status comment does not say what to answer")
	p = w.act(w.comment(rita, w.issue, "/warden switch"))
	w.want(len(p.Runs) == 1 && p.words() == "" && p.did("ask", "not_permitted"), "a reader allowed it: %s", p)
	p = w.act(w.comment(mona, w.issue, "/warden switch"))
	w.want(p.did("start_run", "switch_asked") && p.words() == "switch" && len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "it did not start: %s", p)
	text, err := w.gitOut("show", p.Pull.Head+":greeting.txt")
	w.want(err == nil && text == "Hello from the second house!", "the candidate: %v %q", err, text)
	message, err := w.gitOut("log", "-1", "--format=%B", p.Pull.Head)
	w.want(err == nil && strings.Contains(message, "Warden-Vendor: second-house"), "who wrote it: %v %q", err, message)
	w.settled()
}
