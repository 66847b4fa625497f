package engine_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/budget"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
	"github.com/tolboy/warden/internal/workflow"
)

// word is what a stage said last, and of which tree.
type word struct {
	ok, spoke bool
	tree      string
	blocked   bool
}

// reading is what a stage objected to in one tree.
type objection struct {
	stage, tree string
	ids         []string
}

// witness sees what a run does and holds it against the rules by arithmetic of its
// own. The first thing that breaks one is the problem.
type witness struct {
	spec      engine.Spec
	problem   string
	lines     []string // types of the lines
	stage     string   // that was announced last
	crossings int
	rounds    int
	calls     int
	settledN  int
	silent    int
	cost      float64 // of this run
	total     float64 // of the chain, in the order in which it was charged
	priced    bool
	promised  float64
	unbounded int
	again     bool   // the stage runs again after a repair
	origin    string // the stage that the repair is for
	nested    bool   // inside a repair an earlier stage left a blocker, which ends the run
	broken    bool   // a reader broke the rules of findings, so that nobody may be paid any more
	last      map[string]word
	said      map[string][]outcome.Finding // by stage: its last reading
	objected  []objection
	closed    []string // stage and id
	proofs    []string // stage and reference
	seen      engine.Tree
}

func (w *witness) wrong(format string, args ...any) {
	if w.problem == "" {
		w.problem = fmt.Sprintf(format, args...)
	}
}

func (w *witness) line(kind string, data any) {
	w.lines = append(w.lines, kind)
	switch d := data.(type) {
	case ledger.StageStarted:
		w.stage, w.again = d.Stage, d.Recheck && !d.Fix
	case ledger.FixRound:
		w.rounds++
		w.origin = d.Stage
		if left := w.spec.Task.MaxFixAttempts - w.spec.Chain.FixAttempts; w.rounds > left {
			w.wrong("fix round %d begins, %d are left", w.rounds, left)
		}
		w.affordable(d.Stage)
	}
}

// affordable counts by hand what the rest of the chain takes from a repair on.
func (w *witness) affordable(stage string) {
	i := slices.IndexFunc(w.spec.Steps, func(s workflow.Step) bool { return s.Name == stage })
	pays := func(s workflow.Step) bool { return s.Skip == "" && s.Run == workflow.RunRole }
	need, read := 1, false
	for j, s := range w.spec.Steps {
		if pays(s) && (j < i && s.Recheck || j == i) {
			need++
			read = read || s.OnFindings != ""
		}
		if pays(s) && j > i && (w.spec.Limits.Reserve == budget.Full || !read) {
			need++
			read = read || s.OnFindings != ""
		}
	}
	if left := w.spec.Limits.Calls - w.spec.Prior.Calls - w.calls; left < need {
		w.wrong("a repair of %s begins with %d calls left, and takes %d", stage, left, need)
	}
}

func (w *witness) crossed() {
	w.crossings++
	rounds := max(w.spec.Task.MaxFixAttempts-w.spec.Chain.FixAttempts, 0)
	if most := (rounds + 1) * (len(w.spec.Steps) + 2); w.crossings > most {
		w.wrong("%d stages and repairs were begun, of at most %d", w.crossings, most)
	}
}

func (w *witness) elapsed(now time.Time) time.Duration {
	return w.spec.Prior.Elapsed + now.Sub(time.Unix(1_000_000, 0))
}

func (w *witness) asked(call engine.RoleCall, now time.Time) {
	if limit := w.spec.Limits.Elapsed; limit > 0 && (call.Limit <= 0 || call.Limit > max(limit-w.elapsed(now), time.Second)) {
		w.wrong("a call is given %s of the %s that are left", call.Limit, limit-w.elapsed(now))
	}
}

