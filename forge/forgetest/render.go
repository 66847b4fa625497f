package forgetest

import (
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
)

type object = map[string]any

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

func stampOrNil(t *time.Time) any {
	if t == nil {
		return nil
	}
	return stamp(*t)
}

func (s *Server) api(format string, args ...any) string {
	return s.url + apiPrefix + "/repos/" + s.opts.Repo.String() + fmt.Sprintf(format, args...)
}

func (s *Server) web(format string, args ...any) string {
	return s.url + "/" + s.opts.Repo.String() + fmt.Sprintf(format, args...)
}

// user renders an account; a deleted one is null.
func (s *Server) user(a *account) any {
	if a == nil || a.gone {
		return nil
	}
	kind := "User"
	if a.bot {
		kind = "Bot"
	}
	url := s.url + apiPrefix + "/users/" + strings.NewReplacer("[", "%5B", "]", "%5D").Replace(a.login)
	o := object{
		"login": a.login, "id": a.id, "node_id": fmt.Sprintf("U_%d", a.id), "gravatar_id": "",
		"avatar_url": fmt.Sprintf("%s/avatars/%d", s.url, a.id), "url": url, "html_url": s.url + "/" + strings.TrimSuffix(a.login, "[bot]"),
		"type": kind, "site_admin": false, "user_view_type": "public",
	}
	for key, tail := range map[string]string{
		"followers_url": "/followers", "following_url": "/following{/other_user}", "gists_url": "/gists{/gist_id}",
		"starred_url": "/starred{/owner}{/repo}", "subscriptions_url": "/subscriptions", "organizations_url": "/orgs",
		"repos_url": "/repos", "events_url": "/events{/privacy}", "received_events_url": "/received_events",
	} {
		o[key] = url + tail
	}
	return o
}

func (s *Server) owner() *account {
	return &account{id: 900, login: s.opts.Repo.Owner, role: forge.Admin}
}

var repoLinks = map[string]string{
	"archive_url": "/{archive_format}{/ref}", "assignees_url": "/assignees{/user}", "blobs_url": "/git/blobs{/sha}",
	"branches_url": "/branches{/branch}", "collaborators_url": "/collaborators{/collaborator}", "comments_url": "/comments{/number}",
	"commits_url": "/commits{/sha}", "compare_url": "/compare/{base}...{head}", "contents_url": "/contents/{+path}",
	"contributors_url": "/contributors", "deployments_url": "/deployments", "downloads_url": "/downloads", "events_url": "/events",
	"forks_url": "/forks", "git_commits_url": "/git/commits{/sha}", "git_refs_url": "/git/refs{/sha}", "git_tags_url": "/git/tags{/sha}",
	"hooks_url": "/hooks", "issue_comment_url": "/issues/comments{/number}", "issue_events_url": "/issues/events{/number}",
	"issues_url": "/issues{/number}", "keys_url": "/keys{/key_id}", "labels_url": "/labels{/name}", "languages_url": "/languages",
	"merges_url": "/merges", "milestones_url": "/milestones{/number}", "notifications_url": "/notifications{?since,all,participating}",
	"pulls_url": "/pulls{/number}", "releases_url": "/releases{/id}", "stargazers_url": "/stargazers", "statuses_url": "/statuses/{sha}",
	"subscribers_url": "/subscribers", "subscription_url": "/subscription", "tags_url": "/tags", "teams_url": "/teams",
	"trees_url": "/git/trees{/sha}",
}

// repository renders the repository as it stands inside other objects and
// payloads.
func (s *Server) repository() object {
	open := 0
	for _, t := range s.tickets {
		if t.open {
			open++
		}
	}
	o := object{
		"id": 700, "node_id": "R_700", "name": s.opts.Repo.Name, "full_name": s.opts.Repo.String(), "private": true,
		"owner": s.user(s.owner()), "html_url": s.web(""), "description": nil, "fork": false, "url": s.api(""),
		"created_at": stamp(s.created), "updated_at": stamp(s.created), "pushed_at": stamp(s.created),
		"git_url": strings.Replace(s.CloneURL(), "http:", "git:", 1), "ssh_url": "git@127.0.0.1:" + s.opts.Repo.String() + ".git",
		"clone_url": s.CloneURL(), "svn_url": s.web(""), "homepage": nil, "size": 1, "stargazers_count": 0, "watchers_count": 0,
		"language": nil, "has_issues": true, "has_projects": false, "has_downloads": false, "has_wiki": false, "has_pages": false,
		"has_discussions": false, "forks_count": 0, "mirror_url": nil, "archived": false, "disabled": false, "open_issues_count": open,
		"license": nil, "forks": 0, "open_issues": open, "watchers": 0, "default_branch": s.opts.DefaultBranch,
		"is_template": false, "topics": []any{}, "visibility": "private", "web_commit_signoff_required": false,
	}
	for key, tail := range repoLinks {
		o[key] = s.api("%s", tail)
	}
	return o
}

