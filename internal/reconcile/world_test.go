package reconcile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
	. "github.com/tolboy/warden/internal/reconcile"
)

var (
	self     = forge.User{ID: 1, Login: "warden[bot]", Bot: true}
	ann      = forge.User{ID: 10, Login: "ann"}
	ben      = forge.User{ID: 11, Login: "ben"}
	reader   = forge.User{ID: 12, Login: "reader"}
	stranger = forge.User{ID: 13, Login: "stranger"} // permission not known
	robot    = forge.User{ID: 14, Login: "robot[bot]", Bot: true}
	ghost    = forge.User{}
	start    = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
)

// world is a small model of a forge, a ledger and a bot that performs what Plan
// says. It keeps its own account of who saw which head when, to judge by.
type world struct {
	t      testing.TB
	o      Observed
	keys   map[string]bool
	log    []Action
	shas   int
	ids    int64
	sawAt  map[string]string // act -> head of the pull request when it was made
	pullAt map[string]time.Time
	refuse map[PieceKind]bool
	noFlip bool
	heads  map[string]string // run -> the commit that it judges as it is
}

func newWorld(t testing.TB) *world {
	w := &world{t: t, keys: map[string]bool{}, sawAt: map[string]string{}, refuse: map[PieceKind]bool{}, ids: 100, heads: map[string]string{}}
	w.o = Observed{
		Now: start, Self: self,
		Config: Config{Label: "warden", BranchPrefix: "warden/", DecidePermission: forge.Write, SelfAccept: true, Approvals: 1},
		Issue: forge.Issue{Number: 7, Title: "Add a flag", Body: "Please add --json.", Open: true, Author: ben,
			CreatedAt: start.Add(-time.Hour)},
		ReviewEdited: map[int64]bool{},
		Permissions:  map[int64]forge.Permission{ann.ID: forge.Write, ben.ID: forge.Admin, reader.ID: forge.Read, robot.ID: forge.Admin, self.ID: forge.Admin},
	}
	return w
}

func (w *world) tick() time.Time { w.o.Now = w.o.Now.Add(10 * time.Second); return w.o.Now }
func (w *world) id() int64       { w.ids++; return w.ids }
func (w *world) sha() string     { w.shas++; return fmt.Sprintf("%040x", 0xabc0000+w.shas) }

func (w *world) head() string {
	if w.o.Pull == nil {
		return ""
	}
	return w.o.Pull.HeadSHA
}

func (w *world) event(kind forge.IssueEventKind, label string, by forge.User) int64 {
	e := forge.IssueEvent{ID: w.id(), Kind: kind, Label: label, Actor: by, At: w.tick()}
	w.o.Events = append(w.o.Events, e)
	return e.ID
}

func (w *world) label(by forge.User) int64 {
	w.o.Issue.Labels = append(w.o.Issue.Labels, "warden")
	return w.event(forge.Labeled, "warden", by)
}

func (w *world) unlabel(by forge.User) {
	w.o.Issue.Labels = nil
	w.event(forge.Unlabeled, "warden", by)
}

func (w *world) comment(by forge.User, body string, place Place) int64 {
	c := forge.Comment{ID: w.id(), Author: by, Body: body, CreatedAt: w.tick(), UpdatedAt: w.o.Now}
	if place == OnPull {
		w.o.PullComments = append(w.o.PullComments, c)
	} else {
		w.o.IssueComments = append(w.o.IssueComments, c)
	}
	w.sawAt[fmt.Sprintf("comment:%d", c.ID)] = w.head()
	return c.ID
}

func (w *world) review(by forge.User, state forge.ReviewState, body, commit string, inline ...forge.ReviewComment) int64 {
	r := forge.Review{ID: w.id(), Author: by, State: state, Body: body, CommitID: commit, SubmittedAt: w.tick(), Comments: inline}
	w.o.Reviews = append(w.o.Reviews, r)
	w.sawAt[fmt.Sprintf("review:%d", r.ID)] = w.head()
	w.o.ReviewEdited[r.ID] = false
	return r.ID
}

func (w *world) dismiss(id int64) {
	for i := range w.o.Reviews {
		if w.o.Reviews[i].ID == id && w.o.Reviews[i].State != forge.Commented {
			w.o.Reviews[i].State = forge.Dismissed
		}
	}
}

func (w *world) push() {
	if w.o.Pull != nil {
		w.o.Pull.HeadSHA = w.sha()
	}
}

