package publish_test

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/publish"
	"github.com/tolboy/warden/internal/reconcile"
	"github.com/tolboy/warden/internal/usage"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

const (
	candidate = "1f2e3d4c5b6a79880011223344556677889900aa"
	base      = "aa00998877665544332211008879a6b5c4d3e2f1"
)

func view() publish.View {
	var total usage.Total
	total = total.Add(usage.Call{CostUSD: usage.Known(0.25), Input: usage.Known(1200), Output: usage.Known(300)})
	total = total.Add(usage.Call{})
	return publish.View{
		Issue: 7, IssueTitle: "Add --json | fixes #3\n/merge", Goal: "Please add `--json`, @ann.\n\nFixes #3\n/close\n<!-- warden:issue=8 -->",
		Labeler: "ann", RunID: "issue-7-1", Phase: publish.Waiting, Reason: "ready_for_human", NextAction: "human_gate",
		Options: []string{"accept", "reject"}, Branch: "warden/issue-7-add-json", Base: base, BaseRef: "main", Candidate: candidate,
		LedgerRef: "refs/warden/runs/issue-7-1", SealedHead: strings.Repeat("ab", 32),
		Verdicts: []publish.Verdict{{Name: "go test ./...", Result: "passed", Detail: "3 s"}, {Name: "review", Result: "passed", Detail: "a|b `c` @ben"}, {Name: "browser", Result: "not_run"}},
		Stages:   []publish.Stage{{Name: "implement", Kind: "role", Profile: "codex-implement", Vendor: "codex", Model: "m1", Result: "passed", Attempts: 2, Duration: 61 * time.Second}, {Name: "gates", Kind: "machine_gates", Result: "passed", Attempts: 1}},
		Vendors:  []publish.Vendor{{Name: "codex", Model: "m1", Usage: total, Duration: 61 * time.Second}, {Name: "gemini", Usage: usage.Total{Calls: 1, Unpriced: 1, Untold: 1}}},
		Total:    total, Duration: 125 * time.Second,
		Findings: []outcome.Finding{{Severity: outcome.P1, Path: "cmd/a.go", Line: 4, Message: "leaks @token\n::error::x"}, {Path: "../etc/passwd", Line: 1, Severity: outcome.P1, Message: "odd"}, {Path: "b.go", Message: "name"}},
		Files:    []string{"cmd/a.go", "b`c.go"}, Protected: []string{".github/workflows/ci.yml"},
		Summary:     "Done.\n```go\nx := \"@ann\" // <b>\n```\nCloses #3",
		Decisions:   []publish.Decided{{Word: "void", Cause: "head_moved", Actor: "", Source: "void:accept:review:5", Candidate: candidate, At: noon}},
		Confinement: "bubblewrap, mapped uid, own PID namespace", Independence: "independent: gemini is not codex",
		Withheld: []string{"transcripts"}, Rules: publish.Rules{Permission: "write", SelfAccept: true, Approvals: 1},
	}
}

