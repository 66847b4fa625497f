package reconcile

import (
	"fmt"

	"github.com/tolboy/warden/forge"
)

// show returns what a sealed run, or a decision on it, still owes to the eyes of
// people. What the forge refused for good is not tried again.
func (p *planner) show() (Action, bool) {
	latest, success := p.latest(), p.successRun()
	for _, r := range []*Run{success, latest} {
		if r == nil || r == success && r != latest && len(r.Decisions) == 0 {
			continue
		}
		var missing []Piece
		for _, piece := range p.pieces(r) {
			if !p.settled(r, piece.Key) {
				missing = append(missing, piece)
			}
		}
		if len(missing) > 0 {
			a := Action{Kind: Publish, Key: "publish:" + missing[0].Key, Reason: ToBeShown, RunID: r.ID, Pieces: missing}
			if next, ok := p.toggleDraft(); ok && next.RunID == r.ID {
				a.Next = &next
			}
			return a, true
		}
	}
	return Action{}, false
}

// pieces lists everything that the run should have on the forge now. The number
// of decisions is part of the keys: each changes what is shown.
func (p *planner) pieces(r *Run) []Piece {
	at := len(r.Decisions)
	status := Piece{Kind: PieceStatus, Key: fmt.Sprintf("status:%s:%d", r.ID, at)}
	branch := Piece{Kind: PieceBranch, Key: "branch:" + r.ID}
	if r.Kind != GateSuccess || !r.OK || r.Candidate == "" || p.pullEnded(r) != "" || p.refused(r, branch.Key) {
		return []Piece{status}
	}
	out := []Piece{branch,
		{Kind: PiecePull, Key: fmt.Sprintf("pull:%s:%d", r.ID, at)},
		{Kind: PieceCheck, Key: fmt.Sprintf("check:%s:%s:%d", r.ID, r.Candidate, at), SHA: r.Candidate, Check: checkState(lastWord(r))},
	}
	if pull := p.openPull(r); p.moved(r, pull) {
		out = append(out, Piece{Kind: PieceCheck, Key: fmt.Sprintf("check:%s:%s:%d", r.ID, pull.HeadSHA, at),
			SHA: pull.HeadSHA, Check: forge.CheckWaiting})
	}
	out = append(out, status)
	if l := r.Labeler; l.ID != 0 && !l.Bot && l.Login != "" && !l.Same(p.o.Self) {
		out = append(out, Piece{Kind: PieceReviewRequest, Key: "review_request:" + r.ID, Login: l.Login})
	}
	return out
}

func checkState(w Word) forge.CheckState {
	switch w {
	case Accept:
		return forge.CheckSuccess
	case Reject, Abort:
		return forge.CheckFailure
	}
	return forge.CheckWaiting
}

// moved reports whether somebody else's commit is the head of the pull request.
func (p *planner) moved(r *Run, pull *forge.PullRequest) bool {
	return pull != nil && !r.PublishedAt.IsZero() && has(r.Done, "branch:"+r.ID) && pull.HeadSHA != "" &&
		pull.HeadSHA != r.Candidate && !p.awaitsHead(r, pull)
}

// toggleDraft makes the pull request ready when an accept holds, and a draft
// again when one no longer does. A person's own click is not fought over.
func (p *planner) toggleDraft() (Action, bool) {
	r := p.successRun()
	if r == nil {
		return Action{}, false
	}
	pull := p.openPull(r)
	if pull == nil {
		return Action{}, false
	}
	a := Action{RunID: r.ID}
	switch accepted := acceptedOnce(r); {
	case lastWord(r) == Accept && pull.Draft && pull.HeadSHA == r.Candidate:
		a.Kind, a.Reason, a.Key = MarkReady, AcceptHolds, fmt.Sprintf("ready:%s:%d", r.ID, len(r.Decisions))
	case lastWord(r) != Accept && accepted && !pull.Draft:
		a.Kind, a.Reason, a.Key = MarkDraft, AcceptVoid, fmt.Sprintf("draft:%s:%d", r.ID, len(r.Decisions))
	default:
		return Action{}, false
	}
	return a, !p.settled(r, a.Key)
}

func acceptedOnce(r *Run) bool {
	for _, d := range r.Decisions {
		if d.Word == Accept {
			return true
		}
	}
	return false
}
