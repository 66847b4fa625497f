package forgecases

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/demo"
)

// pushed is a person's commit on the branch of the pull request.
func (w *world) pushed(login, branch string, files map[string]string) string {
	w.t.Helper()
	commit, _, err := w.server.PushAs(login, branch, files)
	if err != nil {
		w.t.Fatal(err)
	}
	return commit
}

// TestRecheck is a person who pushes to the branch: what they pushed is judged when
// somebody who may decide asks for it, nobody writes, and it is the candidate then.
func TestRecheck(t *testing.T) {
	t.Parallel()
	t.Run("it passes, and is accepted", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		head := w.pushed(wil, first.Branch, map[string]string{"greeting.txt": "Hello from a person!\n"})
		p := w.schedule()
		w.want(len(p.Runs) == 1 && w.said("/warden recheck") > 0, "the moved head: %s", p)
		p = w.act(w.comment(rita, w.pull, "/warden recheck"))
		w.want(len(p.Runs) == 1 && p.did("ask", "not_permitted"), "a reader's word: %s", p)
		calls := w.model.made()
		p = w.act(w.comment(wil, w.pull, "/warden recheck"))
		w.want(p.did("start_run", "recheck_asked") && len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human" && p.Runs[1].RoleRuns == 0, "it was not judged: %s", p)
		w.want(w.model.made() == calls, "somebody was asked to write")
		w.want(p.Runs[1].Candidate == head && p.Pull.Head == head && p.Pull.Draft, "the candidate is %s, pushed was %s", p.Runs[1].Candidate, head)
		w.want(w.refs("refs/heads/warden/")["refs/heads/"+first.Branch] == head, "the branch was moved")
		w.want(w.check(head) == "waiting", "the check is %q", w.check(head))
		w.want(strings.Contains(w.read(w.runs("issue-1-2", "evidence.jsonl")), `"reason":"recheck"`), "the writer's stage is not told of as skipped")
		w.review(mona, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "accept" && !p.Pull.Draft && w.check(head) == "success", "accept: %s", p)
		w.settled()
		p = w.act(w.comment(wil, w.pull, "/warden recheck"))
		w.want(len(p.Runs) == 2, "the same head was judged again: %s", p)
		w.told("recheck_head_unchanged", "Push your commits first")
	})
	t.Run("it fails, is mended by hand, and tried again", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.pushed(wil, first.Branch, map[string]string{"greeting.txt": "Go away.\n"})
		p := w.act(w.comment(wil, w.pull, "/warden recheck"))
		w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "gates_not_satisfied" && p.Runs[1].RoleRuns == 0 && p.Runs[1].Candidate == "", "a red gate: %s", p)
		head := w.pushed(wil, first.Branch, map[string]string{"greeting.txt": "Hello again!\n"})
		p = w.act(w.comment(mona, w.issue, "/warden retry"))
		w.want(len(p.Runs) == 3 && p.did("start_run", "recheck_asked") && p.Runs[2].Candidate == head, "the head of now was not judged: %s", p)
		p = w.act(w.comment(mona, w.pull, "/warden reject Greet twice."))
		w.want(strings.HasSuffix(p.words(), "reject") && len(p.Runs) == 4 && p.Runs[3].Reason == "ready_for_human", "a rejection of it: %s", p)
		w.reachable("refs/heads/"+first.Branch, head)
		w.settled()
	})
	t.Run("outside the scope", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.pushed(wil, first.Branch, map[string]string{"README.md": "# mine\n"})
		p := w.act(w.comment(wil, w.pull, "/warden recheck"))
		w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "preflight_outside_scope" && p.Runs[1].Candidate == "", "it was judged: %s", p)
		w.settled()
	})
	t.Run("the contract", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.pushed(wil, first.Branch, map[string]string{".warden/project.yaml": "version: 1\n"})
		p := w.act(w.comment(wil, w.pull, "/warden recheck"))
		w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "contract_mutated", "its own rules: %s", p)
		w.settled()
	})
	t.Run("who committed may not accept where the project wants somebody else", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{project: func(yaml string) string {
			return yaml + "forge:\n  decide:\n    self_accept: false\n"
		}})
		first := w.candidate()
		w.pushed(wil, first.Branch, map[string]string{"greeting.txt": "Hello from a person!\n"})
		p := w.act(w.comment(wil, w.pull, "/warden recheck"))
		w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "it was not judged: %s", p)
		w.review(wil, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "" && p.did("ask", "self_accept_off"), "who committed accepted: %s", p)
		w.settled()
	})
	t.Run("as often as the calls of the chain allow", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{project: func(yaml string) string { return strings.Replace(yaml, "risk: low", "risk: medium", 1) }})
		first := w.candidate()
		var p printed
		for n := range 5 { // two of the six calls are used, and each recheck asks one reader
			w.pushed(wil, first.Branch, map[string]string{"greeting.txt": fmt.Sprintf("Hello %d!\n", n)})
			p = w.act(w.comment(wil, w.pull, "/warden recheck"))
		}
		last := p.Runs[len(p.Runs)-1]
		w.want(len(p.Runs) == 6 && p.Runs[4].Reason == "ready_for_human" && last.Reason == "budget_exhausted" && last.RoleRuns == 0, "the fifth: %s", p)
		w.want(w.model.made() == 6, "%d calls were made", w.model.made())
		w.want(w.shown("", "6 of 6 vendor calls are used"), "nobody was told why")
		w.want(w.shown("", "which starts a new count on the present base"), "nobody was told what to do")
		w.settled()
	})
	t.Run("before there is anything", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		w.open()
		p := w.act(w.comment(wil, w.issue, "/warden recheck"))
		w.want(len(p.Runs) == 0 && w.said("label_off") == 1, "without a label: %s", p)
	})
	t.Run("before there is a candidate", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{writer: []demo.Turn{{Role: "implementer", Write: map[string]string{"greeting.txt": "Go away.\n"}, Answer: done("Wrote it.", "greeting.txt")}}})
		w.open()
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "gates_not_satisfied" && p.Pull == nil, "it passed: %s", p)
		p = w.act(w.comment(wil, w.issue, "/warden recheck"))
		w.want(len(p.Runs) == 1 && p.did("ask", "recheck_no_pull_request"), "without a pull request: %s", p)
		w.told("recheck_no_pull_request", "nothing to judge again")
	})
}

