package reconcile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/plain"
)

// verdict is what one person said last about a candidate, by review or command.
type verdict struct {
	voice  Voice
	word   Word // Accept, Reject, or "" for a dismissed review
	commit string
	prefix bool // commit is the beginning of a hash that a person typed
	edited bool
	url    string
	place  Place
}

// lastWords returns each person's last verdict, oldest first. A review that only
// comments takes nothing back.
func (p *planner) lastWords() []verdict {
	var all []verdict
	for _, r := range p.o.Reviews {
		edited, known := p.o.ReviewEdited[r.ID]
		v := verdict{commit: r.CommitID, edited: edited || !known, url: r.URL, place: OnPull, voice: Voice{
			Actor: r.Author, Source: reviewKey(r.ID), ReviewID: r.ID, At: r.SubmittedAt,
			Note: []byte(r.Body), Inline: sortedInline(r.Comments)}}
		switch r.State {
		case forge.Approved:
			v.word = Accept
		case forge.ChangesRequested:
			v.word = Reject
		case forge.Dismissed:
		default:
			continue
		}
		all = append(all, v)
	}
	for _, a := range p.commands {
		if a.problem != "" || a.edited || a.command.Verb != VerbAccept && a.command.Verb != VerbReject {
			continue
		}
		all = append(all, verdict{word: Word(a.command.Verb), commit: a.command.SHA, prefix: true,
			url: a.url, place: a.place, voice: Voice{Actor: a.author, Source: a.key, ReviewID: a.reviewID,
				CommentID: a.commentID, At: a.at, Note: []byte(a.command.Note)}})
	}
	slices.SortStableFunc(all, func(a, b verdict) int {
		return cmp.Or(a.voice.At.Compare(b.voice.At), cmp.Compare(a.voice.ReviewID, b.voice.ReviewID),
			cmp.Compare(a.voice.CommentID, b.voice.CommentID))
	})
	last := map[int64]int{}
	for i, v := range all {
		last[v.voice.Actor.ID] = i
	}
	var out []verdict
	for i, v := range all {
		if v.voice.Actor.ID != 0 && last[v.voice.Actor.ID] == i {
			out = append(out, v)
		}
	}
	return out
}

// sortedInline puts comments on lines into an order that does not depend on pages.
func sortedInline(in []forge.ReviewComment) []forge.ReviewComment {
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b forge.ReviewComment) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.ID, b.ID))
	})
	return slices.CompactFunc(out, func(a, b forge.ReviewComment) bool { return a.ID != 0 && a.ID == b.ID })
}

// acceptFault says why an accept does not count for this run, or "".
func (p *planner) acceptFault(v verdict, r *Run, head string) Reason {
	if why := p.mayAccept(v.voice.Actor, r); why != "" {
		return why
	}
	matches := v.commit != "" && (v.commit == r.Candidate || v.prefix && len(v.commit) >= 7 && strings.HasPrefix(r.Candidate, v.commit))
	switch {
	case v.edited:
		return ReviewEdited
	case !matches && v.prefix:
		return WrongCandidate
	case !matches || head != r.Candidate:
		return StaleApproval
	case !after(v.voice.At, r.PublishedAt):
		return TooEarly
	case expired(v.voice.At, r):
		return GateExpired
	}
	return ""
}

// expired reports whether something was said when the question stood open no more.
func expired(at time.Time, r *Run) bool { return !r.ExpiresAt.IsZero() && !at.Before(r.ExpiresAt) }

// rejectFault says why a refusal does not count for this run, or "". It need not
// name the candidate: a refusal permits nothing. One of an older commit from before
// the candidate could be seen is about something else.
func (p *planner) rejectFault(v verdict, r *Run, head string) Reason {
	if why := p.standing(v.voice.Actor); why != "" {
		return why
	}
	switch {
	case v.prefix && v.voice.At.Before(r.StartedAt):
		return TooEarly
	case v.prefix:
	case v.commit != "" && (v.commit == r.Candidate || v.commit == head):
	case !after(v.voice.At, r.PublishedAt):
		return StaleRefusal
	}
	if !hasText(v.voice) {
		return TextNeeded
	}
	return ""
}

// hasText reports whether the person wrote something that can be seen. It is all
// that the next run, which costs money, would get.
func hasText(v Voice) bool {
	if !plain.Blank(string(v.Note)) {
		return true
	}
	return slices.ContainsFunc(v.Inline, func(c forge.ReviewComment) bool { return !plain.Blank(c.Body) })
}

// decision turns voices that say the same into one decision; the first is oldest,
// except for an accept, whose last voice completed it.
func decision(w Word, r *Run, voices []Voice) *Decision {
	first := voices[0]
	d := &Decision{Key: fmt.Sprintf("%s:%s:%s:%d", w, first.Source, r.ID, len(r.Decisions)), Word: w, Actor: first.Actor, Source: first.Source,
		ReviewID: first.ReviewID, CommentID: first.CommentID, Candidate: r.Candidate, At: first.At,
		Note: first.Note, Inline: first.Inline, Others: voices[1:]}
	if len(d.Others) == 0 {
		d.Others = nil
	}
	return d
}
