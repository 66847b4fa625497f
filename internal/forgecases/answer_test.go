package forgecases

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
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

// TestAnswers is what is said to whom whose word decided nothing, and why. Machines,
// and accounts that are gone, are answered nowhere.
func TestAnswers(t *testing.T) {
	t.Parallel()
	t.Run("one candidate and everything that does not decide on it", func(t *testing.T) {
		t.Parallel()
		const robot = "dependabot[bot]"
		w := newWorld(t, setting{})
		for _, p := range []forgetest.Person{{Login: robot, Permission: forge.Admin, Bot: true}, {Login: "gone", Permission: forge.Maintain}} {
			if err := w.server.AddPerson(p); err != nil {
				t.Fatal(err)
			}
		}
		first := w.candidate()
		waits := func(p printed) {
			w.t.Helper()
			w.want(p.words() == "" && p.Pull.Draft && len(p.Runs) == 1, "it counted: %s", p)
		}

		p := w.act(w.comment(mona, w.pull, "/warden accept 0123456789"))
		waits(p)
		w.told("wrong_candidate", "this is not the candidate that waits; that is `"+first.Pull.Head+"`")

		p = w.act(w.comment(wil, w.pull, "/warden recheck"))
		waits(p)
		w.told("recheck_head_unchanged", "Push your commits first")

		before := w.said("")
		p = w.act(w.review(wil, forge.Commented, "Nice.", forgetest.InlineComment{Path: "greeting.txt", Line: 1, Body: "Who reads this?"}))
		waits(p)
		w.want(p.did("ignore", "review_without_verdict"), "a review that only comments: %s", p)
		p = w.act(w.comment(robot, w.pull, "/warden accept "+first.Pull.Head))
		waits(p)
		w.want(p.did("ignore", "bot_account"), "a bot that may write: %s", p)
		d := w.comment("gone", w.pull, "/warden accept "+first.Pull.Head)
		if err := w.server.DeletePerson("gone"); err != nil {
			t.Fatal(err)
		}
		p = w.act(d)
		waits(p)
		w.want(p.did("ignore", "unknown_actor"), "an account that is gone: %s", p)
		w.want(w.said("") == before, "they were answered")
		w.want(strings.Contains(w.read(w.path("summary.md")), "`ignore`  (`bot_account`)"), "the job's summary does not say why")

		id, _, err := w.server.SubmitReview(mona, w.pull, forge.Approved, "Fine.")
		if err != nil {
			t.Fatal(err)
		}
		w.sent(w.server.EditReview(mona, w.pull, id, "Fine, but not now."))
		p = w.act(w.woken())
		waits(p)
		w.told("review_edited", "Submit a fresh one.")

		w.sent(w.server.SetDraft(mona, w.pull, false))
		p = w.act(w.sent(w.server.MergePR(mona, w.pull)))
		w.want(p.words() == "merged" && p.Decisions[0].Actor == mona && p.Pull.Merged, "a merge: %s", p)
		w.told("merged_without_accept", "@"+mona+" this was merged although no accept was recorded for `"+first.Pull.Head+"`")
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
		w.want(len(p.Runs) == 1 && p.words() == "", "it counted: %s", p)
		w.told("answer_before_question", "Look at the result and say it again.")
		onTime.Store(false)
		p = w.act(w.comment(mona, w.issue, "/warden abort"))
		w.want(p.words() == "abort", "said again it does not count: %s", p)
		w.settled()
	})
	t.Run("an approval after the time for it", func(t *testing.T) {
		t.Parallel()
		var late atomic.Bool
		ahead := clock()
		w := newWorld(t, setting{project: func(yaml string) string {
			return strings.Replace(yaml, "defaults:\n", "defaults:\n  gate_ttl_hours: 1\n", 1)
		},
			clock: func() time.Time {
				if late.Load() {
					return ahead().Add(2 * time.Hour)
				}
				return ahead()
			}})
		first := w.candidate().Pull.Head
		chain := w.read(w.runs("issue-1-1", "evidence.jsonl"))
		_, until, _ := strings.Cut(chain, `"expires_at":"`)
		until, _, _ = strings.Cut(until, `"`)
		at, err := time.Parse(time.RFC3339, until)
		w.want(err == nil, "when it expires is not in the ledger: %v", err)
		for _, where := range []string{"pulls.", "issue.comments."} {
			w.want(w.shown(where, "counts if it was given before `"+at.UTC().Format(time.RFC3339)+"` (UTC)"), "%s does not say when the time for an answer ends", where)
		}
		late.Store(true)
		w.review(mona, forge.Approved, "")
		p := w.act(w.woken())
		w.want(p.words() == "" && p.Pull.Draft && w.check(first) == "waiting", "it counted: %s", p)
		w.told("gate_expired", "this came after the time that the project sets for an answer had passed")
		w.review(mona, forge.ChangesRequested, "Greet twice.")
		p = w.act(w.woken())
		w.want(strings.HasPrefix(p.words(), "reject"), "a refusal, which permits nothing, has no limit: %s", p)
	})
	t.Run("two people who do not agree", func(t *testing.T) {
		t.Parallel()
		var onTime atomic.Bool
		w := newWorld(t, setting{clock: punctual(&onTime), project: func(yaml string) string { return yaml + "forge:\n  decide:\n    approvals: 2\n" }})
		first := w.candidate().Pull.Head
		p := w.act(w.comment(mona, w.pull, "/warden accept "+first[:12]))
		w.want(p.words() == "" && p.Pull.Draft && w.check(first) == "waiting", "one approval of two was enough: %s", p)
		w.told("more_approvals_needed", "This candidate waits for more approvals")
		w.review(wil, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "accept" && !p.Pull.Draft && w.check(first) == "success", "two approvals: %s", p)

		// One of them thinks again.
		w.review(wil, forge.ChangesRequested, "Greet twice.")
		p = w.act(w.woken())
		w.want(p.did("record_decision", "refused_later") && p.words() == "accept void reject", "the accept still holds: %s", p)
		w.want(p.did("mark_draft", "accept_void") && p.Pull.Draft && w.check(first) == "failure", "it still looks accepted: %s", p)
		w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "no run came of it: %s", p)
		prompt := w.read(w.runs("issue-1-2--implementer-0", "prompts", "implementer.md"))
		w.want(strings.Contains(prompt, "Greet twice."), "the words went to nobody:\n%s", prompt)

		// An approval beside a refusal.
		second := p.Pull.Head
		w.review(mona, forge.ChangesRequested, "once more.")
		w.review(wil, forge.Approved, "I like it.")
		p = w.act(w.woken())
		w.want(p.words() == "accept void reject reject" && len(p.Runs) == 3 && w.check(second) == "failure", "the approval counted: %s", p)
		w.told("outranked_by_refusal", "@"+wil+" somebody refused this candidate")

		// A refusal while the next candidate is made is of the one before. It comes from
		// somebody new: what the others said is ahead of the clock that is on time now.
		const zoe = "zoe"
		if err := w.server.AddPerson(forgetest.Person{Login: zoe, Permission: forge.Write}); err != nil {
			t.Fatal(err)
		}
		third := p.Pull.Head
		w.sent(w.server.RemoveLabel(mona, w.issue, "warden"))
		d := w.label()
		onTime.Store(true)
		w.model.during(1, func() { w.review(zoe, forge.ChangesRequested, "Not this one.") })
		p = w.act(d)
		w.want(len(p.Runs) == 4 && p.words() == "accept void reject reject" && w.check(p.Pull.Head) == "waiting", "it refused what nobody had seen: %s", p)
		w.told("stale_refusal", "this review is of an older commit, `"+third+"`")
		w.settled()
	})
	t.Run("more people than are asked about", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		for i := range 100 {
			login := fmt.Sprintf("visitor-%d", i)
			if err := w.server.AddPerson(forgetest.Person{Login: login, Permission: forge.Read}); err != nil {
				t.Fatal(err)
			}
			w.review(login, forge.Commented, "I was here.")
		}
		d := w.review(wil, forge.ChangesRequested, "Greet twice.")
		w.review(mona, forge.Approved, "")
		p := w.act(d)
		// Somebody who may be one that may refuse did so: nobody accepts it.
		w.want(p.words() == "" && p.did("ignore", "permission_unknown") && p.Pull.Draft && len(p.Runs) == 1, "it was decided: %s", p)
		w.want(w.check(first.Pull.Head) == "waiting", "the gate is %q", w.check(first.Pull.Head))
	})
}