// charged is told of every vendor call that is about to be made.
func (w *witness) charged(now time.Time, atMost float64) {
	l, prior := w.spec.Limits, w.spec.Prior
	before, known := prior.Total.CostUSD.Get()
	if w.calls == 0 {
		w.total = before
	}
	cost := w.total
	known = known || w.priced
	switch {
	case w.lines[len(w.lines)-1] != ledger.TypeVendorCallStarted:
		w.wrong("a call is made that was not written down")
	case w.broken:
		w.wrong("a call is made after a reader broke the rules of findings")
	case w.nested:
		w.wrong("a call is made after an earlier stage left a blocker inside a repair")
	case prior.Calls+w.calls >= l.Calls:
		w.wrong("call %d of %d is made", prior.Calls+w.calls+1, l.Calls)
	case l.CostUSD > 0 && known && cost >= l.CostUSD:
		w.wrong("a call is made with $%v of $%v charged", cost, l.CostUSD)
	case l.CostUSD > 0 && l.Strict && (atMost <= 0 || prior.Unbounded+w.unbounded > 0):
		w.wrong("a call is made under a strict cap that nothing holds")
	case l.CostUSD > 0 && l.Strict && cost+prior.Promised+w.promised+atMost > l.CostUSD+1e-9:
		w.wrong("a call is made that can pass a strict cap: %v + %v + %v of %v", cost, prior.Promised+w.promised, atMost, l.CostUSD)
	case l.Elapsed > 0 && l.Elapsed-w.elapsed(now) < time.Minute:
		w.wrong("a call is made with %s left", l.Elapsed-w.elapsed(now))
	}
	w.calls++
}

func (w *witness) settled(u usage.Call, atMost float64) {
	w.settledN++
	usd, known := u.CostUSD.Get()
	switch {
	case known:
		w.cost, w.total, w.priced = w.cost+usd, w.total+usd, true
	case atMost > 0:
		w.promised += atMost
		w.silent++
	default:
		w.unbounded++
		w.silent++
	}
}

func (w *witness) checked(ok bool, tree string) {
	w.last[w.stage] = word{ok: ok, spoke: true, tree: tree}
}

// answered is told what a role said, and of which tree.
func (w *witness) answered(call engine.RoleCall, said word, findings []outcome.Finding) {
	if call.Fix {
		return
	}
	said.spoke, said.blocked = true, len(outcome.Blocking(findings)) > 0
	w.last[call.Step.Name] = said
	if said.ok && call.Step.OnFindings != workflow.RouteNone {
		w.read(call.Step.Name, said.tree, outcome.Blocking(findings))
		w.nested = w.nested || w.again && said.blocked && call.Step.Name != w.origin
	}
}

// read holds a reading against what its stage said before.
func (w *witness) read(stage, tree string, blocking []outcome.Finding) {
	now := objection{stage: stage, tree: tree}
	for _, f := range blocking {
		now.ids = append(now.ids, f.ID)
	}
	anyClosed := slices.ContainsFunc(w.closed, func(key string) bool { return strings.HasPrefix(key, stage+"\x00") })
	var last []string // what stood open
	for _, o := range w.objected {
		if o.stage != stage {
			continue
		}
		last = o.ids
		if o.tree == tree {
			for _, id := range o.ids {
				w.broken = w.broken || !slices.Contains(now.ids, id)
			}
		}
	}
	for _, f := range blocking {
		fresh := slices.ContainsFunc(f.EvidenceRefs, func(ref string) bool { return !slices.Contains(w.proofs, stage+"\x00"+ref) })
		same := slices.ContainsFunc(w.objected, func(o objection) bool { return o.stage == stage && o.tree == tree && slices.Contains(o.ids, f.ID) })
		w.broken = w.broken || anyClosed && !fresh && !same && !slices.Contains(last, f.ID)
	}
	for _, id := range last {
		if !slices.Contains(now.ids, id) {
			w.closed = append(w.closed, stage+"\x00"+id)
		}
	}
	for _, f := range blocking {
		w.closed = slices.DeleteFunc(w.closed, func(key string) bool { return key == stage+"\x00"+f.ID })
		for _, ref := range f.EvidenceRefs {
			w.proofs = append(w.proofs, stage+"\x00"+ref)
		}
	}
	w.objected = append(w.objected, now)
}

