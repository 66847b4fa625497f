package reconcile

import (
	"time"

	"github.com/tolboy/warden/forge"
)

// Kind is what is owed. The set is closed.
type Kind string

// The kinds of action. Ignore and Nothing end a round: nothing is owed.
const (
	StartRun       Kind = "start_run"
	ContinueRun    Kind = "continue_run" // end an interrupted run as a failure gate
	RecordDecision Kind = "record_decision"
	Publish        Kind = "publish"
	MarkReady      Kind = "mark_ready"
	MarkDraft      Kind = "mark_draft"
	Stop           Kind = "stop" // ask a run in progress to stop at its next boundary
	Ask            Kind = "ask"  // say something where a person will see it, once
	Ignore         Kind = "ignore"
	Nothing        Kind = "nothing"
)

// Action is the one thing that is owed next. Key is the same for the same
// purpose, so that doing it twice can be refused; which of the other fields are
// set follows from Kind.
//
// Performing an action is: write its Key to the ledger as intended, do it, and
// fold it in. A StartRun adds a Run with Trigger = Key. A RecordDecision appends
// its Decision to the run. Publish adds each done Piece.Key to the run's Done;
// MarkReady, MarkDraft and ContinueRun add Key. What the forge refuses for good
// goes to Refused instead. A Stop adds Key to Done, or to Consumed where the run's
// ledger is another worker's to write. An Ask adds Key to Answered, an Ignore to
// Consumed.
type Action struct {
	Kind   Kind
	Key    string
	Reason Reason
	RunID  string // the run it is about; for StartRun, "" (the caller names it)

	// StartRun.
	Label     *forge.IssueEvent // the label event that authorises it
	Goal      *Goal             // nil: the goal of the run that is continued
	Continues string            // run id, or ""
	Rejection *Decision         // the words of the people who refused, verbatim
	Answer    *Decision         // the retry or switch that started it
	Head      string            // commit that is to be judged as it is, or ""

	// RecordDecision.
	Decision *Decision

	// Publish, in this order. A branch that is refused ends it: the rest shows it.
	Pieces []Piece
	// Next is the MarkReady or MarkDraft of the same run that follows if nothing
	// changes meanwhile, or nil. Its intent may be written with those of Pieces; it is
	// performed only when it is itself planned.
	Next *Action

	// Ask.
	To     forge.User
	Place  Place
	Source string // key of the act that is answered, or ""
	URL    string // where that act is, or ""
	Detail string // a commit, a word or a limit that the text needs; untrusted
}

// Goal is the issue's text as it stood when the label was put on.
type Goal struct {
	Title, Body string
	Author      forge.User
	LabelledAt  time.Time
}

// Place is where an answer belongs.
type Place string

// The places.
const (
	OnIssue Place = "issue"
	OnPull  Place = "pull_request"
)

// Word is what was decided.
type Word string

// The words. Void says that an accept no longer holds; it opens the question
// again. Merged records that somebody merged, which is no answer of ours.
const (
	Accept Word = "accept"
	Reject Word = "reject"
	Retry  Word = "retry"
	Switch Word = "switch"
	Abort  Word = "abort"
	Void   Word = "void"
	Merged Word = "merged"
)

// Decision is what a person said, bound to the candidate that they saw.
type Decision struct {
	Key       string // word, source, run and number; unique in the history of the issue
	Word      Word
	Actor     forge.User // zero where the forge does not say who
	Source    string     // "review:17", "comment:4", "pull_closed:9", "pull_merged:9"
	ReviewID  int64
	CommentID int64
	Candidate string
	At        time.Time // when the person said it
	Cause     Reason    // of a Void
	Voids     string    // Key of the accept that a Void ends
	// Note is the person's text, byte for byte, and Inline the comments on lines.
	Note   []byte
	Inline []forge.ReviewComment
	// Others said the same of the same candidate at the same time.
	Others []Voice
}

// Voice is one more person behind a decision.
type Voice struct {
	Actor     forge.User
	Source    string
	ReviewID  int64
	CommentID int64
	At        time.Time
	Note      []byte
	Inline    []forge.ReviewComment
}

// sources returns the keys of every act that the decision used up.
func (d Decision) sources() []string {
	out := []string{d.Source}
	for _, v := range d.Others {
		out = append(out, v.Source)
	}
	return out
}

// PieceKind is one thing that is shown on the forge.
type PieceKind string

// The pieces, in the order in which they are made.
const (
	PieceBranch        PieceKind = "branch"
	PiecePull          PieceKind = "pull_request"
	PieceCheck         PieceKind = "check"
	PieceStatus        PieceKind = "status_comment"
	PieceReviewRequest PieceKind = "review_request"
)

// Piece is one thing to show. SHA and Check are set for a check.
type Piece struct {
	Kind  PieceKind
	Key   string
	SHA   string
	Check forge.CheckState
	Login string // whom to ask for a review
}
