package forgetest

import (
	"fmt"
	"strings"
)

// pull renders a pull request as lists and review payloads carry it.
func (s *Server) pull(t *ticket) object {
	n, p := t.number, t.pull
	self := s.api("/pulls/%d", n)
	links := object{}
	for key, url := range map[string]string{
		"self": self, "html": s.web("/pull/%d", n), "issue": s.api("/issues/%d", n), "comments": s.api("/issues/%d/comments", n),
		"review_comments": self + "/comments", "review_comment": s.api("/pulls/comments{/number}"), "commits": self + "/commits",
		"statuses": s.api("/statuses/%s", p.headSHA),
	} {
		links[key] = object{"href": url}
	}
	asked := []any{}
	for _, a := range p.asked {
		if u := s.user(a); u != nil {
			asked = append(asked, u)
		}
	}
	var mergeSHA any
	if p.mergeSHA != "" {
		mergeSHA = p.mergeSHA
	}
	return object{
		"url": self, "id": t.id, "node_id": t.node(), "html_url": s.web("/pull/%d", n), "diff_url": s.web("/pull/%d.diff", n),
		"patch_url": s.web("/pull/%d.patch", n), "issue_url": s.api("/issues/%d", n), "number": n, "state": t.state(), "locked": false,
		"title": t.title, "user": s.user(t.author), "body": t.body, "created_at": stamp(t.created), "updated_at": stamp(t.updated),
		"closed_at": stampOrNil(t.closed), "merged_at": stampOrNil(p.merged), "merge_commit_sha": mergeSHA,
		"assignee": nil, "assignees": []any{}, "requested_reviewers": asked, "requested_teams": []any{}, "labels": s.labels(t.labels),
		"milestone": nil, "draft": p.draft, "commits_url": self + "/commits", "review_comments_url": self + "/comments",
		"review_comment_url": s.api("/pulls/comments{/number}"), "comments_url": s.api("/issues/%d/comments", n),
		"statuses_url": s.api("/statuses/%s", p.headSHA), "head": s.pullHead(p),
		"base":   s.pullEnd(s.owner(), p.baseRef, p.baseSHA, s.repository()),
		"_links": links, "author_association": s.association(t.author), "auto_merge": nil, "active_lock_reason": nil,
	}
}

func (s *Server) pullHead(p *pull) object {
	switch {
	case p.fork == nil:
		return s.pullEnd(s.owner(), p.headRef, p.headSHA, s.repository())
	case p.forkGone:
		return s.pullEnd(p.fork, p.headRef, p.headSHA, nil)
	}
	fork := s.repository()
	old := s.opts.Repo.String()
	for k, v := range fork {
		if text, is := v.(string); is {
			fork[k] = strings.ReplaceAll(text, old, p.fork.login+"/"+s.opts.Repo.Name)
		}
	}
	fork["id"], fork["node_id"], fork["fork"], fork["owner"] = 800+p.fork.id, fmt.Sprintf("R_%d", 800+p.fork.id), true, s.user(p.fork)
	return s.pullEnd(p.fork, p.headRef, p.headSHA, fork)
}

func (s *Server) pullEnd(owner *account, ref, sha string, repo object) object {
	o := object{"label": owner.login + ":" + ref, "ref": ref, "sha": sha, "user": s.user(owner), "repo": nil}
	if repo != nil {
		o["repo"] = repo
	}
	return o
}

// fullPull renders a pull request as it is answered alone and as its own events
// carry it.
func (s *Server) fullPull(t *ticket) object {
	o := s.pull(t)
	notes := 0
	for _, r := range t.pull.reviews {
		notes += len(r.notes)
	}
	o["merged"] = t.pull.merged != nil
	o["merged_by"] = s.user(t.pull.mergedBy)
	// The real forge works these out later and says so with null.
	o["mergeable"], o["mergeable_state"], o["rebaseable"] = nil, "unknown", nil
	o["comments"] = s.issue(t)["comments"]
	o["review_comments"] = notes
	o["maintainer_can_modify"] = false
	o["commits"], o["additions"], o["deletions"], o["changed_files"] = 1, 1, 0, 1
	return o
}

func (s *Server) review(t *ticket, r *review) object {
	html := s.web("/pull/%d#pullrequestreview-%d", t.number, r.id)
	return object{
		"id": r.id, "node_id": fmt.Sprintf("PRR_%d", r.id), "user": s.user(r.author), "body": r.body, "state": r.state,
		"html_url": html, "pull_request_url": s.api("/pulls/%d", t.number), "author_association": s.association(r.author),
		"_links":       object{"html": object{"href": html}, "pull_request": object{"href": s.api("/pulls/%d", t.number)}},
		"submitted_at": stamp(r.at), "commit_id": r.commit,
	}
}

func (s *Server) note(t *ticket, n *note) object {
	html := s.web("/pull/%d#discussion_r%d", t.number, n.id)
	self := s.api("/pulls/comments/%d", n.id)
	o := object{
		"url": self, "pull_request_review_id": n.review.id, "id": n.id, "node_id": fmt.Sprintf("PRRC_%d", n.id),
		"diff_hunk": n.hunk, "path": n.path, "commit_id": n.commit, "original_commit_id": n.original, "user": s.user(n.author),
		"body": n.body, "created_at": stamp(n.at), "updated_at": stamp(n.at), "html_url": html,
		"pull_request_url": s.api("/pulls/%d", t.number), "author_association": s.association(n.author),
		"_links": object{
			"self": object{"href": self}, "html": object{"href": html}, "pull_request": object{"href": s.api("/pulls/%d", t.number)},
		},
		"reactions": s.reactions("/pulls/comments/%d/reactions", n.id), "side": n.side,
		"start_line": nil, "original_start_line": nil, "start_side": nil, "subject_type": "line",
	}
	// A position counts the lines below the first hunk's header.
	position := max(1, strings.Count(n.hunk, "\n"))
	o["position"], o["original_position"] = position, position
	if n.file {
		o["subject_type"] = "file"
		return o
	}
	o["original_line"] = n.line
	o["line"] = n.line
	if n.start != 0 {
		o["start_line"], o["original_start_line"], o["start_side"] = n.start, n.start, n.side
	}
	if n.outdated {
		o["line"], o["start_line"], o["position"] = nil, nil, nil
	}
	return o
}

func (s *Server) comment(r *remark) object {
	page := "/issues/%d#issuecomment-%d"
	if r.ticket.pull != nil {
		page = "/pull/%d#issuecomment-%d"
	}
	o := object{
		"url": s.api("/issues/comments/%d", r.id), "html_url": s.web(page, r.ticket.number, r.id),
		"issue_url": s.api("/issues/%d", r.ticket.number), "id": r.id, "node_id": fmt.Sprintf("IC_%d", r.id), "user": s.user(r.author),
		"created_at": stamp(r.created), "updated_at": stamp(r.updated), "author_association": s.association(r.author), "body": r.body,
		"reactions": s.reactions("/issues/comments/%d/reactions", r.id), "performed_via_github_app": nil,
	}
	if r.viaApp {
		o["performed_via_github_app"] = s.app()
	}
	return o
}
