package forgecases

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/internal/demo"
)

func TestPublication(t *testing.T) {
	t.Parallel()
	t.Run("peer-12 no draft pull requests", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{faults: forgetest.Faults{DraftsUnsupported: true}})
		p := w.candidate()
		title, body := w.body()
		w.want(!p.Pull.Draft && strings.Contains(title, "NOT FOR MERGE") && strings.Contains(body, "no draft pull requests"), "not marked: %q\n%s", title, body)
		w.want(w.check(p.Pull.Head) == "waiting", "the check is %q", w.check(p.Pull.Head))
		w.review(mona, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "accept" && w.check(p.Pull.Head) == "success", "accept: %s", p)
		title, _ = w.body()
		w.want(!strings.Contains(title, "NOT FOR MERGE"), "the mark stays after the accept: %q", title)
		w.settled()
	})
	workflow := map[string]string{"greeting.txt": greeting, ".github/workflows/ci.yml": "on: push\n"}
	t.Run("peer-13 agent touched a workflow, and takes it back", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{faults: forgetest.Faults{RefuseWorkflows: true}, writer: []demo.Turn{
			{Role: "implementer", When: []string{"Repair round"}, Remove: []string{".github/workflows/ci.yml"}, Answer: done("Took it back.", "greeting.txt")},
			{Role: "implementer", Write: workflow, Answer: done("Wrote both.", "greeting.txt")},
		}})
		p := w.candidate()
		w.want(p.Runs[0].RoleRuns == 2, "no fix round: %s", p)
		w.settled()
	})
	t.Run("peer-13 agent touched a workflow, and insists", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{faults: forgetest.Faults{RefuseWorkflows: true}, writer: []demo.Turn{
			{Role: "implementer", Write: workflow, Answer: done("Wrote both.", "greeting.txt")},
		}})
		w.open()
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "gates_not_satisfied" && p.Pull == nil && len(w.refs("refs/heads/warden/")) == 0, "it was pushed: %s", p)
		w.parked("issue-1-1", map[string]string{"greeting.txt": greeting}, ".github/workflows/ci.yml")
		w.settled()
	})
	t.Run("peer-13 workflows are in scope and the forge refuses them", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{faults: forgetest.Faults{RefuseWorkflows: true},
			project: func(yaml string) string {
				return strings.ReplaceAll(yaml, "    - greeting.txt\n", "    - greeting.txt\n    - .github/workflows\n")
			},
			writer: []demo.Turn{{Role: "implementer", Write: workflow, Answer: done("Wrote both.", "greeting.txt")}}})
		w.open()
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "candidate_unpublishable" && p.Pull == nil, "a pull request of nothing: %s", p)
		w.parked("issue-1-1", map[string]string{"greeting.txt": greeting}, ".github/workflows/ci.yml")
		w.settled()
	})
	t.Run("peer-14 base moved", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		base := w.refs("refs/heads/main")["refs/heads/main"]
		var tip string
		w.model.during(1, func() {
			for _, files := range []map[string]string{{"README.md": "# a new name\n"}, {"greeting.txt": "Go away.\n"}} {
				var err error
				if tip, _, err = w.server.PushAs(wil, "main", files); err != nil {
					t.Error(err)
				}
			}
		})
		p := w.candidate()
		_, body := w.body()
		w.want(strings.Contains(body, base), "the base that was judged is not named:\n%s", body)
		w.want(w.refs("refs/heads/main")["refs/heads/main"] == tip && tip != base, "main was moved")
		parent, err := w.gitOut("rev-parse", p.Pull.Head+"^@")
		w.want(err == nil && parent == base, "the parents of the head are %q, not the base that was judged: %v", parent, err)
		// The ledger names the base that was judged and the tip that it is offered to.
		w.want(w.named("issue-1-1", base, tip) == "", "the ledger does not name %s", w.named("issue-1-1", base, tip))
		// The conflict is real, and the forge's to show: the file that was not touched merges.
		merged, err := w.gitOut("merge-tree", "--write-tree", "--name-only", tip, p.Pull.Head)
		w.want(err != nil && strings.Contains(merged, "CONFLICT") && strings.Contains(merged, "greeting.txt"), "no conflict: %v\n%s", err, merged)
		before, err := w.gitOut("merge-tree", "--write-tree", "--name-only", tip+"^", p.Pull.Head)
		w.want(err == nil && !strings.Contains(before, "CONFLICT"), "the commit that touched another file conflicts: %v\n%s", err, before)
		w.settled()
	})
	t.Run("peer-16 push race", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		first := w.candidate()
		w.review(mona, forge.ChangesRequested, "Greet twice.")
		var human string
		w.model.during(1, func() {
			var err error
			if human, _, err = w.server.PushAs(wil, first.Branch, map[string]string{"README.md": "# by hand\n"}); err != nil {
				t.Error(err)
			}
		})
		p := w.act(w.woken())
		w.want(w.refs("refs/heads/warden/")["refs/heads/"+first.Branch] == human && len(w.refs("refs/heads/warden/")) == 1, "the human's commit is gone: %v", w.refs("refs/heads/"))
		w.want(w.said("push_refused") == 1, "the lease was not told of: %s", p)
		w.want(p.Pull.Number == w.pull && p.Pull.Head == human && p.Pull.Draft, "the pull request: %s", p)
		w.want(w.check(human) != "success", "the check of the human's commit is %q", w.check(human))
		w.settled()
	})
	t.Run("peer-23 sanitiser round trip", func(t *testing.T) {
		t.Parallel()
		code := []string{"`<Tooltip title=\"We'll do it\">`", "`a < b && c > d`", "`(?!x)`",
			"```xml\n<a href=\"x\">@nobody #1</a>\n```", "````\n```\ninner\n```\n````"}
		summary := "Hello @mona, closes #1.\n\n" + strings.Join(code, "\n\n") + "\n"
		w := newWorld(t, setting{writer: []demo.Turn{{Role: "implementer", Write: map[string]string{"greeting.txt": greeting}, Answer: done(summary, "greeting.txt")}}})
		w.candidate()
		_, body := w.body()
		plain := strings.ReplaceAll(body, "\n> ", "\n") // the summary stands in a quote
		for _, c := range code {
			w.want(strings.Contains(plain, c), "code was changed: %q is not in\n%s", c, body)
		}
		w.want(!strings.Contains(body, "@mona, closes") && !strings.Contains(body, "closes #1"), "a mention or a reference acts:\n%s", body)
	})
	t.Run("peer-25 body over the limit", func(t *testing.T) {
		t.Parallel()
		long := strings.Repeat("This sentence says nothing at all, and says it once more. ", 313_521/58+1)[:313_521]
		w := newWorld(t, setting{writer: []demo.Turn{{Role: "implementer", When: []string{"shorter"}, Write: map[string]string{"greeting.txt": "Hello!\n"}, Answer: done(long, "greeting.txt")},
			{Role: "implementer", Write: map[string]string{"greeting.txt": greeting}, Answer: done(long, "greeting.txt")}}})
		w.candidate()
		_, body := w.body()
		w.want(len(body) < 65_536 && strings.HasPrefix(body, "<!-- warden:issue=1 -->") && strings.Contains(body, "### Verdicts") &&
			strings.Contains(body, "refs/warden/runs/issue-1-1"), "%d bytes:\n%.3000s", len(body), body)
		w.review(mona, forge.ChangesRequested, "Make it shorter.")
		p := w.act(w.woken())
		w.want(p.Pull.Number == w.pull && len(p.Runs) == 2, "the next edit did not find it: %s", p)
		w.settled()
	})
}

