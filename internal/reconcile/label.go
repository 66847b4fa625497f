package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
)

func sortedEvents(events []forge.IssueEvent) []forge.IssueEvent {
	out := slices.Clone(events)
	slices.SortStableFunc(out, func(a, b forge.IssueEvent) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID))
	})
	return out
}

func (p *planner) isOurs(label string) bool {
	return p.o.Config.Label != "" && strings.EqualFold(label, p.o.Config.Label)
}

func (p *planner) labelOn() bool { return slices.ContainsFunc(p.o.Issue.Labels, p.isOurs) }

// labelEvent returns the event that put the label on for the time that it is on
// now. A second event without a removal in between is the same wish.
func (p *planner) labelEvent() *forge.IssueEvent {
	if !p.labelOn() {
		return nil
	}
	var current *forge.IssueEvent
	for _, e := range p.events {
		switch {
		case !p.isOurs(e.Label):
		case e.Kind == forge.Unlabeled:
			current = nil
		case e.Kind == forge.Labeled && current == nil:
			current = &e
		}
	}
	return current
}

// stretchEnded reports whether the label was taken off after the event of this id.
func (p *planner) stretchEnded(id int64) bool {
	if id == 0 {
		return false
	}
	on := false
	for _, e := range p.events {
		if e.ID == id {
			on = true
		}
		if on && e.Kind == forge.Unlabeled && p.isOurs(e.Label) {
			return true
		}
	}
	return false
}

func labelKey(id int64) string { return fmt.Sprintf("label:%d", id) }

// textChanged says whether the issue's text may differ from what it was when the
// label was put on. The issue's own time of update says nothing: the label moved
// it. A time that is missing, or the same second, counts as changed.
func (p *planner) textChanged(e *forge.IssueEvent) Reason {
	if e.At.IsZero() || p.o.Issue.EditsUnknown {
		return EditsUnknown
	}
	notBefore := func(t time.Time) bool { return t.IsZero() || !t.Before(e.At) }
	if edited := p.o.Issue.BodyEditedAt; edited != nil && notBefore(*edited) {
		return TextEdited
	}
	for _, other := range p.events {
		if other.Kind == forge.Renamed && notBefore(other.At) {
			return TextEdited
		}
	}
	return ""
}

// labelUsed reports whether a run has this label event already.
func (p *planner) labelUsed(id int64) bool {
	return slices.ContainsFunc(p.o.Runs, func(r Run) bool { return r.LabelEventID == id })
}