// ended holds the ending against what was seen.
func (w *witness) ended(end ledger.Ending) {
	kind := ledger.TypeStopped
	if end.OK {
		kind = ledger.TypeReadyForHuman
		w.ready(end)
	}
	if n := len(w.lines); w.lines[n-1] != kind || slices.ContainsFunc(w.lines[:n-1], ledger.Seals) {
		w.wrong("it is not sealed by %s, once and last", kind)
	}
	if end.OK != (end.Code == outcome.ReadyForHuman) || end.SafeNextStep == "" || end.NextAction == "" {
		w.wrong("it ended with %s, ok %v, next %q", end.Code, end.OK, end.SafeNextStep)
	}
	if w.broken && end.OK {
		w.wrong("ready for a human past a reader that broke the rules of findings")
	}
	cost, known := end.Usage.CostUSD.Get()
	if known != w.priced || math.Abs(cost-w.cost) > 1e-9 || end.Usage.Unpriced != w.silent || end.Usage.Calls != w.settledN || end.RoleRuns != w.calls {
		w.wrong("%d calls, %d silent, $%v (known %v) are recorded as %+v", w.calls, w.silent, w.cost, w.priced, end.Usage)
	}
	if end.CostCeilingBinding != (w.silent == 0) {
		w.wrong("%d silent calls, and the ceiling is called binding: %v", w.silent, end.CostCeilingBinding)
	}
	if end.AttemptsUsed != w.rounds {
		w.wrong("%d rounds were begun, %d are recorded", w.rounds, end.AttemptsUsed)
	}
	if c := end.Chain; w.spec.Chain.Runs > 0 && (c == nil || c.RoleRuns != w.spec.Chain.RoleRuns+w.calls || c.FixAttempts != w.spec.Chain.FixAttempts+w.rounds || c.Unpriced != w.spec.Chain.Unpriced+w.silent) {
		w.wrong("the chain is recorded as %+v", c)
	}
	if end.Code == outcome.BudgetExhausted || end.Code == outcome.BudgetInsufficient {
		w.named(end)
	}
}

// named is BU-12: the key that a person is told to raise is the one that stopped it.
func (w *witness) named(end ledger.Ending) {
	prior, _ := w.spec.Prior.Total.CostUSD.Get()
	l := w.spec.Limits
	full := w.spec.Prior.Calls+w.calls >= l.Calls || end.Code == outcome.BudgetInsufficient
	dear := l.CostUSD > 0 && (prior+w.cost >= l.CostUSD-1e-9 || l.Strict)
	hit := map[string]bool{"max_role_runs": full, "max_cost_usd": dear, "max_elapsed_minutes": l.Elapsed > 0}
	if !hit[end.BudgetLimitHit] || end.SafeNextStep != "raise budgets."+end.BudgetLimitHit+" in the task, then retry" {
		w.wrong("BU-12: %s names %q, and says %q", end.Code, end.BudgetLimitHit, end.SafeNextStep)
	}
}

// ready holds what may be shown to a person as a candidate.
func (w *witness) ready(end ledger.Ending) {
	tree := w.seen.Source
	if len(w.seen.Contract)+len(w.seen.Outside)+len(w.seen.Refused) > 0 {
		w.wrong("ready for a human with %+v", w.seen)
	}
	if end.Candidate == nil || end.Candidate.Fingerprint != tree {
		w.wrong("ready for a human with a candidate %+v, and the tree is %s", end.Candidate, tree)
	}
	for _, s := range w.spec.Steps {
		if s.Skip != "" {
			continue
		}
		last := w.last[s.Name]
		judges := s.Run == workflow.RunGates || s.OnFindings != workflow.RouteNone
		switch {
		case !last.spoke || !last.ok:
			w.wrong("ready for a human, and the last word of %s is %+v", s.Name, last)
		case judges && s.OnFindings != workflow.RouteNone && last.blocked:
			w.wrong("ready for a human with a blocking finding of %s", s.Name)
		case judges && s.Recheck && last.tree != tree:
			w.wrong("ready for a human with %s, and %s has seen %s", tree, s.Name, last.tree)
		case judges && last.tree != tree && (!slices.Contains(end.Stale, s.Name) || end.ReviewPassed):
			w.wrong("%s has seen another tree, and that is not told", s.Name)
		}
	}
	for _, o := range w.objected {
		if o.tree == tree && len(o.ids) > 0 {
			w.wrong("ready for a human with a tree that %s has refused", o.stage)
		}
	}
}
