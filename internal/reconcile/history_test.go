package reconcile_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/forge"
	. "github.com/tolboy/warden/internal/reconcile"
)

// step makes one thing happen in the world: a person, a robot, the forge or time.
func (w *world) step(rng *rand.Rand) {
	who := []forge.User{ann, ben, ann, ben, reader, stranger, robot, self, ghost}[rng.IntN(9)]
	commit := w.head()
	if r := w.last(); r != nil && r.Candidate != "" && rng.IntN(3) == 0 {
		commit = r.Candidate
	}
	if rng.IntN(6) == 0 {
		commit = w.sha()
	}
	place := []Place{OnIssue, OnPull}[rng.IntN(2)]
	switch rng.IntN(20) {
	case 0:
		w.label(who)
	case 1:
		w.unlabel(who)
		if rng.IntN(3) > 0 {
			w.label([]forge.User{ann, ben, reader}[rng.IntN(3)])
		}
	case 2:
		w.o.Issue.BodyEditedAt = new(w.tick())
	case 3:
		w.event(forge.Renamed, "", who)
	case 4, 5:
		w.review(who, forge.Approved, "", commit)
	case 6:
		w.review(who, forge.ChangesRequested, []string{"", "do it again"}[rng.IntN(2)], commit)
	case 7:
		w.review(who, forge.Commented, []string{"hm", "/warden accept " + commit, "/warden stop"}[rng.IntN(3)], commit)
	case 8:
		if n := len(w.o.Reviews); n > 0 {
			w.dismiss(w.o.Reviews[rng.IntN(n)].ID)
		}
	case 9:
		w.push()
	case 10:
		w.o.Issue.Open = !w.o.Issue.Open || rng.IntN(4) > 0
	case 11:
		if w.o.Pull != nil && !w.o.Pull.Merged && rng.IntN(3) == 0 {
			w.o.Pull.Open, w.o.Pull.ClosedAt = !w.o.Pull.Open, w.tick()
			w.o.Pull.Merged = !w.o.Pull.Open && rng.IntN(2) == 0
		}
	case 12:
		if r := w.last(); r != nil && r.State == Running {
			r.Lease.Alive = new(false)
		}
	case 13:
		w.refuse = map[PieceKind]bool{}
		if rng.IntN(4) == 0 {
			w.refuse[[]PieceKind{PieceBranch, PiecePull, PieceCheck, PieceReviewRequest}[rng.IntN(4)]] = true
		}
	case 14:
		w.noFlip = rng.IntN(3) == 0
	case 15:
		if n := len(w.o.PullComments); n > 0 {
			w.o.PullComments[rng.IntN(n)].UpdatedAt = w.tick()
		}
	default:
		verb := []string{"accept " + commit, "reject bad", "reject", "retry", "switch", "abort", "stop", "status", "help", "recheck", "nonsense"}[rng.IntN(11)]
		body := "/warden " + verb
		if rng.IntN(5) == 0 {
			body = "> " + body
		}
		w.comment(who, body, place)
	}
	if r := w.last(); r != nil && r.State == Running && rng.IntN(2) == 0 {
		w.seal([]GateKind{GateSuccess, GateSuccess, GateSuccess, GateFailure, GateFailover}[rng.IntN(5)])
	}
}

// history runs a random history. The world itself refuses an accept of what is
// not the head, a run that nobody asked for, and anything done twice.
func history(t testing.TB, seed uint64, steps int, lossy bool) *world {
	rng := rand.New(rand.NewPCG(seed, 7))
	w := newWorld(t)
	w.o.Config.SelfAccept = rng.IntN(3) > 0
	w.o.Config.Approvals = rng.IntN(3)
	w.label(ann)
	unseen := 0
	for range steps {
		w.step(rng)
		unseen++
		if lossy && rng.IntN(3) > 0 {
			continue
		}
		if n := w.settle(); n > 11+unseen {
			t.Fatalf("seed %d: %d steps to rest: %v", seed, n, w.kinds())
		}
		unseen = 0
		w.kinds()
	}
	w.settle()
	if a := Plan(w.o); a.Kind != Nothing && a.Kind != Ignore {
		t.Fatalf("seed %d: at rest, but %s", seed, a.Kind)
	}
	return w
}

func TestHistories(t *testing.T) {
	t.Parallel()
	accepts, runs, refusals := 0, 0, 0
	for seed := range uint64(1000) {
		w := history(t, seed, 40, seed%2 == 0)
		runs += len(w.o.Runs)
		for _, r := range w.o.Runs {
			for _, d := range r.Decisions {
				switch d.Word {
				case Accept:
					accepts++
				case Reject:
					refusals++
				}
			}
		}
	}
	t.Logf("%d runs, %d accepts, %d refusals", runs, accepts, refusals)
	if accepts < 100 || refusals < 100 || runs < 1500 {
		t.Errorf("histories do too little: %d runs, %d accepts, %d refusals", runs, accepts, refusals)
	}
}

func FuzzHistory(f *testing.F) {
	f.Add(uint64(1), uint8(30))
	f.Fuzz(func(t *testing.T, seed uint64, steps uint8) {
		history(t, seed, int(steps%80), seed%3 == 0)
	})
}

