// Package forge is the vocabulary that Warden speaks with a code forge, and the
// small interfaces it needs from one. It has no method that merges, approves,
// closes or enables auto-merge, and none may be added.
package forge

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Repo names a repository on one forge.
type Repo struct {
	Owner string `json:"owner"`
	Name  string `json:"name"`
}

// String returns "owner/name".
func (r Repo) String() string { return r.Owner + "/" + r.Name }

// User is an account. ID is the identity; a login can be renamed and reused.
// The zero User is a deleted account: it matches nobody.
type User struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Bot   bool   `json:"bot,omitempty"`
}

// Same reports whether both are the same existing account.
func (u User) Same(v User) bool { return u.ID != 0 && u.ID == v.ID }

// Issue is an issue as the forge shows it now. Title and Body are untrusted.
type Issue struct {
	Number        int        `json:"number"`
	Title         string     `json:"title"`
	Body          string     `json:"body"`
	Open          bool       `json:"open"`
	Author        User       `json:"author"`
	Labels        []string   `json:"labels"`
	IsPullRequest bool       `json:"is_pull_request"`
	URL           string     `json:"url"`
	CreatedAt     time.Time  `json:"created_at"`
	BodyEditedAt  *time.Time `json:"body_edited_at,omitempty"` // nil: never edited
	EditsUnknown  bool       `json:"edits_unknown,omitempty"`  // the forge would not say; counts as edited
}

// IssueEventKind is what happened to an issue.
type IssueEventKind string

// The events of an issue's history that decide anything here.
const (
	Labeled   IssueEventKind = "labeled"
	Unlabeled IssueEventKind = "unlabeled"
	Renamed   IssueEventKind = "renamed"
	Closed    IssueEventKind = "closed"
	Reopened  IssueEventKind = "reopened"
)

// IssueEvent is one entry of an issue's history.
type IssueEvent struct {
	ID    int64          `json:"id"`
	Kind  IssueEventKind `json:"kind"`
	Label string         `json:"label,omitempty"`
	Actor User           `json:"actor"`
	At    time.Time      `json:"at"`
}