// seal ends the run in progress.
func (w *world) seal(kind GateKind) *Run {
	w.t.Helper()
	r := w.last()
	if r == nil || r.State != Running {
		w.t.Fatal("no run in progress")
	}
	r.State, r.Kind, r.OK, r.SealedAt = Sealed, kind, kind == GateSuccess, w.tick()
	r.SealedHead, r.Reason, r.NextAction = "head-"+r.ID, "ready_for_human", "human_gate"
	if kind == GateSuccess {
		if r.Candidate = w.heads[r.ID]; !r.Recheck {
			r.Candidate = w.sha()
		}
	} else {
		r.Reason, r.NextAction = "implementer_failed", "human_escalation"
	}
	return r
}

func (w *world) last() *Run {
	if len(w.o.Runs) == 0 {
		return nil
	}
	return &w.o.Runs[len(w.o.Runs)-1]
}

func (w *world) run(id string) *Run {
	for i := range w.o.Runs {
		if w.o.Runs[i].ID == id {
			return &w.o.Runs[i]
		}
	}
	w.t.Fatalf("action names unknown run %q", id)
	return nil
}

// perform does what an action says, and judges it.
func (w *world) perform(a Action) {
	w.t.Helper()
	w.log = append(w.log, a)
	if w.keys[a.Key] {
		w.t.Fatalf("done twice: %s %s", a.Kind, a.Key)
	}
	w.keys[a.Key] = true
	w.tick()
	switch a.Kind {
	case StartRun:
		w.judgeStart(a)
		w.heads[fmt.Sprintf("issue-7-%d", len(w.o.Runs)+1)] = a.Head
		w.o.Runs = append(w.o.Runs, Run{ID: fmt.Sprintf("issue-7-%d", len(w.o.Runs)+1), Trigger: a.Key,
			LabelEventID: a.Label.ID, Labeler: a.Label.Actor, Continues: a.Continues, StartedAt: w.o.Now, Recheck: a.Head != "",
			State: Running, Branch: "warden/issue-7-add-a-flag", Lease: Lease{Owner: "w1", Alive: new(true)}})
	case ContinueRun:
		r := w.run(a.RunID)
		r.State, r.Kind, r.Reason, r.SealedAt = Sealed, GateFailure, "interrupted", w.o.Now
	case Stop:
		r := w.run(a.RunID)
		r.Done = append(r.Done, a.Key)
	case RecordDecision:
		r := w.run(a.RunID)
		w.judgeDecision(r, *a.Decision)
		r.Decisions = append(r.Decisions, *a.Decision)
	case Publish:
		w.publish(w.run(a.RunID), a.Pieces)
	case MarkReady, MarkDraft:
		r := w.run(a.RunID)
		if w.noFlip {
			r.Refused = append(r.Refused, Refusal{Key: a.Key, Reason: MarkReadyForbidden})
			return
		}
		r.Done = append(r.Done, a.Key)
		w.o.Pull.Draft = a.Kind == MarkDraft
	case Ask:
		w.o.Answered = append(w.o.Answered, a.Key)
	default:
		w.t.Fatalf("cannot perform %q", a.Kind)
	}
}

func (w *world) publish(r *Run, pieces []Piece) {
	for _, piece := range pieces {
		if w.keys[piece.Key] {
			w.t.Fatalf("shown twice: %s", piece.Key)
		}
		w.keys[piece.Key] = true
		if w.refuse[piece.Kind] {
			r.Refused = append(r.Refused, Refusal{Key: piece.Key, Reason: "refused"})
			if piece.Kind == PieceBranch {
				return
			}
			continue
		}
		switch piece.Kind {
		case PieceBranch:
			r.PublishedAt = w.o.Now
			if w.o.Pull != nil && w.o.Pull.Open && !r.Recheck { // what is there is not pushed again
				w.o.Pull.HeadSHA = r.Candidate
			}
		case PiecePull:
			if w.o.Pull == nil || !w.o.Pull.Open {
				w.o.Pull = &forge.PullRequest{Number: int(w.id()), Open: true, Draft: true, Author: self,
					HeadRef: r.Branch, HeadSHA: r.Candidate}
			}
		case PieceCheck:
			if piece.Check == forge.CheckSuccess && (piece.SHA != r.Candidate || r.Decisions[len(r.Decisions)-1].Word != Accept) {
				w.t.Fatalf("green check on %s without an accept", piece.SHA)
			}
		}
		r.Done = append(r.Done, piece.Key)
		w.tick()
	}
}

