package forgecases

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
)

// told asserts that people were given this reason once, in words of which these
// are some.
func (w *world) told(reason, words string) {
	w.t.Helper()
	w.want(w.said("Code: `"+reason+"`") == 1 && w.said(words) == 1, "%s was told %d times, %q %d times",
		reason, w.said("Code: `"+reason+"`"), words, w.said(words))
}

// punctual is a clock that shows the second of the wall while it is on time, as
// a forge does: what is said in a run is then no later than its end.
func punctual(onTime *atomic.Bool) func() time.Time {
	ahead := clock()
	return func() time.Time {
		if onTime.Load() {
			return time.Now().UTC().Truncate(time.Second)
		}
		return ahead()
	}
}

// TestAnswers is what is said to whom whose word decided nothing, and why.
func TestAnswers(t *testing.T) {
	t.Parallel()
	t.Run("another commit than the candidate", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		p := w.act(w.comment(mona, w.pull, "/warden accept 0123456789"))
		w.want(p.words() == "" && p.did("ask", "wrong_candidate") && p.Pull.Draft, "it counted: %s", p)
		w.told("wrong_candidate", "this is not the candidate that waits; that is `"+first.Pull.Head+"`")
		w.settled()
	})
	t.Run("said before the question", func(t *testing.T) {
		t.Parallel()
		var onTime atomic.Bool
		onTime.Store(true)
		w := newWorld(t, setting{files: map[string]string{"check.sh": "exit 1\n"}, clock: punctual(&onTime)})
		w.open()
		w.model.during(1, func() {
			q := w.try(w.comment(mona, w.issue, "/warden retry"), "other")
			w.want(q.status == 0 && !q.did("ask", ""), "it was answered before it could be: %s", q)
		})
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.words() == "" && p.did("ask", "answer_before_question"), "it counted: %s", p)
		w.told("answer_before_question", "Look at the result and say it again.")
		onTime.Store(false)
		p = w.act(w.comment(mona, w.issue, "/warden abort"))
		w.want(p.words() == "abort", "said again it does not count: %s", p)
		w.settled()
	})
	t.Run("a recheck", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		if _, _, err := w.server.PushAs(wil, first.Branch, map[string]string{"greeting.txt": "Hello, all!\n"}); err != nil {
			t.Fatal(err)
		}
		p := w.act(w.comment(wil, w.pull, "/warden recheck"))
		w.want(len(p.Runs) == 1 && p.did("ask", "recheck_not_built") && w.model.made() == 1, "something ran: %s", p)
		w.told("recheck_not_built", "What was pushed by hand is not judged")
		w.settled()
	})
	t.Run("one approval of two", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{project: func(yaml string) string { return yaml + "forge:\n  decide:\n    approvals: 2\n" }})
		first := w.candidate()
		p := w.act(w.comment(mona, w.pull, "/warden accept "+first.Pull.Head[:12]))
		w.want(p.words() == "" && p.did("ask", "more_approvals_needed") && p.Pull.Draft, "one was enough: %s", p)
		w.want(w.check(first.Pull.Head) == "waiting", "the gate is %q", w.check(first.Pull.Head))
		w.told("more_approvals_needed", "This candidate waits for more approvals")
		w.settled()
		w.review(wil, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "accept" && !p.Pull.Draft && w.check(first.Pull.Head) == "success", "two are not: %s", p)
		w.settled()
	})
	t.Run("an edited review", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.candidate()
		id, _, err := w.server.SubmitReview(mona, w.pull, forge.Approved, "Fine.")
		if err != nil {
			t.Fatal(err)
		}
		w.sent(w.server.EditReview(mona, w.pull, id, "Fine, but not now."))
		p := w.act(w.woken())
		w.want(p.words() == "" && p.did("ask", "review_edited") && p.Pull.Draft, "it counted: %s", p)
		w.told("review_edited", "Submit a fresh one.")
		w.review(mona, forge.Approved, "Now.")
		p = w.act(w.woken())
		w.want(p.words() == "accept" && !p.Pull.Draft, "a fresh one does not count: %s", p)
		w.settled()
	})
	t.Run("an approval beside a refusal", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.review(mona, forge.ChangesRequested, "Greet twice.")
		w.review(wil, forge.Approved, "I like it.")
		p := w.act(w.woken())
		w.want(p.words() == "reject" && p.did("ask", "outranked_by_refusal") && len(p.Runs) == 2, "the approval counted: %s", p)
		w.want(w.check(first.Pull.Head) == "failure" && w.check(p.Pull.Head) == "waiting" && p.Pull.Draft, "the gates are %q and %q", w.check(first.Pull.Head), w.check(p.Pull.Head))
		w.told("outranked_by_refusal", "@"+wil+" somebody refused this candidate")
		w.settled()
	})
	t.Run("a refusal after the accept", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.review(mona, forge.Approved, "")
		p := w.act(w.woken())
		w.want(p.words() == "accept" && !p.Pull.Draft, "accept: %s", p)
		w.review(wil, forge.ChangesRequested, "Greet twice.")
		p = w.act(w.woken())
		w.want(p.did("record_decision", "refused_later") && p.words() == "accept void reject", "the accept still holds: %s", p)
		w.want(p.did("mark_draft", "accept_void") && p.Pull.Draft && w.check(first.Pull.Head) == "failure", "it still looks accepted: %s", p)
		w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "the words went to nobody: %s", p)
		prompt := w.read(w.runs("issue-1-2--implementer-0", "prompts", "implementer.md"))
		w.want(strings.Contains(prompt, "Greet twice."), "the words went to nobody:\n%s", prompt)
		w.settled()
	})
	t.Run("a refusal of the candidate before", func(t *testing.T) {
		t.Parallel()
		var onTime atomic.Bool
		w := newWorld(t, setting{clock: punctual(&onTime)})
		first := w.candidate()
		w.sent(w.server.RemoveLabel(mona, w.issue, "warden"))
		d := w.label()
		onTime.Store(true)
		w.model.during(1, func() { w.review(wil, forge.ChangesRequested, "Not this one.") })
		p := w.act(d)
		w.want(len(p.Runs) == 2 && p.words() == "" && p.did("ask", "stale_refusal"), "it refused what it had not seen: %s", p)
		w.told("stale_refusal", "this review is of an older commit, `"+first.Pull.Head+"`")
		w.settled()
		w.review(wil, forge.ChangesRequested, "Nor this one: once more.")
		p = w.act(w.woken())
		w.want(p.words() == "reject" && len(p.Runs) == 3, "submitted again it does not count: %s", p)
		w.settled()
	})
	t.Run("a merge without an accept", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.sent(w.server.SetDraft(mona, w.pull, false))
		p := w.act(w.sent(w.server.MergePR(mona, w.pull)))
		w.want(p.words() == "merged" && p.Decisions[0].Actor == mona && p.did("ask", "merged_without_accept") && p.Pull.Merged, "merge: %s", p)
		w.told("merged_without_accept", "@"+mona+" this was merged although no accept was recorded for `"+first.Pull.Head+"`")
		w.settled()
	})
}
