package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/tolboy/warden/forge"
)

// maxEvent is the largest payload that GitHub sends.
const maxEvent = 25 << 20

type wireUser struct {
	ID    int64  `json:"id"`
	Login string `json:"login"`
	Type  string `json:"type"`
}

type wireRepo struct {
	ID            int64  `json:"id"`
	Name          string `json:"name"`
	FullName      string `json:"full_name"`
	DefaultBranch string `json:"default_branch"`
}

type wireEnd struct {
	Ref  string    `json:"ref"`
	Repo *wireRepo `json:"repo"`
}

type wirePull struct {
	Number int      `json:"number"`
	Head   *wireEnd `json:"head"`
	Base   *wireEnd `json:"base"`
}

// wireEvent is what is read of any payload. go-github's own types lack parts of
// it and refuse events that they do not know.
type wireEvent struct {
	Action     string    `json:"action"`
	Sender     *wireUser `json:"sender"`
	Repository *wireRepo `json:"repository"`
	Label      *struct {
		Name string `json:"name"`
	} `json:"label"`
	Issue *struct {
		Number      int             `json:"number"`
		PullRequest json.RawMessage `json:"pull_request"`
	} `json:"issue"`
	PullRequest *wirePull `json:"pull_request"`
	Comment     *struct {
		ID       int64 `json:"id"`
		ReviewID int64 `json:"pull_request_review_id"`
	} `json:"comment"`
	Review *struct {
		ID int64 `json:"id"`
	} `json:"review"`
	CheckRun *struct {
		Conclusion   string     `json:"conclusion"`
		PullRequests []wirePull `json:"pull_requests"`
	} `json:"check_run"`
	WorkflowRun *struct {
		Conclusion     string     `json:"conclusion"`
		HeadBranch     string     `json:"head_branch"`
		HeadRepository *wireRepo  `json:"head_repository"`
		PullRequests   []wirePull `json:"pull_requests"`
	} `json:"workflow_run"`
}

// needs is what a payload of each known event must be about.
var needs = map[string]string{
	"issues": "issue", "issue_comment": "issue", "pull_request": "pull_request", "pull_request_target": "pull_request",
	"pull_request_review": "pull_request", "pull_request_review_comment": "pull_request", "pull_request_review_thread": "pull_request",
	"check_run": "", "workflow_run": "", "workflow_dispatch": "", "repository_dispatch": "", "schedule": "", "push": "", "label": "",
	"ping": "", "installation": "", "installation_repositories": "",
}

// ParseEvent reads a webhook payload or the event file of a job. An event that
// is not known comes back with its name only; a payload that is not one of its
// event is an error.
func ParseEvent(name string, body []byte) (forge.Event, error) {
	out := forge.Event{Name: name}
	need, known := needs[name]
	if !known {
		return out, nil
	}
	none := forge.Event{Name: name}
	if len(body) > maxEvent {
		return none, fmt.Errorf("parse event %q: %d bytes are more than GitHub sends", name, len(body))
	}
	var w wireEvent
	if err := json.Unmarshal(body, &w); err != nil {
		return none, fmt.Errorf("parse event %q: %w", name, err)
	}
	if err := w.fill(&out); err != nil {
		return none, fmt.Errorf("parse event %q: %w", name, err)
	}
	if need == "issue" && w.Issue == nil || need == "pull_request" && w.PullRequest == nil {
		return none, fmt.Errorf("parse event %q: it has no %s", name, need)
	}
	if need != "" && (out.Number == 0 || out.Repo == forge.Repo{}) {
		return none, fmt.Errorf("parse event %q: it names no number or no repository", name)
	}
	return out, nil
}

func (w *wireEvent) fill(out *forge.Event) error {
	out.Action = w.Action
	if w.Sender != nil {
		out.Sender = forge.User{ID: w.Sender.ID, Login: w.Sender.Login, Bot: isBot(w.Sender.Type, w.Sender.Login)}
	}
	if w.Repository != nil {
		owner, repo, _ := strings.Cut(w.Repository.FullName, "/")
		if owner == "" || repo == "" || strings.Contains(repo, "/") {
			return fmt.Errorf("repository %q is no name", w.Repository.FullName)
		}
		out.Repo = forge.Repo{Owner: owner, Name: repo}
		out.DefaultBranch = w.Repository.DefaultBranch
	}
	if w.Label != nil {
		out.Label = w.Label.Name
	}
	if w.Comment != nil {
		out.CommentID, out.ReviewID = w.Comment.ID, w.Comment.ReviewID
	}
	if w.Review != nil {
		out.ReviewID = w.Review.ID
	}
	return w.subject(out)
}

// subject finds the issue or pull request that the event is about.
func (w *wireEvent) subject(out *forge.Event) error {
	switch {
	case w.PullRequest != nil:
		out.Number, out.IsPullRequest = w.PullRequest.Number, true
		if head := w.PullRequest.Head; head != nil {
			out.HeadRef, out.Fork = head.Ref, w.foreign(head.Repo)
		}
	case w.Issue != nil:
		out.Number = w.Issue.Number
		out.IsPullRequest = len(w.Issue.PullRequest) > 0 && string(w.Issue.PullRequest) != "null"
	case w.WorkflowRun != nil:
		out.Conclusion, out.HeadRef = w.WorkflowRun.Conclusion, w.WorkflowRun.HeadBranch
		out.Fork = w.foreign(w.WorkflowRun.HeadRepository)
		out.Number, out.IsPullRequest = w.only(w.WorkflowRun.PullRequests)
	case w.CheckRun != nil:
		out.Conclusion = w.CheckRun.Conclusion
		out.Number, out.IsPullRequest = w.only(w.CheckRun.PullRequests)
	default:
		return nil
	}
	if out.Number < 0 {
		return errors.New("a number is negative")
	}
	return nil
}

// foreign reports whether a head is not in the event's repository. One that is
// gone was a fork's.
func (w *wireEvent) foreign(head *wireRepo) bool {
	return head == nil || w.Repository == nil || head.ID != w.Repository.ID
}

// only is the number of the one pull request of a run, 0 when there are several
// or it belongs to another repository of the network.
func (w *wireEvent) only(pulls []wirePull) (number int, is bool) {
	if len(pulls) != 1 {
		return 0, false
	}
	if base := pulls[0].Base; base != nil && w.foreign(base.Repo) {
		return 0, false
	}
	return pulls[0].Number, pulls[0].Number > 0
}