// parked asserts that the work of a run which came to no candidate is kept on the
// forge with its ledger, without what may not be there, and that people are told.
func (w *world) parked(id string, files map[string]string, left ...string) {
	w.t.Helper()
	commits, err := w.gitOut("log", "--format=%H", "--grep=^warden: work of "+id, "refs/warden/runs/"+id)
	commit := strings.TrimSpace(commits)
	if err != nil || len(commit) != 40 {
		w.t.Fatalf("no single commit with the work of %s: %v %q", id, err, commits)
	}
	changed, err := w.gitOut("diff", "--name-only", "main", commit)
	w.want(err == nil && len(strings.Fields(changed)) == len(files), "parked: %q", changed)
	for path, text := range files {
		got, err := w.gitOut("show", commit+":"+path)
		w.want(err == nil && strings.TrimRight(got, "\n") == strings.TrimRight(text, "\n"), "parked %s: %q", path, got)
	}
	w.want(w.said("git show "+commit) == 1, "the status comment does not say where the work is")
	for _, path := range left {
		w.want(w.said(path) > 0, "the status comment does not name %s", path)
	}
}

// named returns which of the commits the published ledger of a run does not hold,
// "" for none: the base in the head of the run, the tip in what came of the pull
// request.
func (w *world) named(run, base, tip string) string {
	w.t.Helper()
	dir, _ := w.published()
	var head struct {
		Base string `json:"base_commit"`
	}
	if err := json.Unmarshal([]byte(w.read(filepath.Join(dir, run, "run.json"))), &head); err != nil || head.Base != base {
		return "the base " + base
	}
	for line := range strings.Lines(w.read(filepath.Join(dir, run, "evidence.jsonl"))) {
		var l struct {
			Type string
			Data struct{ Purpose, Ref, Commit string }
		}
		if json.Unmarshal([]byte(line), &l) == nil && l.Type == "done" && l.Data.Ref == "refs/heads/main" && l.Data.Commit == tip {
			return ""
		}
	}
	return "the tip " + tip
}

