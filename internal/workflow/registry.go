package workflow

import (
	"slices"

	"github.com/tolboy/warden/internal/outcome"
)

// Record is one blocking objection over its life. Each judging stage has records of
// its own: what one stage leaves out says nothing of another's.
type Record struct {
	Stage    string
	Finding  outcome.Finding // as it was filed last
	Tree     string          // that it was filed about last
	Proofs   []string        // every evidence reference that it ever came with
	Closed   bool
	ClosedBy string // the tree of the reading in which it was gone
	// ReplacedBy is the id of the finding that superseded it: the objection goes on
	// under that name, and this record is neither open nor closed.
	ReplacedBy string
}

func (r Record) stands() bool { return !r.Closed && r.ReplacedBy == "" }

// reading is what a judging stage said of one tree.
type reading struct {
	stage, tree string
	blockers    []string // ids of its P1 findings
	replaced    []string // ids of earlier findings that these supersede
}

// Registry holds every blocking finding that was ever filed, the closed ones too,
// and what each reading said. It is a value: Read returns a new one. The zero value
// is empty.
type Registry struct {
	records  []Record
	readings []reading
}

// Read folds in what a judging stage said of a tree. The code is empty, or says
// which rule the reading breaks:
//
//   - severity_downgraded_without_change: a blocker of exactly this tree is gone, or
//     no longer blocks;
//   - finding_protocol_failure: a closed finding is filed again, or a new one after
//     this stage has closed some, without an evidence reference that is new. Such a
//     loop could be kept alive for ever.
//
// A blocking finding that supersedes an open one of its stage is the same objection
// under another id: neither is the old one gone, nor the new one new.
func (r Registry) Read(stage, tree string, findings []outcome.Finding) (Registry, outcome.Code) {
	blocking := outcome.Blocking(findings)
	now := reading{stage: stage, tree: tree}
	for _, f := range blocking {
		now.blockers = append(now.blockers, f.ID)
	}
	now.replaced = r.superseded(stage, now.blockers, blocking)
	code := outcome.Code("")
	switch {
	case r.downgrades(now):
		code = outcome.SeverityDowngraded
	case !r.proven(now, blocking):
		code = outcome.FindingProtocolFailure
	}
	next := Registry{records: slices.Clone(r.records), readings: append(slices.Clip(r.readings), now)}
	next.close(now)
	for _, f := range blocking {
		next.replace(stage, f, now.replaced)
		next.file(stage, tree, f)
	}
	return next, code
}