// TestRetryCarriesVerdicts is a reader who was away: the run that is tried again goes
// on from the work that is kept with the ledger, by whichever machine, and the
// writer's verdict over it stands.
func TestRetryCarriesVerdicts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{
		project: func(yaml string) string { return strings.Replace(yaml, "risk: low", "risk: medium", 1) },
		reader:  []demo.Turn{{Role: "reviewer", When: []string{"run issue-1-1."}, Exit: 1, Stderr: "error: 429 too many requests: rate limit"}},
	})
	w.open()
	p := w.act(w.label())
	w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "rate_limited", "the reader was there: %s", p)
	w.parked("issue-1-1", map[string]string{"greeting.txt": greeting})
	base := w.refs("refs/heads/main")["refs/heads/main"]
	p = w.try(w.comment(mona, w.issue, "/warden retry"), "another")
	w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "it was not tried again: %s", p)
	w.want(p.Runs[1].RoleRuns == 1, "%d calls: the writer was asked again", p.Runs[1].RoleRuns)
	parent, err := w.gitOut("rev-parse", p.Pull.Head+"^@")
	w.want(err == nil && parent == base, "the candidate is made on %q, not on the base: %v", parent, err)
	message, err := w.gitOut("log", "-1", "--format=%B", p.Pull.Head)
	w.want(err == nil && strings.Contains(message, "Warden-Vendor: scribe-house"), "who wrote it: %v %q", err, message)
	dir, _ := w.published()
	sealed := w.read(dir + "/issue-1-2/evidence.jsonl")
	w.want(strings.Contains(sealed, `"reused_judgements":{"from":"issue-1-1","stages":["implement"]}`), "what was carried is not told")
	w.want(strings.Contains(sealed, `"reuse_declined_by_stage":[{"stage":"review","reason":"it ended with role_rate_limited"}]`), "what was not is not told")
}

// TestRetryDeclines is a retry over what speaks against the work: it begins anew, and
// says why nothing is carried.
func TestRetryDeclines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, setting{writer: []demo.Turn{{Role: "implementer", When: []string{"run issue-1-1."}, Write: map[string]string{"greeting.txt": "Go away.\n"}, Answer: done("Wrote it.", "greeting.txt")}}})
	w.open()
	p := w.act(w.label())
	w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "gates_not_satisfied", "it passed: %s", p)
	p = w.act(w.comment(mona, w.issue, "/warden retry"))
	w.want(len(p.Runs) == 2 && p.Runs[1].Reason == "ready_for_human", "it was not tried again: %s", p)
	w.want(strings.Contains(w.read(w.runs("issue-1-2", "evidence.jsonl")), `"reuse_declined":"it ended with gates_not_satisfied, which is about the work`), "no reason is told")
	w.settled()
}