// reachable asserts that a commit can be reached from a ref of the forge.
func (w *world) reachable(ref, commit string) {
	w.t.Helper()
	out, err := w.gitOut("merge-base", "--is-ancestor", commit, ref)
	w.want(err == nil, "%s does not reach %s: %v %s", ref, commit, err, out)
}

func TestFaults(t *testing.T) {
	t.Parallel()
	t.Run("HG-17 forge refuses mark ready", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{faults: forgetest.Faults{ReadyForbidden: true}})
		w.candidate()
		w.review(mona, forge.Approved, "")
		p := w.act(w.woken())
		w.want(p.words() == "accept" && p.Pull.Draft && w.check(p.Pull.Head) == "success", "the accept does not stand: %s", p)
		w.want(w.said("mark_ready_forbidden") == 1, "told %d times", w.said("mark_ready_forbidden"))
		w.settled()
		w.want(w.said("mark_ready_forbidden") == 1, "told again")
	})
	t.Run("HG-17 check runs forbidden", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{faults: forgetest.Faults{ChecksForbidden: true}})
		p := w.candidate()
		w.want(w.check(p.Pull.Head) == "waiting", "the gate is %q", w.check(p.Pull.Head))
		w.review(mona, forge.Approved, "")
		p = w.act(w.woken())
		w.want(p.words() == "accept" && !p.Pull.Draft && w.check(p.Pull.Head) == "success", "accept: %s, the gate is %q", p, w.check(p.Pull.Head))
		w.settled()
	})
	for _, status := range []int{403, 429} {
		t.Run(map[int]string{403: "HG-17 rate limit once, 403", 429: "HG-17 rate limit once, 429"}[status], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, setting{})
			w.open()
			d := w.label()
			w.server.SetFaults(forgetest.Faults{RateLimits: 1, RateLimitStatus: status})
			p := w.try(d, "state")
			w.want(p.status != 0 || len(p.Runs) == 1, "an error was taken for an answer: %s", p)
			p = w.schedule()
			w.want(len(p.Runs) == 1 && p.Pull != nil && p.Pull.Draft, "the label was lost: %s", p)
			w.pull = p.Pull.Number
			w.review(mona, forge.Approved, "")
			w.server.SetFaults(forgetest.Faults{RateLimits: 1, RateLimitStatus: status, Secondary: true})
			w.try(w.woken(), "state")
			p = w.schedule()
			w.want(p.words() == "accept" && !p.Pull.Draft, "the approval was lost: %s", p)
			w.settled()
			w.want(w.model.made() == 1, "%d vendor calls", w.model.made())
		})
	}
	t.Run("HG-12 nobody answers, and every other time the forge does not either", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, setting{})
		id := w.candidate().Runs[0].RunID
		calls, refs := w.model.made(), fmt.Sprint(w.refs("refs/warden/"))
		decision, chain := w.read(w.runs(id, "decision.json")), w.read(w.runs(id, "evidence.jsonl"))
		for i := range 4 {
			if i%2 == 0 {
				w.server.SetFaults(forgetest.Faults{RateLimits: 1, RateLimitStatus: 403})
			}
			w.try(w.server.Schedule(), "state")
		}
		p := w.settled()
		w.want(p.words() == "" && p.Pull != nil && p.Pull.Draft && w.check(p.Pull.Head) == "waiting", "silence was taken for an answer: %s", p)
		w.want(w.model.made() == calls, "%d vendor calls, there were %d", w.model.made(), calls)
		w.want(fmt.Sprint(w.refs("refs/warden/")) == refs, "the ledgers moved")
		w.want(w.read(w.runs(id, "decision.json")) == decision && w.read(w.runs(id, "evidence.jsonl")) == chain, "the question was written again")
	})
}
