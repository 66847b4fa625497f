package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

// workflow is the name of the empty workflow whose end wakes the real one.
const workflow = "Warden: a review came in"

// tell plays the acts in order. It stops at the first one that comes out wrong.
func (s *stage) tell(ctx context.Context) error {
	s.say("A forge is up at %s, with a repository whose project.yaml says what done means: `sh check.sh`.", s.server.URL())
	if s.Held != "" && s.Bare != "" {
		s.say("A child on this machine is confined by %s. On a real project Warden would refuse here; this one's policy says `allow_unconfined: true`, and the pull request says so.", s.Held)
	} else if s.Bare != "" {
		s.say("Nothing confines a child on this machine (%s). On a real project Warden would refuse here; this one's policy says `allow_unconfined: true`, and the pull request says so.", s.Bare)
	}
	s.sayPage()
	for _, act := range []func(context.Context) error{s.label, s.requestChanges, s.approve} {
		if err := act(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *stage) label(ctx context.Context) error {
	n, _, err := s.server.OpenIssue(forgetest.Writer, title, s.body())
	if err != nil {
		return err
	}
	s.issue = n
	s.say("%s opens issue #%d: %q. Nothing happens.", forgetest.Writer, n, title)
	s.say("%s, who may decide here, puts the label `warden` on it. The event wakes the action.", person)
	d, err := s.server.AddLabel(person, n, "warden")
	if err != nil {
		return err
	}
	if err := s.event(ctx, d); err != nil {
		return err
	}
	if len(s.state.Runs) != 1 || s.state.Runs[0].Reason != "ready_for_human" || s.state.Pull == nil || !s.state.Pull.Draft {
		return turned("after the label: %d run(s), outcome %s", len(s.state.Runs), s.state.Outcome)
	}
	if err := s.sayPictures(); err != nil {
		return err
	}
	s.say("Draft pull request #%d is open at candidate %s, its gate check waits, and the ledger is sealed at %s.",
		s.state.Pull.Number, short(s.state.Pull.Head), short(s.state.Runs[0].LedgerHead))
	return nil
}

func (s *stage) requestChanges(ctx context.Context) error {
	s.say("%s reads the diff and submits a review: Request changes, with a text and two remarks on lines.", person)
	if _, err := s.refusal(); err != nil {
		return err
	}
	s.say("A review runs the pull request's own workflow, which an agent wrote; it is empty, and its end wakes the real one.")
	d, err := s.server.WorkflowRun(person, workflow, s.state.Pull.Number, "success")
	if err != nil {
		return err
	}
	before := s.state.Pull.Head
	if err := s.event(ctx, d); err != nil {
		return err
	}
	if len(s.state.Runs) != 2 || s.state.Runs[1].Reason != "ready_for_human" || s.state.Pull == nil || s.state.Pull.Head == before {
		return turned("after the refusal: %d run(s), outcome %s", len(s.state.Runs), s.state.Outcome)
	}
	s.say("The refusal is recorded, its words went to the next run as they are, and the same pull request now shows %s.", short(s.state.Pull.Head))
	return nil
}

func (s *stage) approve(ctx context.Context) error {
	s.say("%s looks again and approves exactly this head.", person)
	if _, _, err := s.server.SubmitReview(person, s.state.Pull.Number, forge.Approved, ""); err != nil {
		return err
	}
	d, err := s.server.WorkflowRun(person, workflow, s.state.Pull.Number, "success")
	if err != nil {
		return err
	}
	if err := s.event(ctx, d); err != nil {
		return err
	}
	if s.state.Outcome != "accept" || s.state.Pull == nil || s.state.Pull.Draft {
		return turned("after the approval: outcome %s", s.state.Outcome)
	}
	s.say("Accept is recorded, the draft is ready for review, the gate check is green. Nothing was merged: that is %s's click.", person)
	return nil
}

func (s *stage) result() Result {
	r := Result{Issue: s.issue, Runs: s.state.Runs, Branch: s.state.Branch, Decisions: s.state.Decisions, Kept: s.Keep, Requests: map[string]int{}}
	if r.Runs == nil {
		r.Runs = []Run{}
	}
	if r.Decisions == nil {
		r.Decisions = []Decision{}
	}
	r.Browser = s.pictures()
	if s.state.Pull != nil {
		r.PullRequest, r.Merged = &s.state.Pull.PullRequest, s.state.Pull.Merged
	}
	for _, q := range s.server.Requests() {
		r.Requests[q.Route]++
	}
	return r
}

// breaches are what the forge noticed that must never happen.
func (s *stage) breaches() []string {
	var out []string
	for _, v := range s.server.Violations() {
		out = append(out, v.Kind+": "+v.Text)
	}
	for _, q := range s.server.Requests() {
		if q.Status >= 400 && q.Auth {
			out = append(out, fmt.Sprintf("%s %s answered %d", q.Method, q.Path, q.Status))
		}
	}
	return slices.Compact(out)
}

// check compares the end with what the story promised, by what the forge and the
// evidence show rather than by what was printed.
func (s *stage) check(r Result) []string {
	var out []string
	expect := func(ok bool, format string, args ...any) {
		if !ok {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	var words []string
	for _, d := range r.Decisions {
		words = append(words, d.Decision)
	}
	expect(slices.Equal(words, []string{"reject", "accept"}), "decisions are %v", words)
	sum := sha256.Sum256([]byte(refuse))
	expect(len(r.Decisions) > 0 && r.Decisions[0].NoteSHA256 == hex.EncodeToString(sum[:]), "the refusal's text is not the one that was sent")
	expect(!r.Merged, "something was merged")
	last := r.Runs[len(r.Runs)-1]
	expect(r.PullRequest.Head == last.Candidate, "the pull request shows %s, the candidate is %s", r.PullRequest.Head, last.Candidate)
	expect(s.asked(), "no review was requested of %s", person)
	state := s.gate(last.Candidate)
	expect(state == "success", "the gate check of %s is %q", short(last.Candidate), state)
	prompt, err := os.ReadFile(filepath.Join(s.runsDir(), last.RunID+"--implementer-0", "prompts", "implementer.md"))
	expect(err == nil, "the second writer's prompt: %v", err)
	for _, words := range append([]string{refuse}, bodies()...) {
		expect(strings.Contains(string(prompt), words), "the second writer did not read %q", words)
	}
	return append(out, s.checkPage(r.Browser)...)
}

func bodies() []string {
	var out []string
	for _, n := range Notes() {
		out = append(out, n.Body)
	}
	return out
}

func (s *stage) runsDir() string {
	return filepath.Join(s.dir, "state", s.server.Repo().Owner, s.server.Repo().Name, "runs")
}

// asked reports whether the forge was asked to request a review.
func (s *stage) asked() bool {
	for _, q := range s.server.Requests() {
		if q.Route == "pull.reviewers.request" && q.Status < 300 {
			return true
		}
	}
	return false
}

// leave keeps a page for each run beside repository and ledgers, and says what
// there is to do with them.
func (s *stage) leave() error {
	if s.Keep == "" {
		return nil
	}
	routes := map[string]int{}
	for _, q := range s.server.Requests() {
		routes[q.Route]++
	}
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(routes)) {
		fmt.Fprintf(&b, "%6d %s\n", routes[name], name)
	}
	if err := os.WriteFile(filepath.Join(s.dir, "requests.txt"), []byte(b.String()), 0o644); err != nil {
		return err
	}
	pages, err := s.pages()
	if err != nil {
		return err
	}
	s.say("Kept in %s: %srepository.git, summary.md, the event files, requests.txt, and state/ with the ledgers.", s.dir, pages)
	if n := len(s.state.Runs); n > 0 {
		last := s.state.Runs[n-1]
		s.say("Try this next:\n   cd %s\n   warden verify %s --runs-dir %s --against %s\n   git --git-dir repository.git log -p --format=%%s main..%s",
			"'"+strings.ReplaceAll(s.dir, "'", `'\''`)+"'", last.RunID, filepath.Join("state", s.server.Repo().Owner, s.server.Repo().Name, "runs"), last.LedgerHead, s.state.Branch)
	}
	return nil
}

// pages writes the report of each run and names the files.
func (s *stage) pages() (names string, err error) {
	if s.Page == nil {
		return "", nil
	}
	for _, r := range s.state.Runs {
		page, err := s.Page(s.runsDir(), r.RunID)
		if err != nil {
			return names, fmt.Errorf("write the report of %s: %w", r.RunID, err)
		}
		name := "report-" + r.RunID + ".html"
		if err := os.WriteFile(filepath.Join(s.dir, name), page, 0o644); err != nil {
			return names, err
		}
		names += name + ", "
	}
	return names, nil
}

// gate reads the newest conclusion that was written for the check of a commit.
func (s *stage) gate(sha string) string {
	state := ""
	for _, q := range s.server.Requests() {
		var c struct {
			Head       string `json:"head_sha"`
			Conclusion string `json:"conclusion"`
			Status     string `json:"status"`
		}
		if (q.Route != "check.create" && q.Route != "check.update") || q.Status >= 300 || json.Unmarshal(q.Body, &c) != nil {
			continue
		}
		if c.Head == "" || c.Head == sha {
			state = c.Conclusion
		}
	}
	return state
}
