package forgecases

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

// said counts the comments of ours whose text holds this.
func (w *world) said(text string) int {
	n := 0
	for _, r := range w.server.Requests() {
		if r.Route == "issue.comments.create" && r.Status < 300 && bytes.Contains(r.Body, []byte(text)) {
			n++
		}
	}
	return n
}

func TestComments(t *testing.T) {
	t.Parallel()
	t.Run("before any run", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		d := w.comment(wil, w.issue, "/warden help")
		for range 2 { // the same delivery twice
			w.act(d)
		}
		w.want(w.said("help_asked") == 1, "help was said %d times", w.said("help_asked"))
		for _, c := range []struct{ body, reason string }{
			{"/warden status", "status_asked"}, {"/warden stop", "no_run_in_progress"}, {"/warden retry", "nothing_waiting"},
			{"/warden abort", "nothing_waiting"}, {"/warden frobnicate", "unknown_command"}, {"/warden accept", "malformed_command"},
		} {
			before := w.said("Code: `" + c.reason + "`")
			p := w.act(w.comment(wil, w.issue, c.body))
			w.want(p.did("ask", c.reason), "%q: %s", c.body, p)
			w.want(w.said("Code: `"+c.reason+"`") == before+1, "%q was answered %d times", c.body, w.said("Code: `"+c.reason+"`")-before)
		}
		id, d, err := w.server.Comment(wil, w.issue, "nice weather")
		if err != nil {
			t.Fatal(err)
		}
		p := w.act(d)
		w.want(p.did("ignore", "no_command"), "chatter: %s", p)
		p = w.act(w.sent(w.server.EditComment(wil, id, "/warden status")))
		w.want(p.did("ask", "comment_edited"), "edited comment: %s", p)
		p = w.act(w.comment(sam, w.issue, "/warden help"))
		w.want(p.did("ask", "not_permitted"), "a stranger: %s", p)
		w.act(w.comment(sam, w.issue, "/warden status"))
		w.want(w.said("not_permitted") == 1, "a stranger was answered %d times", w.said("not_permitted"))
		w.settled()
		w.want(w.model.made() == 0 && len(w.refs("refs/heads/warden/")) == 0, "something ran")
	})
	t.Run("peer-03 own comments, peer-05 quoted commands", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		own := 0
		for _, d := range w.server.Deliveries() {
			if d.Event == "issue_comment" && bytes.Contains(d.Payload, []byte(forgetest.Bot)) {
				own++
				p := w.act(d)
				w.want(len(p.Actions) == 1 && p.did("ignore", "own_account"), "own comment: %s", p)
			}
		}
		w.want(own > 0, "the bot said nothing")
		short := first.Pull.Head[:12]
		command := "/warden accept " + short
		for _, body := range []string{
			"> " + command + "\n\nnot yet", "```\n" + command + "\n```\nnot yet", "`" + command + "` is what you write", " " + command,
			"<!-- \n" + command + "\n-->", "\u200b" + command, "- " + command, "I would say:\n" + command,
		} {
			p := w.act(w.comment(mona, w.pull, body))
			w.want(len(p.Decisions) == 0 && p.did("ignore", "no_command"), "%q: %s", body, p)
		}
		p := w.settled()
		w.want(p.Pull.Draft && len(p.Decisions) == 0 && w.model.made() == 1, "something was decided: %s", p)
		// Control: the same words at the start do decide.
		p = w.act(w.comment(mona, w.pull, command))
		w.want(p.Outcome == "accept" && !p.Pull.Draft, "the command itself: %s", p)
	})
	t.Run("peer-04 chatter during a run", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.candidate()
		w.review(mona, forge.ChangesRequested, "Greet twice.")
		var during []printed
		w.model.during(1, func() {
			for range 5 {
				during = append(during, w.try(w.comment(sam, w.pull, "what a nice bot"), "other"))
			}
			w.review(rita, forge.Commented, "hm", forgetest.InlineComment{Path: "greeting.txt", Line: 1, Body: "a"},
				forgetest.InlineComment{Path: "greeting.txt", Line: 1, Body: "b"}, forgetest.InlineComment{Path: "greeting.txt", Line: 1, Body: "c"})
			during = append(during, w.try(w.woken(), "other"))
			during = append(during, w.try(w.comment(mona, w.pull, "/warden reject And once more."), "other"))
		})
		p := w.act(w.woken())
		w.want(len(during) == 7, "%d events were taken during the run", len(during))
		for _, q := range during {
			w.want(q.status == 0 && !q.did("start_run", "") && !q.did("stop", "") && !q.did("record_decision", ""), "an event cut in: %s", q)
		}
		w.want(len(p.Runs) == 3 && p.Runs[1].Reason == "ready_for_human" && p.Runs[2].Reason == "ready_for_human", "the run or the command was lost: %s", p)
		w.want(p.words() == "reject reject" && w.model.made() == 3, "decisions %q, %d calls", p.words(), w.model.made())
		text := w.read(w.runs("issue-1-3--implementer-0", "prompts", "implementer.md"))
		w.want(strings.Contains(text, "And once more."), "the command's text is not in the prompt:\n%s", text)
		w.settled()
	})
	t.Run("stop, retry and abort", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		w.model.during(1, func() {
			q := w.try(w.comment(mona, w.issue, "/warden stop"), "other")
			w.want(q.did("stop", "stop_asked"), "stop: %s", q)
		})
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "stopped_by_person" && p.Pull == nil, "it went on: %s", p)
		w.parked("issue-1-1", map[string]string{"greeting.txt": greeting})
		p = w.act(w.comment(mona, w.issue, "/warden retry"))
		w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human" && p.words() == "retry", "retry: %s", p)
		w.pull = p.Pull.Number
		p = w.act(w.comment(mona, w.issue, "/warden abort"))
		w.want(p.did("ask", "not_an_option") || p.did("ask", "nothing_waiting"), "abort of a success: %s", p)
		w.want(w.said("stop_noted") == 1 && w.said("not_an_option")+w.said("nothing_waiting") == 1, "answers were repeated")
		w.settled()
	})
	t.Run("the label is taken off during a run", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		w.model.during(1, func() { w.sent(w.server.RemoveLabel(mona, w.issue, "warden")) })
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "stopped_by_person" && p.Pull == nil && w.model.made() == 1, "it went on: %s", p)
		w.parked("issue-1-1", map[string]string{"greeting.txt": greeting})
		w.settled()
	})
	t.Run("abort ends a failed run", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{files: map[string]string{"check.sh": "exit 1\n"}})
		w.open()
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason != "ready_for_human", "it passed: %s", p)
		p = w.act(w.comment(mona, w.issue, "/warden abort"))
		w.want(p.words() == "abort" && len(p.Runs) == 1, "abort: %s", p)
		p = w.act(w.comment(mona, w.issue, "/warden retry"))
		w.want(p.did("ask", "nothing_waiting") && len(p.Runs) == 1, "a retry after it: %s", p)
		w.settled()
	})
}

// shown reports whether a request of ours to one of these routes held the text.
func (w *world) shown(route, text string) bool {
	for _, r := range w.server.Requests() {
		var sent struct{ Body string }
		if strings.HasPrefix(r.Route, route) && r.Status < 300 && json.Unmarshal(r.Body, &sent) == nil && strings.Contains(sent.Body, text) {
			return true
		}
	}
	return false
}
