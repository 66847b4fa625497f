package forge

// Event is what a webhook payload, or the event file of a CI job, says that
// happened. It is a hint about what to look at: everything that decides is read
// from the forge again.
type Event struct {
	Name   string `json:"name"`   // as the forge names it, e.g. "issue_comment"
	Action string `json:"action"` // e.g. "created"; "" for events without one
	Repo   Repo   `json:"repo"`
	// Number is the issue or pull request it is about, 0 when it names none or
	// more than one.
	Number        int    `json:"number"`
	IsPullRequest bool   `json:"is_pull_request"`
	Sender        User   `json:"sender"`
	Label         string `json:"label,omitempty"`
	CommentID     int64  `json:"comment_id,omitempty"`
	ReviewID      int64  `json:"review_id,omitempty"`
	// Fork: the payload shows a head outside this repository, or one that is
	// gone. False proves nothing where the payload shows no head.
	Fork          bool   `json:"fork"`
	HeadRef       string `json:"head_ref,omitempty"`
	DefaultBranch string `json:"default_branch,omitempty"`
	Conclusion    string `json:"conclusion,omitempty"` // of a workflow run or check
}