func person(u forge.User) bool {
	return u.Same(ann) || u.Same(ben)
}

// judgeStart holds a start against the history: a label that a person who may
// decide put on, still on, with no younger edit, or a person's answer.
func (w *world) judgeStart(a Action) {
	w.t.Helper()
	if !w.o.Issue.Open || len(w.o.Issue.Labels) == 0 {
		w.t.Fatalf("run started on a closed or unlabelled issue: %s", a.Key)
	}
	if a.Head != "" && (a.Head != w.head() || a.Rejection != nil || a.Goal != nil) {
		w.t.Fatalf("judged again: %+v, the head is %s", a, w.head())
	}
	if source, is := strings.CutPrefix(a.Key, "run:recheck:"); is {
		w.judgeRecheck(source, a)
		return
	}
	if a.Goal == nil {
		d := a.Rejection
		if d == nil {
			d = a.Answer
		}
		if d == nil || !person(d.Actor) {
			w.t.Fatalf("run started by nobody: %+v", a)
		}
		return
	}
	if !person(a.Label.Actor) {
		w.t.Fatalf("run started by %s", a.Label.Actor.Login)
	}
	if e := w.o.Issue.BodyEditedAt; e != nil && !e.Before(a.Label.At) {
		w.t.Fatal("run started on text that was edited after the label")
	}
}

// judgeRecheck holds that a person who may decide asked for it in a comment that
// nobody edited, and that somebody had pushed.
func (w *world) judgeRecheck(source string, a Action) {
	w.t.Helper()
	for _, c := range append(slices.Clone(w.o.IssueComments), w.o.PullComments...) {
		if fmt.Sprintf("comment:%d", c.ID) == source && person(c.Author) && !c.Edited() && strings.HasPrefix(c.Body, "/warden recheck") && a.Head != w.candidate() {
			return
		}
	}
	w.t.Fatalf("judged again for nobody, or nothing: %+v", a)
}

// judgeDecision holds an accept against what the world knows: only a person who
// may decide, only the head, only if that was the head when they spoke.
func (w *world) judgeDecision(r *Run, d Decision) {
	w.t.Helper()
	switch d.Word {
	case Void, Merged:
		return
	case Reject, Abort:
		if d.Cause != PullClosed && !person(d.Actor) {
			w.t.Fatalf("refusal by %s", d.Actor.Login)
		}
		return
	case Accept:
		if d.Candidate != r.Candidate || w.head() != r.Candidate || w.sawAt[d.Source] != r.Candidate {
			w.t.Fatalf("accept of %s, head %s, seen %s", d.Candidate, w.head(), w.sawAt[d.Source])
		}
	}
	if !person(d.Actor) {
		w.t.Fatalf("%s by %s", d.Word, d.Actor.Login)
	}
}

// settle performs until nothing is owed and returns how many steps that took.
func (w *world) settle() int {
	w.t.Helper()
	for step := 0; ; step++ {
		a := Plan(w.shuffled())
		if a.Kind == Nothing || a.Kind == Ignore {
			return step
		}
		if step > 200 {
			w.t.Fatalf("no end: %+v", a)
		}
		w.perform(a)
	}
}

// shuffled is the observation with every slice that has no order in another one,
// and with entries that a forge listed twice.
func (w *world) shuffled() Observed {
	o := w.o
	rng := rand.New(rand.NewPCG(uint64(w.o.Now.Unix()), uint64(len(w.log))))
	o.Events = mixed(rng, o.Events)
	o.IssueComments = mixed(rng, o.IssueComments)
	o.PullComments = mixed(rng, o.PullComments)
	o.Reviews = mixed(rng, o.Reviews)
	o.Answered = mixed(rng, o.Answered)
	return o
}

func mixed[T any](rng *rand.Rand, in []T) []T {
	out := slices.Clone(in)
	if len(out) > 0 && rng.IntN(2) == 0 {
		out = append(out, out[rng.IntN(len(out))])
	}
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// kinds lists what was done since the last call.
func (w *world) kinds() []string {
	var out []string
	for _, a := range w.log {
		s := string(a.Kind)
		if a.Kind == Ask || a.Kind == RecordDecision || a.Kind == Stop {
			s += "/" + string(a.Reason)
		}
		out = append(out, s)
	}
	w.log = nil
	return out
}

// published is a world with one candidate before its people.
func published(t testing.TB) *world {
	w := newWorld(t)
	w.label(ann)
	w.settle()
	w.seal(GateSuccess)
	w.settle()
	w.kinds()
	return w
}
