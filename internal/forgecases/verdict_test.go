package forgecases

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

// check is what the gate's check of a commit was last set to: a conclusion, or
// "waiting", or "".
func (w *world) check(sha string) string {
	state, heads := "", map[string]string{}
	for _, q := range w.server.Requests() {
		var c struct {
			Status, Conclusion, State string
			Head                      string `json:"head_sha"`
		}
		if q.Status >= 300 || json.Unmarshal(q.Body, &c) != nil {
			continue
		}
		switch {
		case q.Route == "check.create" && c.Head == sha, q.Route == "check.update" && heads[q.Path] == "":
			state = c.Conclusion
			if state == "" {
				state = "waiting"
			}
		case q.Route == "status.create" && strings.HasSuffix(q.Path, sha):
			state = map[string]string{"pending": "waiting"}[c.State]
			if state == "" {
				state = c.State
			}
		}
	}
	return state
}

// body is the newest text of the pull request that we wrote.
func (w *world) body() (title, body string) {
	for _, q := range w.server.Requests() {
		var c struct{ Title, Body string }
		if (q.Route == "pulls.create" || q.Route == "pull.update") && q.Status < 300 && json.Unmarshal(q.Body, &c) == nil {
			title, body = c.Title, c.Body
		}
	}
	return title, body
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	t.Run("a refusal that nobody can see", func(t *testing.T) {
		t.Parallel()
		const unseen = "\u200b\ufeff\u00a0\u2060\u3164\U000e0041"
		w := newWorld(t, setting{})
		w.candidate()
		p := w.act(w.comment(mona, w.pull, "/warden reject "+unseen))
		w.want(p.words() == "" && len(p.Runs) == 1 && p.did("ask", "rejection_text_needed"), "a comment: %s", p)
		w.review(wil, forge.ChangesRequested, unseen, forgetest.InlineComment{Path: "greeting.txt", Line: 1, Body: unseen})
		p = w.act(w.woken())
		w.want(p.words() == "" && len(p.Runs) == 1 && w.said("rejection_text_needed") == 2, "a review: %s", p)
		w.settled()
	})
	t.Run("peer-19 approve, then push", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.review(mona, forge.Approved, "")
		moved, _, err := w.server.PushAs(wil, first.Branch, map[string]string{"greeting.txt": "Hello, all!\n"})
		if err != nil {
			t.Fatal(err)
		}
		p := w.act(w.woken())
		w.want(p.words() == "" && p.Pull.Draft && p.Pull.Head == moved, "the old approval counts: %s", p)
		w.want(w.check(moved) == "waiting", "the check of the new head is %q", w.check(moved))
		w.want(w.said("stale_approval")+w.said("head_moved") > 0, "nothing was said about it")
		w.settled()
	})
	t.Run("a push after the accept", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.review(mona, forge.Approved, "")
		p := w.act(w.woken())
		w.want(p.Outcome == "accept" && !p.Pull.Draft && w.check(first.Pull.Head) == "success", "accept: %s", p)
		moved, d, err := w.server.PushAs(wil, first.Branch, map[string]string{"greeting.txt": "Hello, all!\n"})
		if err != nil {
			t.Fatal(err)
		}
		p = w.act(d[len(d)-1])
		w.want(p.words() == "accept void" && p.Pull.Draft && p.Pull.Head == moved, "the accept still holds: %s", p)
		w.want(w.check(moved) == "waiting", "the check of the new head is %q", w.check(moved))
		w.want(w.said("head_moved") == 1, "said %d times", w.said("head_moved"))
		w.settled()
	})
	t.Run("dismissed approval", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		id, _, err := w.server.SubmitReview(mona, w.pull, forge.Approved, "")
		if err != nil {
			t.Fatal(err)
		}
		p := w.act(w.woken())
		w.want(p.words() == "accept" && !p.Pull.Draft, "accept: %s", p)
		w.sent(w.server.DismissReview(mona, w.pull, id))
		p = w.act(w.woken())
		w.want(p.words() == "accept void" && p.Pull.Draft && w.check(first.Pull.Head) == "waiting", "the accept still holds: %s", p)
		w.want(w.said("approval_dismissed") == 1, "said %d times", w.said("approval_dismissed"))
		w.settled()
	})
	t.Run("peer-21 the bot, a reader, and the sole author", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		p := w.act(w.comment(forgetest.Bot, w.pull, "/warden accept "+first.Pull.Head))
		w.want(p.words() == "" && p.did("ignore", "own_account"), "the bot decided: %s", p)
		w.review(rita, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "" && p.did("ask", "not_permitted") && p.Pull.Draft, "a reader decided: %s", p)
		_, text := w.body()
		w.want(strings.Contains(text, "labelled") || strings.Contains(text, "`write`"), "the rule is not printed:\n%s", text)
		w.review(mona, forge.Approved, "") // the only one who started it
		p = w.act(w.woken())
		w.want(p.words() == "accept" && p.Decisions[0].Actor == mona && !p.Pull.Draft, "the author cannot decide: %s", p)
		w.settled()
	})
	t.Run("peer-21 self_accept off", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{project: func(yaml string) string { return yaml + "forge:\n  decide:\n    self_accept: false\n" }})
		w.candidate()
		w.review(mona, forge.Approved, "")
		p := w.act(w.woken())
		w.want(p.words() == "" && p.did("ask", "self_accept_off") && p.Pull.Draft, "it counted: %s", p)
		w.review(wil, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "accept" && p.Decisions[0].Actor == wil && !p.Pull.Draft, "somebody else cannot: %s", p)
	})
	t.Run("closed pull request is a refusal without text", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.candidate()
		p := w.act(w.sent(w.server.ClosePR(mona, w.pull)))
		w.want(p.words() == "reject" && p.Decisions[0].NoteSHA256 == "" && len(p.Runs) == 1, "close: %s", p)
		p = w.settled()
		w.want(len(p.Runs) == 1 && w.model.made() == 1, "a run was started by a close: %s", p)
	})
	t.Run("merged pull request is recorded", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.candidate()
		w.review(mona, forge.Approved, "")
		w.act(w.woken())
		p := w.act(w.sent(w.server.MergePR(mona, w.pull)))
		w.want(p.words() == "accept merged" && p.Pull.Merged, "merge: %s", p)
		w.want(w.said("merged_without_accept") == 0, "a merge after an accept was complained of")
		w.settled()
	})
	t.Run("label on a pull request", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		n, _, err := w.server.OpenForkPR(sam, "patch-1", "A patch", map[string]string{"README.md": "# mine\n"})
		if err != nil {
			t.Fatal(err)
		}
		p := w.act(w.sent(w.server.AddLabel(mona, n, "warden")))
		w.want(len(p.Runs) == 0 && !p.did("start_run", ""), "it ran: %s", p)
		w.settled()
		w.want(w.model.made() == 0, "%d vendor calls", w.model.made())
	})
}