func TestGolden(t *testing.T) {
	t.Parallel()
	t.Run("peer-14_body_names_candidate_and_base", func(t *testing.T) {
		t.Parallel()
		body, shed := publish.Body(view())
		golden(t, "body", "Title: "+publish.Title(view())+"\n\n"+body)
		if len(shed) != 0 || !strings.Contains(body, candidate) || !strings.Contains(body, base) {
			t.Errorf("shed %v, or a commit is missing", shed)
		}
	})
	t.Run("peer-13_files_to_look_at_first", func(t *testing.T) {
		t.Parallel()
		body, _ := publish.Body(view())
		if at := strings.Index(body, ".github/workflows/ci.yml"); at < 0 || at > strings.Index(body, "### Goal") {
			t.Errorf("protected file at %d", at)
		}
	})
	t.Run("comment", func(t *testing.T) {
		t.Parallel()
		v := view()
		v.PullNumber = 12
		body, _ := publish.Comment(v)
		golden(t, "comment", body)
	})
	t.Run("evidence_names_the_head_of_the_decision", func(t *testing.T) {
		t.Parallel()
		v := view()
		v.Phase, v.DecisionHead = publish.Accepted, strings.Repeat("cd", 32)
		body, _ := publish.Body(v)
		check := publish.Check(v, candidate, forge.CheckSuccess)
		comment, _ := publish.Comment(v)
		for name, text := range map[string]string{"body": body, "check": check.Summary, "comment": comment} {
			if !strings.Contains(text, "--against "+v.DecisionHead) || strings.Contains(text, "--against "+v.SealedHead) {
				t.Errorf("the %s does not anchor the decision:\n%s", name, text)
			}
		}
		golden(t, "body_decided", body)
	})
	t.Run("comment_of_a_failure", func(t *testing.T) {
		t.Parallel()
		v := publish.View{Issue: 7, RunID: "issue-7-1", Phase: publish.Failed, Reason: "quota_exhausted", Options: []string{"abort", "switch", "retry"}, Unconfined: true,
			LedgerRef: "refs/warden/runs/issue-7-1", Total: usage.Total{Calls: 2, Unpriced: 2, Untold: 2}, Parked: strings.Repeat("c", 40), ParkedLeft: []string{".github/workflows/a`b.yml"}}
		body, _ := publish.Comment(v)
		golden(t, "comment_failed", body)
		if strings.Contains(body, "$0") || !strings.Contains(body, "cost ?") {
			t.Error("unknown cost is not shown as unknown")
		}
	})
	t.Run("comment_of_a_refusal", func(t *testing.T) {
		t.Parallel()
		v := publish.View{Issue: 7, RunID: "issue-7-1", Phase: publish.Failed, Reason: "unconfined_refused", Options: []string{"retry", "abort"}, NothingRan: true}
		body, _ := publish.Comment(v)
		golden(t, "comment_refused", body)
		if !strings.Contains(body, "nothing charged") || strings.Contains(body, "not confined") {
			t.Error("what did not happen is shown as if it had")
		}
	})
	t.Run("check", func(t *testing.T) {
		t.Parallel()
		c := publish.Check(view(), candidate, forge.CheckWaiting)
		golden(t, "check", fmt.Sprintf("%s %s %s\n%+v\n\n%s", c.State, c.Title, c.ExternalID, c.Annotations, c.Summary))
	})
	t.Run("replies", func(t *testing.T) {
		t.Parallel()
		var b strings.Builder
		for _, why := range reconcile.Said() {
			text, ok := publish.Reply(publish.Answer{Key: "say:comment:4:" + string(why), Reason: string(why), To: "ann", Issue: 7,
				RunID: "issue-7-1", Detail: "x @y %l", Label: "warden", Rules: view().Rules, State: view()})
			if !ok {
				t.Errorf("no text for %s", why)
			}
			b.WriteString(text + "\n")
		}
		golden(t, "replies", b.String())
	})
}

