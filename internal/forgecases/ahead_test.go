package forgecases

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tolboy/warden/forge"
)

// TestIntentBeforeReady is a person who turns an accepted pull request into a draft
// again. No publication comes before what is done about that, so the intent has to
// reach the forge by itself first: a machine that dies in between leaves a trace.
func TestIntentBeforeReady(t *testing.T) {
	t.Parallel()
	var w *world
	var turned, announced atomic.Int32
	w = newWorld(t, setting{tamper: func(path string, body []byte) []byte {
		if strings.HasSuffix(path, "/graphql") && strings.Contains(string(body), "markPullRequestReadyForReview") {
			turned.Add(1)
			chain, err := w.gitOut("show", "refs/warden/runs/issue-1-1:issue-1-1/evidence.jsonl")
			if err == nil && strings.Contains(chain, `"key":"ready:issue-1-1:1"`) {
				announced.Add(1)
			}
		}
		return body
	}})
	w.candidate()
	w.sent(w.server.SetDraft(mona, w.pull, false))
	w.review(mona, forge.Approved, "")
	p := w.act(w.woken())
	w.want(p.words() == "accept" && !p.Pull.Draft && turned.Load() == 0, "the accept of what is ready: %s", p)
	p = w.act(w.sent(w.server.SetDraft(mona, w.pull, true)))
	w.want(p.did("mark_ready", "accept_holds") && !p.Pull.Draft, "it is a draft still: %s", p)
	w.want(turned.Load() == 1 && announced.Load() == 1, "turned ready %d times, and the intent was on the forge before %d of them", turned.Load(), announced.Load())
	w.settled()
}