func (s *Server) label(name string) object {
	h := fnv.New32a()
	_, _ = h.Write([]byte(strings.ToLower(name))) // a hash never fails
	id := int64(h.Sum32())
	return object{
		"id": id, "node_id": fmt.Sprintf("LA_%d", id), "url": s.api("/labels/%s", strings.ReplaceAll(name, " ", "%20")),
		"name": name, "color": "ededed", "default": false, "description": nil,
	}
}

func (s *Server) labels(names []string) []any {
	out := make([]any, 0, len(names))
	for _, n := range names {
		out = append(out, s.label(n))
	}
	return out
}

// app renders the App behind the bot's token.
func (s *Server) app() object {
	return object{
		"id": 15368, "slug": "github-actions", "node_id": "A_15368", "client_id": "Iv1.05c79e9ad1f6bdfa", "owner": s.user(s.owner()),
		"name": "GitHub Actions", "description": "Automate your workflow", "external_url": "https://help.github.com/en/actions",
		"html_url": s.url + "/apps/github-actions", "created_at": stamp(s.created), "updated_at": stamp(s.created),
		"permissions": DefaultPermissions(), "events": []any{},
	}
}

func (s *Server) association(a *account) string {
	switch {
	case a == nil || a.gone:
		return "NONE"
	case a.role.AtLeast(forge.Read):
		return "COLLABORATOR"
	}
	return "NONE"
}

func (s *Server) issue(t *ticket) object {
	n := t.number
	comments := 0
	for _, r := range s.remarks {
		if r.ticket == t {
			comments++
		}
	}
	o := object{
		"url": s.api("/issues/%d", n), "repository_url": s.api(""), "labels_url": s.api("/issues/%d/labels{/name}", n),
		"comments_url": s.api("/issues/%d/comments", n), "events_url": s.api("/issues/%d/events", n), "html_url": s.web("/issues/%d", n),
		"id": t.id, "node_id": t.node(), "number": n, "title": t.title, "user": s.user(t.author), "labels": s.labels(t.labels),
		"state": t.state(), "locked": false, "assignee": nil, "assignees": []any{}, "milestone": nil, "comments": comments,
		"created_at": stamp(t.created), "updated_at": stamp(t.updated), "closed_at": stampOrNil(t.closed),
		"author_association": s.association(t.author), "active_lock_reason": nil, "body": t.body,
		"performed_via_github_app": nil, "reactions": s.reactions("/issues/%d/reactions", n), "timeline_url": s.api("/issues/%d/timeline", n),
	}
	if t.pull != nil {
		o["html_url"] = s.web("/pull/%d", n)
		o["draft"] = t.pull.draft
		o["pull_request"] = object{
			"url": s.api("/pulls/%d", n), "html_url": s.web("/pull/%d", n), "diff_url": s.web("/pull/%d.diff", n),
			"patch_url": s.web("/pull/%d.patch", n), "merged_at": stampOrNil(t.pull.merged),
		}
	}
	return o
}

func (s *Server) reactions(format string, args ...any) object {
	o := object{"url": s.api(format, args...), "total_count": 0}
	for _, k := range []string{"+1", "-1", "laugh", "hooray", "confused", "heart", "rocket", "eyes"} {
		o[k] = 0
	}
	return o
}

func (t *ticket) node() string {
	if t.pull != nil {
		return fmt.Sprintf("PR_%d", t.id)
	}
	return fmt.Sprintf("I_%d", t.id)
}

func (t *ticket) state() string {
	if t.open {
		return "open"
	}
	return "closed"
}
