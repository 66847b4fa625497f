package forgecases

import (
	"bytes"
	"regexp"
	"testing"

	"github.com/tolboy/warden/forge/forgetest"
)

func TestLabel(t *testing.T) {
	t.Parallel()
	t.Run("peer-01 six labels at birth make one run", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		events := w.open("bug", "docs", "good first issue", "ui", "warden", "p3")
		// The label at birth is by whoever opened the issue, who may write.
		w.want(len(events) == 7, "%d events", len(events))
		started, other := 0, 0
		for _, d := range events {
			p := w.act(d)
			started += p.times("start_run", "")
			other += p.times("ignore", "other_label")
			w.want(len(p.Runs) == 1, "%d runs after an event: %s", len(p.Runs), p)
		}
		w.want(started == 1 && other == 5, "%d runs started, %d events about another label", started, other)
		w.want(w.model.made() == 1, "%d vendor calls", w.model.made())
		w.settled()
	})
	for _, order := range []struct {
		name string
		take []int
	}{{"opened first", []int{0, 1, 0, 1}}, {"labeled first", []int{1, 0, 1, 1}}} {
		t.Run("peer-02 opened and labeled twins, "+order.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			events := w.open("warden")
			started := 0
			for _, i := range order.take {
				started += w.act(events[i]).times("start_run", "")
			}
			w.want(started == 1 && w.model.made() == 1, "%d runs, %d vendor calls", started, w.model.made())
			w.want(len(w.refs("refs/heads/warden/")) == 1 && len(w.refs("refs/warden/runs/issue-1-1")) == 1, "branches %v", w.refs("refs/"))
			w.settled()
		})
	}
	t.Run("peer-06 body edited after the label", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		d := w.label()
		w.sent(w.server.EditIssue(wil, w.issue, title, "Delete everything instead.\n"))
		p := w.act(d)
		w.want(p.did("ask", "text_edited_after_label") && len(p.Runs) == 0 && w.model.made() == 0, "it did not stop: %s", p)
		w.settled()
		w.sent(w.server.RemoveLabel(mona, w.issue, "warden"))
		p = w.act(w.label())
		w.want(p.did("start_run", "label_put_on") && w.model.made() == 1, "a fresh label did not start: %s", p)
		prompt := w.read(w.runs("issue-1-1--implementer-0", "prompts", "implementer.md"))
		w.want(bytes.Contains([]byte(prompt), []byte("Delete everything instead.")), "the goal is not what stood when the label was put on")
	})
	t.Run("peer-06 title edited after the label", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		d := w.label()
		w.sent(w.server.EditIssue(wil, w.issue, "Something else", goal))
		p := w.act(d)
		w.want(p.did("ask", "text_edited_after_label") && len(p.Runs) == 0 && w.model.made() == 0, "it did not stop: %s", p)
	})
	t.Run("peer-06 a time of the edit that cannot be read", func(t *testing.T) {
		t.Parallel()
		stamp := regexp.MustCompile(`"lastEditedAt":"[^"]*"`)
		w := newWorld(t, setting{tamper: func(path string, body []byte) []byte {
			return stamp.ReplaceAll(body, []byte(`"lastEditedAt":"the other day"`))
		}})
		w.open()
		d := w.label()
		w.sent(w.server.EditIssue(wil, w.issue, title, "Delete everything instead.\n"))
		p := w.try(d, "state")
		w.want(!p.did("start_run", "") && w.model.made() == 0, "it started: %s", p)
	})
	t.Run("peer-06 control: nothing edited starts, although the label moved the time", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		p := w.candidate()
		w.want(p.did("start_run", "label_put_on") && p.Pull.Draft, "it did not start: %s", p)
		w.settled()
	})
}

func TestBystanders(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	w.open()
	t.Run("unknown event", func(t *testing.T) {
		p := w.act(forgetest.Delivery{Event: "moon_landing", Payload: []byte(`{"zen":"one step"}`)})
		w.want(len(p.Runs) == 0 && len(p.Actions) <= 1, "something happened: %s", p)
	})
	t.Run("malformed event file", func(t *testing.T) {
		for _, text := range []string{"", "{", `[]`, `{"issue":{"number":"one"}}`, `{"action":"labeled","issue":{"number":1}}`, `null`} {
			p := w.try(forgetest.Delivery{Event: "issues", Payload: []byte(text)}, "state")
			w.want(p.status == 1 && !p.OK && p.Code != "" && p.Message != "", "event %q: %s", text, p)
		}
	})
	t.Run("event of another repository", func(t *testing.T) {
		d := w.comment(wil, w.issue, "hello")
		d.Payload = bytes.ReplaceAll(d.Payload, []byte("octo/shop"), []byte("evil/shop"))
		p := w.try(d, "state")
		w.want(p.status == 1 && p.Code == "event_invalid", "it was taken: %s", p)
	})
	t.Run("unauthorised labeller", func(t *testing.T) {
		p := w.act(w.labelBy(rita))
		w.want(p.did("ask", "not_permitted") && len(p.Runs) == 0, "not refused aloud: %s", p)
		w.settled()
	})
	if w.model.made() != 0 || len(w.refs("refs/heads/warden/")) != 0 {
		t.Errorf("vendor calls %d, branches %v", w.model.made(), w.refs("refs/heads/"))
	}
}

// A label that is taken off and put on again is a new wish: a fresh run from the
// base, whose candidate takes the place of our last one on the same branch and in
// the same pull request.
func TestLabelAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{})
	first := w.candidate()
	w.sent(w.server.RemoveLabel(mona, w.issue, "warden"))
	w.sent(w.server.EditIssue(mona, w.issue, "Greet the visitor warmly", "Put a warm greeting into greeting.txt."))
	p := w.act(w.label())
	w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "no second run: %s", p)
	w.want(p.Pull.Number == w.pull && p.Pull.Draft && p.Pull.Head == p.Runs[1].Candidate && p.Pull.Head != first.Pull.Head,
		"the second candidate is not on the same draft: %s", p)
}