// TestDelivery holds that deliveries are hints: their order, number and loss
// change nothing in what is done, because every plan reads the same state.
func TestDelivery(t *testing.T) {
	t.Parallel()
	done := func(seed uint64, triggers []Trigger) []string {
		w := published(t)
		w.review(ben, forge.ChangesRequested, "again", w.candidate())
		w.comment(ann, "/warden help", OnIssue)
		w.comment(reader, "/warden stop", OnIssue)
		w.review(ann, forge.Approved, "", w.candidate())
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(triggers), func(i, j int) { triggers[i], triggers[j] = triggers[j], triggers[i] })
		for _, tr := range append(triggers[:rng.IntN(len(triggers))], triggers[0], Trigger{}) {
			w.o.Trigger = tr
			w.settle()
		}
		var keys []string
		for k := range w.keys {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		return keys
	}
	all := func() []Trigger {
		return []Trigger{{Kind: TriggerReview, ID: 1}, {Kind: TriggerComment, ID: 105}, {Kind: TriggerLabel, Label: "warden"},
			{Kind: TriggerLabel, Label: "bug"}, {Kind: TriggerOther}, {}}
	}
	want := done(0, all())
	for seed := range uint64(200) {
		if diff := cmp.Diff(want, done(seed, all())); diff != "" {
			t.Fatalf("seed %d: %s", seed, diff)
		}
	}
}

// TestPrefixes looks at a history after every part of it, or at random ones only:
// where nobody takes a word back, both come to the same decisions.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	outcome := func(script []func(*world), look func() bool) []string {
		w := published(t)
		for _, f := range script {
			f(w)
			if look() {
				w.settle()
			}
		}
		w.settle()
		var out []string
		for _, r := range w.o.Runs {
			out = append(out, fmt.Sprintf("%s after %q", r.ID, r.Continues))
			for _, d := range r.Decisions {
				out = append(out, string(d.Word)+" by "+d.Actor.Login)
			}
		}
		return append(out, fmt.Sprint(w.o.Pull.Draft))
	}
	scripts := map[string][]func(*world){
		"accept": {
			func(w *world) { w.comment(ann, "thanks", OnPull) },
			func(w *world) { w.review(reader, forge.Approved, "", w.candidate()) },
			func(w *world) { w.review(ben, forge.Commented, "looking", w.candidate()) },
			func(w *world) { w.review(ben, forge.Approved, "", w.candidate()) },
			func(w *world) { w.comment(robot, "/warden reject no", OnPull) },
		},
		"reject": {
			func(w *world) { w.review(robot, forge.Approved, "", w.candidate()) },
			func(w *world) { w.comment(ann, "/warden recheck", OnPull) },
			func(w *world) { w.review(ben, forge.ChangesRequested, "again", w.candidate()) },
			func(w *world) { w.comment(reader, "/warden stop", OnPull) },
		},
	}
	for name, script := range scripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want := outcome(script, func() bool { return true })
			for seed := range uint64(100) {
				rng := rand.New(rand.NewPCG(seed, 2))
				if diff := cmp.Diff(want, outcome(script, func() bool { return rng.IntN(2) == 0 })); diff != "" {
					t.Fatalf("seed %d: %s", seed, diff)
				}
			}
		})
	}
}

// TestPlanIsPure holds that a plan leaves its observation as it was.
func TestPlanIsPure(t *testing.T) {
	t.Parallel()
	w := published(t)
	w.review(ben, forge.ChangesRequested, "again", w.candidate(), forge.ReviewComment{ID: 2, Path: "b"}, forge.ReviewComment{ID: 1, Path: "a"})
	before := fmt.Sprintf("%+v", w.o.Reviews)
	first := Plan(w.o)
	if diff := cmp.Diff(first, Plan(w.o)); diff != "" {
		t.Error(diff)
	}
	if got := fmt.Sprintf("%+v", w.o.Reviews); got != before {
		t.Errorf("observation changed: %s", got)
	}
	if a := Plan(Observed{}); a.Kind != Nothing || a.Reason != ObservationPartial {
		t.Errorf("empty observation: %+v", a)
	}
}

func TestShouldStop(t *testing.T) {
	t.Parallel()
	w := running(t)
	if got := ShouldStop(w.o, "issue-7-1"); got != "" {
		t.Errorf("got %q", got)
	}
	w.comment(ann, "/warden stop", OnPull)
	if got := ShouldStop(w.o, "issue-7-1"); got != StopAsked {
		t.Errorf("got %q", got)
	}
	if got := ShouldStop(w.o, "issue-7-9"); got != "" {
		t.Errorf("unknown run: %q", got)
	}
	w.o.Unread = []string{"comments"}
	if got := ShouldStop(w.o, "issue-7-1"); got != "" {
		t.Errorf("partial observation: %q", got)
	}
}

// TestPermissionLost holds that a decision needs the permission of now.
func TestPermissionLost(t *testing.T) {
	t.Parallel()
	w := published(t)
	w.review(ann, forge.Approved, "", w.candidate())
	w.o.Permissions[ann.ID] = forge.Triage
	w.settle()
	if got := strings.Join(w.kinds(), " "); got != "ask/not_permitted" {
		t.Errorf("without permission: %s", got)
	}
	w.o.Permissions[ann.ID] = forge.Write
	w.settle()
	if got := strings.Join(w.kinds(), " "); got != "record_decision/person_accepted publish mark_ready" {
		t.Errorf("with permission again: %s", got)
	}
}
