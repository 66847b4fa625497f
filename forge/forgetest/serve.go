package forgetest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

const (
	maxRequest = 25 << 20
	apiPrefix  = "/api/v3"
)

// call is one API request while it is answered, under the server's lock.
type call struct {
	*Server
	r     *http.Request
	body  []byte
	token Token
	who   *account
}

// reply is what a route answers: a status and a value for JSON, or nil.
type reply struct {
	status int
	value  any
	header http.Header
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	prefix := "/" + s.opts.Repo.String() + ".git/"
	if len(r.URL.Path) >= len(prefix) && strings.EqualFold(r.URL.Path[:len(prefix)], prefix) {
		s.serveGit(w, r, r.URL.Path[len(prefix):])
		return
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err != nil {
		http.Error(w, "the request is too large", http.StatusRequestEntityTooLarge)
		return
	}
	name, handle := s.route(r, body)
	token, who := s.token(bearer(r))
	rep := s.answerAPI(r, body, name, handle, token, who)
	out := newAnswer()
	rep.write(out)
	s.validate(r, body, name, out)
	s.keep(Request{
		Route: name, Method: r.Method, Path: r.URL.RequestURI(), Auth: who != nil, Body: body, Status: out.status,
	})
	out.send(w)
}

func (s *Server) validate(r *http.Request, body []byte, name string, out *answer) {
	if s.opts.Validate == nil || name == "" || strings.HasPrefix(name, "graphql.") || s.dropped(name) != 0 {
		return
	}
	if err := s.opts.Validate(r, body, out.status, out.header, out.body.Bytes()); err != nil {
		s.violate(NotDescribed, fmt.Sprintf("%s: %v", describe(r), err))
	}
}

func (s *Server) answerAPI(r *http.Request, body []byte, name string, handle handler, token Token, who *account) reply {
	s.mu.Lock()
	defer s.mu.Unlock()
	if act := forbiddenAct(r, body); act != "" {
		s.breach(ForbiddenAct, describe(r)+": "+act)
		return fail(http.StatusMethodNotAllowed, "Method Not Allowed")
	}
	if handle == nil {
		s.breach(UnknownRoute, describe(r))
		return fail(http.StatusNotFound, "Not Found")
	}
	if who == nil {
		s.breach(BadCredential, describe(r)+": no credential that is known")
		return fail(http.StatusUnauthorized, "Bad credentials")
	}
	if status := s.opts.Drop[name]; status != 0 {
		return fail(status, "dropped by the test")
	}
	if rep, limited := s.limited(); limited {
		return rep
	}
	if r.Method == http.MethodGet && s.opts.Faults.FailGets > 0 {
		s.opts.Faults.FailGets--
		return fail(http.StatusBadGateway, "Server Error")
	}
	if need := routes[name].needs; need != "" {
		area, level, _ := strings.Cut(need, ":")
		if !grants(token, area, level) {
			return fail(http.StatusForbidden, "Resource not accessible by integration")
		}
	}
	return handle(&call{Server: s, r: r, body: body, token: token, who: who})
}

func (s *Server) limited() (reply, bool) {
	f := &s.opts.Faults
	if f.RateLimits <= 0 {
		return reply{}, false
	}
	f.RateLimits--
	status := f.RateLimitStatus
	if status == 0 {
		status = http.StatusForbidden
	}
	if f.Secondary {
		rep := fail(status, "You have exceeded a secondary rate limit. Please wait a few minutes before you try again.")
		rep.value.(map[string]any)["documentation_url"] = "https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"
		rep.header = http.Header{"Retry-After": {"60"}}
		return rep, true
	}
	rep := fail(status, "API rate limit exceeded for installation ID 1.")
	reset := s.opts.Clock().Unix() + 600
	rep.header = http.Header{}
	for k, v := range map[string]string{"Limit": "1000", "Remaining": "0", "Used": "1000", "Reset": strconv.FormatInt(reset, 10)} {
		rep.header.Set("X-RateLimit-"+k, v)
	}
	return rep, true
}

func (s *Server) dropped(route string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Drop[route]
}

func bearer(r *http.Request) string {
	scheme, value, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	if strings.EqualFold(scheme, "Bearer") || strings.EqualFold(scheme, "token") {
		return value
	}
	return ""
}

// token finds the credential and the account it acts as, nil when unknown.
func (s *Server) token(value string) (Token, *account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.opts.Tokens {
		if t.Value == value {
			who, err := s.account(t.Login)
			if err != nil {
				return Token{}, nil
			}
			return t, who
		}
	}
	return Token{}, nil
}

func grants(t Token, area, level string) bool {
	p := t.Permissions
	if p == nil {
		p = DefaultPermissions()
	}
	return p[area] == "write" || p[area] == level
}

var (
	actPaths = regexp.MustCompile(`(?i)/(merge|merges|merge-async|merge-upstream|merge-queue|update-branch|dismissals|auto-merge)$|/pulls/\d+/reviews(/\d+(/events)?)?$`)
	actNames = regexp.MustCompile(`(?i)\b(mergePullRequest|mergeBranch|enablePullRequestAutoMerge|enqueuePullRequest|addPullRequestReview\w*|submitPullRequestReview|dismissPullRequestReview|updatePullRequestReview\w*|closePullRequest|updatePullRequest|updatePullRequestBranch|approve\w*)\b`)
)

// forbiddenAct names what no bot of ours may try, "" for anything else.
func forbiddenAct(r *http.Request, body []byte) string {
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		return ""
	}
	if m := actPaths.FindString(r.URL.Path); m != "" {
		return "it merges, approves or dismisses"
	}
	if strings.HasSuffix(r.URL.Path, "/graphql") {
		if m := actNames.Find(body); m != nil {
			return "mutation " + string(m)
		}
		return ""
	}
	var change struct{ State *string }
	if r.Method == http.MethodPatch && json.Unmarshal(body, &change) == nil && change.State != nil {
		return "it sets a state"
	}
	return ""
}

func (r reply) write(w http.ResponseWriter) {
	for k, v := range r.header {
		w.Header()[k] = v
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("X-GitHub-Media-Type", "github.v3; format=json")
	w.WriteHeader(r.status)
	if r.value != nil {
		// A value of maps, slices and scalars always has a JSON form.
		_ = json.NewEncoder(w).Encode(r.value)
	}
}

func ok(value any) reply      { return reply{status: http.StatusOK, value: value} }
func created(value any) reply { return reply{status: http.StatusCreated, value: value} }

func fail(status int, message string) reply {
	return reply{status: status, value: map[string]any{
		"message": message, "documentation_url": "https://docs.github.com/rest", "status": strconv.Itoa(status),
	}}
}

// invalid is a 422 with one entry in its list of errors.
func invalid(resource, field, text string) reply {
	rep := fail(http.StatusUnprocessableEntity, "Validation Failed")
	entry := map[string]any{"resource": resource, "code": "custom", "message": text}
	if field != "" {
		entry["field"] = field
	}
	rep.value.(map[string]any)["errors"] = []any{entry}
	return rep
}

func notFound() reply { return fail(http.StatusNotFound, "Not Found") }