// TestUnread is what the forge does not tell, one thing after the other: it decides
// nothing, and is owed still when the forge tells it.
func TestUnread(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	w.open()
	d := w.label()
	if err := w.server.DropRoute("collaborator.permission", 403); err != nil {
		t.Fatal(err)
	}
	p := w.act(d)
	w.want(len(p.Runs) == 0 && p.did("nothing", "observation_partial") && w.said("") == 0, "what a person may do: %s", p)
	w.want(strings.Contains(w.read(w.path("summary.md")), "could not be read: permission of "+mona), "the job's summary does not say what is missing")
	w.server.RestoreRoutes()

	w.server.SetFaults(forgetest.Faults{EventsLate: 1})
	p = w.act(d)
	w.want(len(p.Runs) == 0 && p.did("ignore", "label_event_missing"), "who put the label on: %s", p)

	w.server.SetFaults(forgetest.Faults{EditsForbidden: true})
	p = w.act(d)
	w.want(len(p.Runs) == 0 && p.did("ask", "edits_unknown") && w.model.made() == 0, "whether the text was edited: %s", p)
	w.told("edits_unknown", "the forge did not say whether the text was edited")
	w.settled()

	w.server.SetFaults(forgetest.Faults{})
	w.sent(w.server.RemoveLabel(mona, w.issue, "warden"))
	p = w.act(w.label())
	w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "ready_for_human", "a fresh label did not start: %s", p)
	w.pull = p.Pull.Number

	w.server.SetFaults(forgetest.Faults{EditsForbidden: true})
	w.review(mona, forge.Approved, "")
	p = w.act(w.woken())
	w.want(p.words() == "" && p.did("ask", "review_edited") && p.Pull.Draft, "whether the review was edited: %s", p)

	// A token that turned the draft ready and may not turn it back.
	w.server.SetFaults(forgetest.Faults{})
	id, _, err := w.server.SubmitReview(mona, w.pull, forge.Approved, "")
	if err != nil {
		t.Fatal(err)
	}
	p = w.act(w.woken())
	w.want(p.words() == "accept" && !p.Pull.Draft, "accept: %s", p)
	w.server.SetFaults(forgetest.Faults{ReadyForbidden: true})
	w.sent(w.server.DismissReview(mona, w.pull, id))
	p = w.act(w.woken())
	w.want(p.words() == "accept void" && !p.Pull.Draft && w.check(p.Pull.Head) == "waiting", "the accept still holds: %s", p)
	w.told("mark_draft_forbidden", "It is **not for merge** now.")
	w.settled()
	w.told("mark_draft_forbidden", "It is **not for merge** now.")
}