// superseded are the open objections of a stage that its new ones say to replace. An
// id that is filed again itself is not replaced, and a stage replaces only its own.
func (r Registry) superseded(stage string, filed []string, blocking []outcome.Finding) []string {
	var out []string
	for _, f := range blocking {
		for _, id := range f.Supersedes {
			if i := r.find(stage, id); i >= 0 && r.records[i].stands() && !slices.Contains(filed, id) && !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// replaces reports whether a finding goes on with an open one under another id.
func replaces(f outcome.Finding, now reading) bool {
	return slices.ContainsFunc(f.Supersedes, func(id string) bool { return slices.Contains(now.replaced, id) })
}

// downgrades reports a blocker that lost its severity although the tree it was about
// is the same, however many rounds ago that was.
func (r Registry) downgrades(now reading) bool {
	for _, before := range r.readings {
		if before.stage != now.stage || before.tree != now.tree || now.tree == "" {
			continue
		}
		for _, id := range before.blockers {
			if !slices.Contains(now.blockers, id) && !slices.Contains(now.replaced, id) && !r.renamed(now, id) {
				return true
			}
		}
	}
	return false
}

// renamed reports whether an objection goes on in this reading under the id, or the
// id of the id, that has superseded it.
func (r Registry) renamed(now reading, id string) bool {
	for range r.records {
		i := r.find(now.stage, id)
		if i < 0 || r.records[i].ReplacedBy == "" {
			return false
		}
		if id = r.records[i].ReplacedBy; slices.Contains(now.blockers, id) || slices.Contains(now.replaced, id) {
			return true
		}
	}
	return false
}

// proven holds what is filed after a closure against the evidence that was named
// before. An objection that was open all along, or that this stage had to exactly
// this tree, is neither new nor filed again.
func (r Registry) proven(now reading, blocking []outcome.Finding) bool {
	if len(r.Closed(now.stage)) == 0 {
		return true
	}
	var seen []string
	for _, rec := range r.of(now.stage) {
		seen = append(seen, rec.Proofs...)
	}
	for _, f := range blocking {
		if i := r.find(now.stage, f.ID); i >= 0 && r.records[i].stands() || r.said(now, f.ID) || i < 0 && replaces(f, now) {
			continue
		}
		fresh := func(ref string) bool { return ref != "" && !slices.Contains(seen, ref) }
		if !slices.ContainsFunc(f.EvidenceRefs, fresh) {
			return false
		}
	}
	return true
}

// said reports whether a stage has objected to exactly this tree by this id.
func (r Registry) said(now reading, id string) bool {
	return now.tree != "" && slices.ContainsFunc(r.readings, func(before reading) bool {
		return before.stage == now.stage && before.tree == now.tree && slices.Contains(before.blockers, id)
	})
}

// close marks the stage's own records that the reading no longer has.
func (r *Registry) close(now reading) {
	for i, rec := range r.records {
		if rec.Stage == now.stage && rec.stands() && !slices.Contains(now.blockers, rec.Finding.ID) && !slices.Contains(now.replaced, rec.Finding.ID) {
			r.records[i].Closed, r.records[i].ClosedBy = true, now.tree
		}
	}
}

// replace lets the objections that a finding supersedes go on under its id, with
// every evidence reference that they ever came with.
func (r *Registry) replace(stage string, f outcome.Finding, replaced []string) {
	for _, id := range f.Supersedes {
		i := r.find(stage, id)
		if i < 0 || !r.records[i].stands() || !slices.Contains(replaced, id) {
			continue
		}
		r.records[i].ReplacedBy = f.ID
	}
}

func (r *Registry) file(stage, tree string, f outcome.Finding) {
	i := r.find(stage, f.ID)
	if i < 0 {
		i = len(r.records)
		r.records = append(r.records, Record{Stage: stage})
	}
	rec := r.records[i]
	rec.Finding, rec.Tree, rec.Closed, rec.ClosedBy, rec.ReplacedBy = f, tree, false, "", ""
	rec.Proofs = slices.Clone(rec.Proofs)
	for _, ref := range f.EvidenceRefs {
		if !slices.Contains(rec.Proofs, ref) {
			rec.Proofs = append(rec.Proofs, ref)
		}
	}
	r.records[i] = rec
}

func (r Registry) find(stage, id string) int {
	return slices.IndexFunc(r.records, func(rec Record) bool { return rec.Stage == stage && rec.Finding.ID == id })
}

func (r Registry) of(stage string) []Record {
	var out []Record
	for _, rec := range r.records {
		if stage == "" || rec.Stage == stage {
			out = append(out, rec)
		}
	}
	return out
}

// Open are the objections of a stage that stand, in the order in which they were
// first filed; "" is every stage.
func (r Registry) Open(stage string) []Record {
	return slices.DeleteFunc(r.of(stage), func(rec Record) bool { return !rec.stands() })
}

// Closed are those that were filed once and are gone.
func (r Registry) Closed(stage string) []Record {
	return slices.DeleteFunc(r.of(stage), func(rec Record) bool { return !rec.Closed })
}

// Refused reports whether a stage has objected to exactly this tree.
func (r Registry) Refused(stage, tree string) bool {
	return tree != "" && slices.ContainsFunc(r.readings, func(before reading) bool {
		return before.stage == stage && before.tree == tree && len(before.blockers) > 0
	})
}