// Comment is a comment on an issue or on a pull request's conversation.
type Comment struct {
	ID        int64     `json:"id"`
	Author    User      `json:"author"`
	Body      string    `json:"body"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	URL       string    `json:"url"`
	ViaApp    bool      `json:"via_app,omitempty"`
}

// Edited reports whether the text may differ from what was first sent.
func (c Comment) Edited() bool { return !c.UpdatedAt.Equal(c.CreatedAt) }

// PullRequest is a pull request, or a merge request.
type PullRequest struct {
	Number   int       `json:"number"`
	NodeID   string    `json:"node_id"`
	Title    string    `json:"title"`
	Body     string    `json:"body"`
	Open     bool      `json:"open"`
	Draft    bool      `json:"draft"`
	Merged   bool      `json:"merged"`
	MergedBy User      `json:"merged_by"`
	Author   User      `json:"author"`
	HeadRef  string    `json:"head_ref"`
	HeadSHA  string    `json:"head_sha"`
	HeadRepo string    `json:"head_repo"` // "" when the fork is gone
	BaseRef  string    `json:"base_ref"`
	BaseSHA  string    `json:"base_sha"`
	URL      string    `json:"url"`
	ClosedAt time.Time `json:"closed_at"`
}

// ReviewState is what a reviewer said.
type ReviewState string

// The states of a submitted review.
const (
	Approved         ReviewState = "approved"
	ChangesRequested ReviewState = "changes_requested"
	Commented        ReviewState = "commented"
	Dismissed        ReviewState = "dismissed"
)

// Review is a submitted review with its inline comments.
type Review struct {
	ID          int64           `json:"id"`
	Author      User            `json:"author"`
	State       ReviewState     `json:"state"`
	Body        string          `json:"body"`
	CommitID    string          `json:"commit_id"`
	SubmittedAt time.Time       `json:"submitted_at"`
	URL         string          `json:"url"`
	Comments    []ReviewComment `json:"comments"`
	// EditedAt is when the text was last changed after submission; nil: never.
	EditedAt *time.Time `json:"edited_at,omitempty"`
	// EditsUnknown: the forge would not say; counts as edited.
	EditsUnknown bool `json:"edits_unknown,omitempty"`
}

// ReviewComment is one inline comment. Line is the end of the range.
type ReviewComment struct {
	ID        int64  `json:"id"`
	Path      string `json:"path"`
	Line      int    `json:"line"`
	StartLine int    `json:"start_line,omitempty"`
	Side      string `json:"side"`
	DiffHunk  string `json:"diff_hunk"`
	Body      string `json:"body"`
	CommitID  string `json:"commit_id"`
}

// Permission is a person's standing in a repository, now.
type Permission string

// Permissions in rising order. A word that the forge uses and we do not know
// reads as None.
const (
	None     Permission = "none"
	Read     Permission = "read"
	Triage   Permission = "triage"
	Write    Permission = "write"
	Maintain Permission = "maintain"
	Admin    Permission = "admin"
)

// AtLeast reports whether p grants everything that want grants.
func (p Permission) AtLeast(want Permission) bool {
	return rank(p) >= rank(want) && rank(want) > 0
}

func rank(p Permission) int {
	switch p {
	case Read:
		return 1
	case Triage:
		return 2
	case Write:
		return 3
	case Maintain:
		return 4
	case Admin:
		return 5
	}
	return 0
}

// CheckState is where a check stands. Waiting is shown as in progress: a forge
// counts neutral and skipped as passed, so neither is used.
type CheckState string

// The states that Warden gives its check.
const (
	CheckWaiting CheckState = "in_progress"
	CheckSuccess CheckState = "success"
	CheckFailure CheckState = "failure"
)

// Annotation points at a line of the candidate.
type Annotation struct {
	Path    string
	Line    int
	Level   string // "failure", "warning" or "notice"
	Title   string
	Message string
}

// Check is the check run, or commit status, that stands for the human gate.
type Check struct {
	ID          int64 // 0 creates one
	Name        string
	HeadSHA     string
	State       CheckState
	Title       string
	Summary     string
	ExternalID  string
	Annotations []Annotation
}

// NewPullRequest asks for a draft pull request.
type NewPullRequest struct {
	Title, Body, HeadRef, BaseRef string
}

// Reader reads what a decision is made from. Every method reads all pages.
// Implementations are safe for concurrent use.
type Reader interface {
	// Self is the account that our own writes carry.
	Self(ctx context.Context) (User, error)
	// DefaultBranch returns the name of the default branch.
	DefaultBranch(ctx context.Context) (string, error)
	// Issue returns the issue, or ErrNotFound.
	Issue(ctx context.Context, number int) (Issue, error)
	// IssueEvents returns the issue's history, oldest first.
	IssueEvents(ctx context.Context, number int) ([]IssueEvent, error)
	// Comments returns the comments on an issue or pull request, oldest first.
	Comments(ctx context.Context, number int) ([]Comment, error)
	// PullRequest returns one pull request, or ErrNotFound.
	PullRequest(ctx context.Context, number int) (PullRequest, error)
	// PullRequests returns those whose head is this branch of this repository,
	// open and closed, newest first.
	PullRequests(ctx context.Context, branch string) ([]PullRequest, error)
	// Reviews returns the submitted reviews with inline comments, oldest first.
	Reviews(ctx context.Context, number int) ([]Review, error)
	// Permission returns what the user may do now; None for a stranger.
	Permission(ctx context.Context, user User) (Permission, error)
	// OpenIssues returns the numbers of open issues that carry the label.
	OpenIssues(ctx context.Context, label string) ([]int, error)
	// Checks returns the check runs of that name on a commit, newest first.
	Checks(ctx context.Context, sha, name string) ([]Check, error)
}

// Commit is one commit of a pull request. An account that the forge does not know
// is the zero User.
type Commit struct {
	SHA       string `json:"sha"`
	Author    User   `json:"author"`
	Committer User   `json:"committer"`
}

// Historian is a forge that tells whose commits a pull request holds. Complete is
// false where the forge shows a part of them only.
type Historian interface {
	Commits(ctx context.Context, number int) (commits []Commit, complete bool, err error)
}

// Writer changes what people see. No method repeats a write by itself after an
// answer that may have taken effect.
type Writer interface {
	CreateComment(ctx context.Context, number int, body string) (Comment, error)
	UpdateComment(ctx context.Context, id int64, body string) (Comment, error)
	// OpenDraft opens a draft. ErrDraftsUnsupported when the plan has none,
	// ErrConflict when one is open for that branch.
	OpenDraft(ctx context.Context, pr NewPullRequest) (PullRequest, error)
	// OpenPull opens one that is no draft, for forges without drafts.
	OpenPull(ctx context.Context, pr NewPullRequest) (PullRequest, error)
	UpdatePull(ctx context.Context, number int, title, body string) (PullRequest, error)
	// SetDraft turns a pull request into a draft, or ready. ErrForbidden where
	// the token may not.
	SetDraft(ctx context.Context, pr PullRequest, draft bool) error
	// SetCheck creates the check, or updates it when ID is set.
	SetCheck(ctx context.Context, check Check) (Check, error)
	RequestReview(ctx context.Context, number int, login string) error
}

// Forge is a Reader and a Writer of one repository.
type Forge interface {
	Reader
	Writer
}

// Errors that a caller branches on. Unsupported is errors.ErrUnsupported.
var (
	ErrNotFound          = errors.New("not found")
	ErrForbidden         = errors.New("forbidden")
	ErrConflict          = errors.New("conflict")
	ErrUnauthorized      = errors.New("credential refused")
	ErrDraftsUnsupported = errors.New("draft pull requests are not supported in this repository")
)

// RateLimitError says when to come back. Until is zero when the forge did not say.
type RateLimitError struct {
	Until     time.Time
	Secondary bool
}

// Error implements error.
func (e *RateLimitError) Error() string {
	if e.Until.IsZero() {
		return "rate limited"
	}
	return fmt.Sprintf("rate limited until %s", e.Until.UTC().Format(time.RFC3339))
}
