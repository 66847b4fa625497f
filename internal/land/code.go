// Package land brings an accepted candidate where its operator wants it: into a
// commit of the branch, to a remote, and before people as a pull request. It
// merges nothing and guesses no forge. Plan and the texts are pure; Performer does
// what a plan says, and nothing that a repository configures takes part.
package land

import "fmt"

// Code says how far a landing came, or why it did not begin.
type Code string

// The codes. Those of a run that is unknown, or whose candidate moved or cannot be
// looked at, are package decision's.
const (
	Planned              Code = "planned"
	Committed            Code = "committed"
	Pushed               Code = "pushed"
	PullRequestOpened    Code = "pull_request_opened"
	NotAccepted          Code = "not_accepted"
	DetachedHead         Code = "detached_head"
	NoRemote             Code = "no_remote"
	RemoteAmbiguous      Code = "remote_ambiguous"
	RefusesDefaultBranch Code = "refuses_default_branch"
	NothingToLand        Code = "nothing_to_land"
	GitCommitFailed      Code = "git_commit_failed"
	GitPushFailed        Code = "git_push_failed"
	PullRequestFailed    Code = "pull_request_failed"
	NoPullRequestCommand Code = "no_pull_request_command"
)

// RefusedError is a landing that was not begun. Nothing was changed.
type RefusedError struct {
	Code    Code
	Message string
	Hint    string
}

// Error implements error.
func (e *RefusedError) Error() string { return e.Message }

func refuse(code Code, hint, format string, args ...any) error {
	return &RefusedError{Code: code, Message: fmt.Sprintf(format, args...), Hint: hint}
}
