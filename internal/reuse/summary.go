package reuse

import (
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/workflow"
)

// summary is what an earlier run says of its stages.
type summary struct {
	ended   bool
	reason  outcome.Code
	tree    string                     // that the run left
	last    map[string]ledger.RoleRun  // by stage: its last word in its own turn
	retired map[string]bool            // stages whose word a repair made void
	written map[string]*ledger.RoleRun // by role: the last repair, where there was one
	heard   []ledger.RoleRun           // every reading of a stage, in order
}

func summarise(h ledger.History) (summary, error) {
	s := summary{last: map[string]ledger.RoleRun{}, retired: map[string]bool{}, written: map[string]*ledger.RoleRun{}}
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			return s, err
		}
		switch v := p.(type) {
		case *ledger.RoleRun:
			s.role(*v)
		case *ledger.GateRun:
			s.saw(v.Candidate)
		case *ledger.VisualRun:
			s.saw(v.Candidate)
		case *ledger.Ending:
			s.ended, s.reason = true, v.Code
		}
	}
	return s, nil
}

func (s *summary) saw(tree string) {
	if tree != "" {
		s.tree = tree
	}
}

func (s *summary) role(r ledger.RoleRun) {
	s.saw(r.Candidate)
	if r.DryRun {
		return
	}
	if r.Fix || r.Stage == "" {
		s.written[r.Role] = &r
		for stage := range s.last {
			s.retired[stage] = true
		}
		return
	}
	s.last[r.Stage] = r
	delete(s.retired, r.Stage)
	s.heard = append(s.heard, r)
}

// registry folds in what the stages objected to whose terms are the same, so that the
// same reader is held to its word over the same bytes.
func (s summary) registry(steps []workflow.Step, t Terms) workflow.Registry {
	var r workflow.Registry
	for _, row := range s.heard {
		for _, step := range steps {
			if step.Name != row.Stage || step.OnFindings == workflow.RouteNone || !row.OK || row.Candidate == "" ||
				row.RoleContract == "" || row.RoleContract != t.Role(step, row.Profile) {
				continue
			}
			r, _ = r.Read(step.Name, row.Candidate, row.Findings)
		}
	}
	return r
}

// Newest is the run whose verdicts count among runs that continue each other, newest
// first: one that ended before it asked anybody, because of the world around it, has
// none of its own and takes none away.
func Newest(runs []ledger.History) *ledger.History {
	for i := range runs {
		s, err := summarise(runs[i])
		if i == len(runs)-1 || err != nil || len(s.last)+len(s.written) > 0 || !AboutTheWorld(s.reason) {
			return &runs[i]
		}
	}
	return nil
}