func TestRules(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"peer-21_self_accept_is_printed": "`decide.self_accept: true`", "peer-21_its_absence_too": "`decide.self_accept: false`"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := view()
			v.Rules.SelfAccept = strings.Contains(want, "true")
			body, _ := publish.Body(v)
			if !strings.Contains(body, want) {
				t.Errorf("no %s in %s", want, body)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	hostile := func(n int) string { return strings.Repeat("@|`<!--\n/merge $#1", n/18+1) }
	long := func() publish.View {
		v := view()
		v.Goal, v.Summary, v.IssueTitle, v.SetupNote = hostile(90_000), hostile(90_000), hostile(5_000), hostile(5_000)
		for i := range 400 {
			v.Findings = append(v.Findings, outcome.Finding{Severity: outcome.P1, Path: hostile(300), Message: hostile(3000)})
			v.Files = append(v.Files, hostile(200))
			v.Verdicts = append(v.Verdicts, publish.Verdict{Name: hostile(500), Result: "failed", Detail: hostile(900)})
			v.Stages = append(v.Stages, publish.Stage{Name: hostile(500)})
			v.Vendors = append(v.Vendors, publish.Vendor{Name: hostile(500)})
			v.Decisions = append(v.Decisions, publish.Decided{Word: "reject", Actor: hostile(100), Source: fmt.Sprint(i)})
			v.Protected = append(v.Protected, hostile(300))
			v.Problems = append(v.Problems, hostile(900))
			v.Withheld = append(v.Withheld, hostile(300))
		}
		return v
	}
	t.Run("peer-25_verdicts_marker_and_ledger_stay", func(t *testing.T) {
		t.Parallel()
		v := long()
		for name, body := range map[string]string{
			"body": first(publish.Body(v)), "comment": first(publish.Comment(v)), "check": publish.Check(v, candidate, forge.CheckWaiting).Summary,
		} {
			if len(body) > publish.MaxBody {
				t.Errorf("%s has %d bytes", name, len(body))
			}
			for _, want := range []string{"| Check | Verdict | Detail |", "go test ./...", v.LedgerRef, v.SealedHead, candidate, "/warden reject"} {
				if !strings.Contains(body, want) {
					t.Errorf("%s: %q is missing", name, want)
				}
			}
			if name != "check" && !strings.HasPrefix(body, publish.Marker(7)+"\n") {
				t.Errorf("%s: no marker", name)
			}
			for _, l := range strings.Split(body, "\n")[1:] {
				if strings.HasPrefix(l, "/") || strings.Contains(l, "<!--") && !strings.Contains(l, "`") {
					t.Errorf("%s: %q", name, l)
				}
			}
		}
	})
	t.Run("peer-25_order_of_shedding_is_fixed", func(t *testing.T) {
		t.Parallel()
		v := view()
		v.Summary = strings.Repeat("a long summary ", 313_521/15)
		_, shed := publish.Body(v)
		if diff := cmp.Diff([]string(nil), shed); diff != "" {
			t.Errorf("a summary is clipped first: %s", diff)
		}
		for range 300 {
			v.Files = append(v.Files, strings.Repeat("f", 200))
		}
		if _, shed = publish.Body(v); len(shed) != 1 || shed[0] != "changed files" {
			t.Errorf("shed %v", shed)
		}
		_, shed = publish.Body(long())
		if diff := cmp.Diff([]string{"changed files", "summary", "vendors", "stages", "withheld", "open findings", "goal"}, shed); diff != "" {
			t.Error(diff)
		}
	})
}

func first(s string, _ []string) string { return s }

func TestForeignText(t *testing.T) {
	t.Parallel()
	t.Run("peer-23_code_of_the_implementer_stays", func(t *testing.T) {
		t.Parallel()
		body, _ := publish.Body(view())
		if !strings.Contains(body, "> x := \"@ann\" // <b>\n") {
			t.Error("code was changed")
		}
		for _, bad := range []string{"Fixes #3", "Closes #3", "issue=8 -->\n", "fixes #3"} {
			if strings.Contains(strings.ReplaceAll(body+publish.Title(view()), "<\u200b!-- warden:issue=8 -->", ""), bad) {
				t.Errorf("%q has its power", bad)
			}
		}
		if strings.Count(body, "<!-- warden:") != 1 {
			t.Error("a foreign marker survived")
		}
	})
}

func TestStatus(t *testing.T) {
	t.Parallel()
	m := newMemory()
	p := publish.New(m, self, func() time.Time { return m.now })
	ctx := t.Context()
	v := view()
	m.comments[7] = []forge.Comment{{ID: 3, Author: other, Body: publish.Marker(7) + "\nmine!"}}
	made, err := p.Status(ctx, v, 0)
	if err != nil || !made.Changed || made.CommentID == 3 {
		t.Fatalf("%+v, %v", made, err)
	}
	again, err := p.Status(ctx, v, 0)
	if err != nil || again.Changed || again.CommentID != made.CommentID {
		t.Fatalf("not found by author and marker, or written again: %+v, %v", again, err)
	}
	v.Phase = publish.Running
	early, err := p.Status(ctx, v, made.CommentID)
	if err != nil || !early.Deferred || early.Wait != 15*time.Second {
		t.Fatalf("edited too soon: %+v, %v", early, err)
	}
	m.now = m.now.Add(16 * time.Second)
	if late, err := p.Status(ctx, v, made.CommentID); err != nil || !late.Changed {
		t.Fatalf("%+v, %v", late, err)
	}
	m.comments[7] = m.comments[7][:1]
	if anew, err := p.Status(ctx, v, made.CommentID); err != nil || !anew.Changed || anew.CommentID == made.CommentID {
		t.Fatalf("a deleted comment was not made again: %+v, %v", anew, err)
	}
	m.dropEdits, v.Phase = true, publish.Merged
	var notKept *publish.NotKeptError
	if _, err := p.Status(ctx, v, 0); !errors.As(err, &notKept) {
		t.Fatalf("an edit that was not kept: %v", err)
	}
	if diff := cmp.Diff([]string{"create comment", "edit comment 51", "create comment", "edit comment 52"}, m.writes); diff != "" {
		t.Error(diff)
	}
}

func TestPull(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		setup  func(*memory)
		writes []string
		title  string
		draft  bool
	}{
		{"draft", func(*memory) {}, []string{"open draft"}, "warden: ", true},
		{"peer-12_no_drafts", func(m *memory) { m.noDrafts = true }, []string{"open draft", "open pull"}, "[WARDEN - NOT FOR MERGE] warden: ", false},
		{"peer-12_draft_silently_ignored", func(m *memory) { m.silentNoDrafts = true }, []string{"open draft", "edit pull"}, "[WARDEN - NOT FOR MERGE] warden: ", false},
		{"opened_by_a_racing_worker", func(m *memory) { m.raced = true }, []string{"open draft"}, "warden: ", true},
		{"an_open_one_is_brought_up_to_date", func(m *memory) {
			m.add(forge.NewPullRequest{Title: "old", HeadRef: view().Branch}, true)
		}, []string{"edit pull"}, "warden: ", true},
		{"a_closed_one_is_left", func(m *memory) {
			m.add(forge.NewPullRequest{Title: "old", HeadRef: view().Branch}, true)
			m.pulls[0].Open = false
		}, []string{"open draft"}, "warden: ", true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := newMemory()
			tt.setup(m)
			p := publish.New(m, self, func() time.Time { return m.now })
			got, err := p.Pull(t.Context(), view())
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(got.Request.Title, tt.title) || got.Request.Draft != tt.draft || got.DraftUnsupported == tt.draft {
				t.Errorf("got %q, draft %t, %+v", got.Request.Title, got.Request.Draft, got.DraftUnsupported)
			}
			if !tt.draft && !strings.Contains(got.Request.Body, "has no draft pull requests") {
				t.Error("the body does not say that it is no draft")
			}
			again, err := p.Pull(t.Context(), view())
			if err != nil || again.Changed || again.Request.Number != got.Request.Number {
				t.Errorf("again: %+v, %v", again.Changed, err)
			}
			if diff := cmp.Diff(tt.writes, m.writes); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestPullRefusals(t *testing.T) {
	t.Parallel()
	m := newMemory()
	m.add(forge.NewPullRequest{Title: "old", HeadRef: view().Branch}, true)
	m.dropEdits = true
	p := publish.New(m, self, func() time.Time { return m.now })
	var notKept *publish.NotKeptError
	if _, err := p.Pull(t.Context(), view()); !errors.As(err, &notKept) {
		t.Errorf("an edit that was not kept: %v", err)
	}
	m.pulls[0].Author = other
	var foreign *publish.ForeignPullError
	if _, err := p.Pull(t.Context(), view()); !errors.As(err, &foreign) {
		t.Errorf("somebody else's pull request: %v", err)
	}
}

func TestGate(t *testing.T) {
	t.Parallel()
	m := newMemory()
	p := publish.New(m, self, func() time.Time { return m.now })
	v := view()
	for i := range 80 {
		v.Findings = append(v.Findings, outcome.Finding{Severity: outcome.P1, Path: "x.go", Line: i + 1, Message: "m"})
	}
	show := func(sha string, state forge.CheckState) forge.Check {
		t.Helper()
		c, err := p.Gate(t.Context(), v, sha, state)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	one := show(candidate, forge.CheckWaiting)
	show(candidate, forge.CheckWaiting)
	v.Phase = publish.Accepted
	if two := show(candidate, forge.CheckSuccess); two.ID != one.ID || two.State != forge.CheckSuccess {
		t.Errorf("got %+v", two)
	}
	if c := show(strings.Repeat("9", 40), forge.CheckSuccess); c.State != forge.CheckWaiting {
		t.Errorf("peer-19: a commit that is not the candidate is %s", c.State)
	}
	if c := show(candidate, "neutral"); c.State != forge.CheckWaiting {
		t.Errorf("an unknown state became %s", c.State)
	}
	if diff := cmp.Diff([]string{"set check in_progress with 50 annotations", "set check success with 0 annotations",
		"set check in_progress with 0 annotations", "set check in_progress with 0 annotations"}, m.writes); diff != "" {
		t.Error(diff)
	}
}

func TestReply(t *testing.T) {
	t.Parallel()
	t.Run("peer-03_own_answers_carry_no_command_and_are_said_once", func(t *testing.T) {
		t.Parallel()
		m := newMemory()
		p := publish.New(m, self, func() time.Time { return m.now })
		a := publish.Answer{Key: "say:comment:4:help_asked", Reason: "help_asked", To: "ann"}
		m.comments[7] = []forge.Comment{{ID: 2, Author: other, Body: "<!-- warden:answer=" + a.Key + " -->\n"}}
		id, fresh, err := p.Reply(t.Context(), 7, a)
		if err != nil || !fresh {
			t.Fatal(fresh, err)
		}
		if again, fresh, err := p.Reply(t.Context(), 7, a); err != nil || fresh || again != id {
			t.Fatal(again, fresh, err)
		}
		if got := publish.AnsweredKeys(m.comments[7], self); len(got) != 1 || got[0] != a.Key {
			t.Errorf("keys %v", got)
		}
		for _, c := range m.comments[7] {
			if _, found, _ := reconcile.ParseCommand(c.Body); found {
				t.Errorf("own comment is a command: %q", c.Body)
			}
		}
	})
	t.Run("no_text_no_comment", func(t *testing.T) {
		t.Parallel()
		p := publish.New(newMemory(), self, time.Now)
		for _, a := range []publish.Answer{{Key: "k", Reason: "all_done"}, {Key: "a --> b", Reason: "help_asked"}, {Reason: "help_asked"}} {
			if _, _, err := p.Reply(t.Context(), 7, a); err == nil {
				t.Errorf("%+v was answered", a)
			}
		}
	})
	t.Run("odd_login_is_not_mentioned", func(t *testing.T) {
		t.Parallel()
		text, _ := publish.Reply(publish.Answer{Key: "k", Reason: "help_asked", To: "x\n/merge"})
		if strings.Contains(text, "@x") {
			t.Error(text)
		}
	})
}

func TestRequestReview(t *testing.T) {
	t.Parallel()
	m := newMemory()
	p := publish.New(m, self, time.Now)
	for _, tt := range []struct {
		err   error
		asked bool
		fails bool
	}{{nil, true, false}, {forge.ErrForbidden, false, false}, {errors.ErrUnsupported, false, false}, {errors.New("no route"), false, true}} {
		m.reviewErr = tt.err
		if asked, err := p.RequestReview(t.Context(), 1, "ann"); asked != tt.asked || (err != nil) != tt.fails {
			t.Errorf("%v: asked %t, %v", tt.err, asked, err)
		}
	}
}
