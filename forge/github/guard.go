package github

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
)

// ErrNeverSent is why a request was refused before it left: it would merge,
// approve or close, or it is none that this client has a use for.
var ErrNeverSent = errors.New("this client never sends such a request")

var (
	// deniedPaths merge, update a branch by merging, or say something as a review.
	deniedPaths = regexp.MustCompile(`(?i)/(merge|merges|merge-async|merge-upstream|merge-queue|auto-merge|update-branch|dismissals)(/|$)|/pulls/[^/]+/reviews(/|$)`)
	// deniedNames are the mutations that do the same.
	deniedNames = regexp.MustCompile(`(?i)\b(\w*merge\w*|approve\w*|enqueuePullRequest|dequeuePullRequest|\w*PullRequestReview\w*|closePullRequest|reopenPullRequest|updatePullRequest|updatePullRequestBranch|createCommitOnBranch|updateRefs?)\b`)
	// writes are the only changes that this client makes, below the repository.
	writes = regexp.MustCompile(`^(POST /issues/\d+/comments|PATCH /issues/comments/\d+|POST /pulls|PATCH /pulls/\d+|POST /pulls/\d+/requested_reviewers|POST /check-runs|PATCH /check-runs/\d+|POST /statuses/[0-9a-f]+)$`)
)

// guard refuses a request that may not leave. It knows the few writes there are
// and would stop any other; the denied ones are named apart, so that a widening
// of the first list cannot let them through.
func (t *transport) guard(req *http.Request, body []byte) error {
	refuse := func(why string) error {
		return fmt.Errorf("send %s %s: %s: %w", req.Method, req.URL.Path, why, ErrNeverSent)
	}
	if req.URL.String() == t.graphql.String() {
		return guardQuery(req, body, refuse)
	}
	if !sameOrigin(req.URL, t.api) {
		return refuse("the host is not the forge's")
	}
	if req.Method == http.MethodGet {
		return nil
	}
	// The path as sent and as a server may read it.
	for _, p := range []string{req.URL.Path, req.URL.EscapedPath(), path.Clean(req.URL.Path)} {
		if deniedPaths.MatchString(p) {
			return refuse("it merges, approves or dismisses")
		}
	}
	rest, below := strings.CutPrefix(req.URL.Path, strings.TrimSuffix(t.api.Path, "/")+"/repos/")
	parts := strings.SplitN(rest, "/", 3)
	if !below || len(parts) != 3 || !writes.MatchString(req.Method+" /"+parts[2]) {
		return refuse("it is no write of ours")
	}
	if req.Method == http.MethodPatch {
		var change map[string]json.RawMessage
		if err := json.Unmarshal(body, &change); err != nil {
			return refuse("its body cannot be read")
		}
		if _, has := change["state"]; has {
			return refuse("it opens or closes")
		}
	}
	return nil
}

func guardQuery(req *http.Request, body []byte, refuse func(string) error) error {
	var q struct {
		Query string `json:"query"`
	}
	if req.Method != http.MethodPost || json.Unmarshal(body, &q) != nil {
		return refuse("its query cannot be read")
	}
	if name := deniedNames.FindString(q.Query); name != "" {
		return refuse("it names " + name)
	}
	if !slices.Contains(documents, q.Query) {
		return refuse("it is no query of ours")
	}
	return nil
}
