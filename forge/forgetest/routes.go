package forgetest

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

type handler func(*call) reply

type route struct {
	pattern string // method and path below the API root; "" for a GraphQL operation
	needs   string // permission and level
	handle  handler
}

const repoPath = "/repos/{owner}/{repo}"

// routes is everything the server answers besides git. It is built once and
// never written to.
var routes = map[string]route{
	"repo.get":                {"GET " + repoPath, "metadata:read", (*call).getRepo},
	"collaborator.permission": {"GET " + repoPath + "/collaborators/{login}/permission", "metadata:read", (*call).getPermission},

	"issues.list":           {"GET " + repoPath + "/issues", "issues:read", (*call).listIssues},
	"issue.get":             {"GET " + repoPath + "/issues/{number}", "issues:read", (*call).getIssue},
	"issue.events":          {"GET " + repoPath + "/issues/{number}/events", "issues:read", (*call).listEvents},
	"issue.comments.list":   {"GET " + repoPath + "/issues/{number}/comments", "issues:read", (*call).listComments},
	"issue.comments.create": {"POST " + repoPath + "/issues/{number}/comments", "issues:write", (*call).createComment},
	"comment.update":        {"PATCH " + repoPath + "/issues/comments/{id}", "issues:write", (*call).updateComment},

	"pulls.list":             {"GET " + repoPath + "/pulls", "pull_requests:read", (*call).listPulls},
	"pulls.create":           {"POST " + repoPath + "/pulls", "pull_requests:write", (*call).createPull},
	"pull.get":               {"GET " + repoPath + "/pulls/{number}", "pull_requests:read", (*call).getPull},
	"pull.update":            {"PATCH " + repoPath + "/pulls/{number}", "pull_requests:write", (*call).updatePull},
	"pull.commits.list":      {"GET " + repoPath + "/pulls/{number}/commits", "pull_requests:read", (*call).listCommits},
	"pull.reviews.list":      {"GET " + repoPath + "/pulls/{number}/reviews", "pull_requests:read", (*call).listReviews},
	"pull.comments.list":     {"GET " + repoPath + "/pulls/{number}/comments", "pull_requests:read", (*call).listNotes},
	"pull.reviewers.request": {"POST " + repoPath + "/pulls/{number}/requested_reviewers", "pull_requests:write", (*call).requestReviewers},

	"checks.list":       {"GET " + repoPath + "/commits/{sha}/check-runs", "checks:read", (*call).listChecks},
	"check.create":      {"POST " + repoPath + "/check-runs", "checks:write", (*call).createCheck},
	"check.update":      {"PATCH " + repoPath + "/check-runs/{id}", "checks:write", (*call).updateCheck},
	"check.annotations": {"GET " + repoPath + "/check-runs/{id}/annotations", "checks:read", (*call).listAnnotations},
	"statuses.list":     {"GET " + repoPath + "/commits/{sha}/statuses", "statuses:read", (*call).listStatuses},
	"status.create":     {"POST " + repoPath + "/statuses/{sha}", "statuses:write", (*call).createStatus},

	"graphql.viewer":        {"", "", (*call).runQuery},
	"graphql.issue":         {"", "", (*call).runQuery},
	"graphql.pull":          {"", "", (*call).runQuery},
	"graphql.mark_ready":    {"", "", (*call).markReady},
	"graphql.convert_draft": {"", "", (*call).convertDraft},
}

// Routes returns the names of all routes, git's among them, in order.
func Routes() []string {
	names := slices.Collect(maps.Keys(routes))
	names = slices.AppendSeq(names, maps.Keys(gitRoutes))
	slices.Sort(names)
	return names
}

// route finds the route of a request, "" and nil when there is none. The path
// values are set on the request.
func (s *Server) route(r *http.Request, body []byte) (string, handler) {
	if r.Method == http.MethodPost && r.URL.Path == "/api/graphql" {
		name := graphqlRoute(body)
		return name, routes[name].handle
	}
	for name, candidate := range routes {
		method, pattern, _ := strings.Cut(candidate.pattern, " ")
		if method != r.Method || !match(r, apiPrefix+pattern) {
			continue
		}
		if r.PathValue("owner") == s.opts.Repo.Owner && r.PathValue("repo") == s.opts.Repo.Name {
			return name, candidate.handle
		}
	}
	return "", nil
}

// match compares segment by segment; {number} and {id} match digits only, so at
// most one pattern fits a path.
func match(r *http.Request, pattern string) bool {
	want, got := strings.Split(pattern, "/"), strings.Split(r.URL.EscapedPath(), "/")
	if len(want) != len(got) {
		return false
	}
	for i, w := range want {
		name, isValue := strings.CutPrefix(w, "{")
		value, err := url.PathUnescape(got[i])
		if err != nil || !isValue && w != value || value == "" && w != "" {
			return false
		}
		name = strings.TrimSuffix(name, "}")
		if isValue && (name == "number" || name == "id") && strings.Trim(value, "0123456789") != "" {
			return false
		}
		if isValue {
			r.SetPathValue(name, value)
		}
	}
	return true
}

func (c *call) number() int {
	n, err := strconv.Atoi(c.r.PathValue("number"))
	if err != nil {
		return 0 // no issue has this number
	}
	return n
}

func (c *call) id() int64 {
	n, err := strconv.ParseInt(c.r.PathValue("id"), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
