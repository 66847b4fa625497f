package github

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
)

func TestErrors(t *testing.T) {
	t.Parallel()
	header := func(kv ...string) http.Header {
		h := http.Header{}
		for i := 0; i < len(kv); i += 2 {
			h.Set(kv[i], kv[i+1])
		}
		return h
	}
	message := func(text string) string { return `{"message":"` + text + `"}` }
	soon := header("Retry-After", "60")
	spent := header("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "4102444800")
	for name, c := range map[string]struct {
		status int
		header http.Header
		body   string
		want   error // nil: none of ours
		limit  bool
	}{
		"401":                            {401, nil, message("Bad credentials"), forge.ErrUnauthorized, false},
		"403":                            {403, nil, message("Resource not accessible by integration"), forge.ErrForbidden, false},
		"403 without a body":             {403, nil, ``, forge.ErrForbidden, false},
		"403 spent":                      {403, spent, message("API rate limit exceeded"), nil, true},
		"403 secondary":                  {403, soon, message("You have exceeded a secondary rate limit"), nil, true},
		"403 secondary without a header": {403, nil, message("You have exceeded a secondary rate limit"), nil, true},
		"403 with a remainder":           {403, header("X-RateLimit-Remaining", "12"), message("no"), forge.ErrForbidden, false},
		"429":                            {429, nil, message("slow down"), nil, true},
		"429 spent":                      {429, spent, message("API rate limit exceeded"), nil, true},
		"429 that is no JSON":            {429, soon, `<html>`, nil, true},
		"404":                            {404, nil, message("Not Found"), forge.ErrNotFound, false},
		"410":                            {410, nil, message("This issue was deleted"), forge.ErrNotFound, false},
		"409":                            {409, nil, message("conflict"), forge.ErrConflict, false},
		"422 exists":                     {422, nil, `{"message":"Validation Failed","errors":[{"code":"custom","message":"A pull request already exists for o:b."}]}`, forge.ErrConflict, false},
		"422 exists by code":             {422, nil, `{"message":"Validation Failed","errors":[{"code":"already_exists"}]}`, forge.ErrConflict, false},
		"peer-12 422 drafts":             {422, nil, message("Draft pull requests are not supported in this repository."), forge.ErrDraftsUnsupported, false},
		"peer-12 422 drafts in its list": {422, nil, `{"message":"Validation Failed","errors":[{"code":"custom","message":"Draft pull requests are not supported in this repository."}]}`, forge.ErrDraftsUnsupported, false},
		"422 drafts as a bare string":    {422, nil, `{"message":"Validation Failed","errors":["Draft pull requests are not supported in this repository."]}`, forge.ErrDraftsUnsupported, false},
		"peer-25 422 of another sort":    {422, nil, message("body is too long (maximum is 65536 characters)"), nil, false},
		"500":                            {500, nil, message("oops"), nil, false},
		"202":                            {202, nil, `{}`, nil, false},
		"a redirect of a write":          {307, header("Location", "https://example.invalid/x"), ``, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spy{answer: func(*http.Request) (*http.Response, error) { return reply(c.status, c.header, c.body), nil }}
			client := spied(t, s)
			_, err := client.CreateComment(t.Context(), 1, "hello")
			if err == nil {
				t.Fatal("no error")
			}
			for _, known := range []error{forge.ErrUnauthorized, forge.ErrForbidden, forge.ErrNotFound, forge.ErrConflict, forge.ErrDraftsUnsupported} {
				if errors.Is(err, known) != (known == c.want) {
					t.Errorf("%v is %v: %t", err, known, known != c.want)
				}
			}
			var limit *forge.RateLimitError
			if errors.As(err, &limit) != c.limit {
				t.Errorf("%v: rate limit %t, want %t", err, !c.limit, c.limit)
			}
			if limit != nil && c.header != nil && limit.Until.Before(time.Now()) {
				t.Errorf("until %v", limit.Until)
			}
			if n := s.sent.Load(); n != 1 {
				t.Errorf("a write was sent %d times", n)
			}
			if !strings.HasPrefix(err.Error(), "comment on issue 1: ") {
				t.Errorf("error %q does not say what was tried", err)
			}
		})
	}
}

func TestRetries(t *testing.T) {
	t.Parallel()
	broken := func(*http.Request) (*http.Response, error) { return nil, syscall.ECONNRESET }
	down := func(*http.Request) (*http.Response, error) { return reply(503, nil, `{}`), nil }
	read := func(ctx context.Context, c *Client) error { _, err := c.DefaultBranch(ctx); return err }
	write := func(ctx context.Context, c *Client) error { _, err := c.CreateComment(ctx, 1, "x"); return err }
	update := func(ctx context.Context, c *Client) error { _, err := c.UpdateComment(ctx, 1, "x"); return err }
	query := func(ctx context.Context, c *Client) error { _, err := c.Self(ctx); return err }
	missing := func(*http.Request) (*http.Response, error) { return reply(404, nil, `{}`), nil }
	for name, c := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		do     func(context.Context, *Client) error
		sent   int64
	}{
		"a read over a broken connection":   {broken, read, maxAttempts},
		"a read from a server that is down": {down, read, maxAttempts},
		"a read of nothing":                 {missing, read, 1},
		"a write over a broken connection":  {broken, write, 1},
		"a write to a server that is down":  {down, write, 1},
		"an update":                         {down, update, 1},
		"a query":                           {down, query, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spy{answer: c.answer}
			if err := c.do(t.Context(), spied(t, s)); err == nil {
				t.Error("no error")
			}
			if n := s.sent.Load(); n != c.sent {
				t.Errorf("sent %d times, want %d", n, c.sent)
			}
		})
	}
}

func TestWaitEndsWithTheContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := waitFor(ctx, time.Hour); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("waiting beyond the deadline: %v", err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	cancel()
	if err := waitFor(ctx, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("waiting when canceled: %v", err)
	}
	if err := waitFor(t.Context(), 0); err != nil {
		t.Errorf("waiting for nothing: %v", err)
	}
}

func TestAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	next := http.Header{"Link": {`<https://api.github.com/x?page=1>; rel="next"`}}
	endless := http.Header{"Link": {`<https://api.github.com/x?page=0>; rel="next"`}}
	for name, answer := range map[string]*http.Response{
		"empty": reply(200, nil, ""), "blank": reply(200, nil, " \n"), "no JSON": reply(200, nil, "<html>"),
		"an object": reply(200, nil, `{}`), "null in it": reply(200, nil, `[null]`), "half": reply(200, nil, `[{"id":1`),
		"no time": reply(200, nil, `[{"id":1,"event":"labeled","body":"x"}]`), "a bad time": reply(200, nil, `[{"id":1,"event":"labeled","created_at":"soon","updated_at":"soon"}]`),
		"too long":                   reply(200, nil, "["+strings.Repeat(" ", maxResponse)+"]"),
		"a page that follows itself": reply(200, next, `[]`), "a page before the first": reply(200, endless, `[]`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data := new(strings.Builder)
			if err := answer.Write(data); err != nil {
				t.Fatal(err)
			}
			_, body, _ := strings.Cut(data.String(), "\r\n\r\n")
			s := &spy{answer: func(*http.Request) (*http.Response, error) { return reply(200, answer.Header, body), nil }}
			c := spied(t, s)
			if got, err := c.IssueEvents(t.Context(), 1); err == nil {
				t.Errorf("events: %v and no error", got)
			}
			if got, err := c.Comments(t.Context(), 1); err == nil {
				t.Errorf("comments: %v and no error", got)
			}
			if got, err := c.Issue(t.Context(), 1); err == nil {
				t.Errorf("issue: %v and no error", got)
			}
		})
	}
	for _, body := range []string{`null`, `{"check_runs":[null],"total_count":1}`} {
		s := &spy{answer: func(*http.Request) (*http.Response, error) { return reply(200, nil, body), nil }}
		if got, err := spied(t, s).Checks(t.Context(), strings.Repeat("a", 40), "gate"); err == nil {
			t.Errorf("checks of %s: %v and no error", body, got)
		}
	}
}

// TestTokenGoesNowhereElse sends a read to a server that redirects it to another.
func TestTokenGoesNowhereElse(t *testing.T) {
	t.Parallel()
	var foreign, moved atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { foreign.Add(1) }))
	defer other.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/moved":
			moved.Add(1)
			if r.Header.Get("Authorization") != "Bearer "+canary {
				t.Errorf("a redirect inside lost the credential")
			}
			_, _ = w.Write([]byte(`{"default_branch":"trunk"}`))
		case strings.HasSuffix(r.URL.Path, "/away"):
			http.Redirect(w, r, other.URL+"/x", http.StatusFound)
		case strings.HasSuffix(r.URL.Path, "/loop"):
			http.Redirect(w, r, r.URL.Path, http.StatusFound)
		default:
			http.Redirect(w, r, "/moved", http.StatusMovedPermanently)
		}
	}))
	defer home.Close()
	make := func(name string) *Client {
		c, err := New(Config{
			Repo: forge.Repo{Owner: "octo", Name: name}, APIURL: home.URL,
			Token: func(context.Context) (string, error) { return canary, nil }, HTTPClient: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	branch, err := make("shop").DefaultBranch(t.Context())
	if err != nil || branch != "trunk" || moved.Load() != 1 {
		t.Errorf("a redirect inside: %q, %v", branch, err)
	}
	for _, name := range []string{"away", "loop"} {
		_, err := make(name).DefaultBranch(t.Context())
		if err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if n := foreign.Load(); n != 0 {
		t.Errorf("the other server got %d requests", n)
	}
}

func TestRedirectsThatAreFollowed(t *testing.T) {
	t.Parallel()
	c := spied(t, &spy{})
	request := func(method, url string) *http.Request {
		return httptest.NewRequestWithContext(t.Context(), method, url, nil)
	}
	get, post := request("GET", "https://api.github.com/a"), request("POST", "https://api.github.com/a")
	for _, test := range []struct {
		name   string
		to     string
		via    []*http.Request
		follow bool
	}{
		{"a read inside", "https://api.github.com/b", []*http.Request{get}, true},
		{"a read to another host", "https://example.invalid/b", []*http.Request{get}, false},
		{"a read to plain http", "http://api.github.com/b", []*http.Request{get}, false},
		{"a write inside", "https://api.github.com/b", []*http.Request{post}, false},
		{"without end", "https://api.github.com/b", []*http.Request{get, get, get, get}, false},
	} {
		if err := c.wire.checkRedirect(request("GET", test.to), test.via); (err == nil) != test.follow {
			t.Errorf("%s: %v", test.name, err)
		}
	}
}

// TestTokenCanary makes servers echo the credential in every way they can.
func TestTokenCanary(t *testing.T) {
	t.Parallel()
	echo := func(status int, form string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			if strings.Contains(r.URL.String(), canary) {
				t.Error("the address holds the credential")
			}
			if got := r.Header.Get("Authorization"); got != "Bearer "+canary {
				t.Errorf("authorization %q", got)
			}
			return reply(status, nil, strings.ReplaceAll(form, "$", r.Header.Get("Authorization"))), nil
		}
	}
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"in a message":       echo(403, `{"message":"no: $"}`),
		"in a list":          echo(422, `{"message":"no","errors":[{"message":"$","field":"$"}]}`),
		"in GraphQL":         echo(200, `{"errors":[{"message":"$","type":"FORBIDDEN"}]}`),
		"in what is no JSON": echo(200, `$`),
		"in a broken connection": func(r *http.Request) (*http.Response, error) {
			return nil, errors.New("dial: header " + r.Header.Get("Authorization"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := spied(t, &spy{answer: answer})
			_, selfErr := c.Self(t.Context())
			_, readErr := c.IssueEvents(t.Context(), 1)
			_, writeErr := c.CreateComment(t.Context(), 1, "x")
			for _, err := range []error{selfErr, readErr, writeErr} {
				if err == nil {
					t.Error("no error")
				}
				for e := err; e != nil; e = errors.Unwrap(e) {
					if strings.Contains(e.Error(), canary) {
						t.Errorf("the error tells the credential: %v", e)
					}
				}
			}
		})
	}
}

func TestCredentialTrouble(t *testing.T) {
	t.Parallel()
	for name, token := range map[string]func(context.Context) (string, error){
		"an error": func(context.Context) (string, error) { return "", errors.New("the key is gone") },
		"empty":    func(context.Context) (string, error) { return "", nil },
		"broken":   func(context.Context) (string, error) { return "a\r\nX-Evil: 1", nil },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &spy{}
			c := spied(t, s)
			c.wire.token = token
			if _, err := c.DefaultBranch(t.Context()); err == nil {
				t.Error("no error")
			} else if name != "an error" && !errors.Is(err, forge.ErrUnauthorized) {
				t.Errorf("error %v", err)
			}
			if s.sent.Load() != 0 {
				t.Error("a request left without a credential")
			}
		})
	}
}

func TestNewRefuses(t *testing.T) {
	t.Parallel()
	good := Config{Repo: forge.Repo{Owner: "o", Name: "r"}, Token: func(context.Context) (string, error) { return "t", nil }}
	if _, err := New(good); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*Config){
		"no repository":    func(c *Config) { c.Repo = forge.Repo{} },
		"a path":           func(c *Config) { c.Repo.Name = "a/b" },
		"a query":          func(c *Config) { c.Repo.Name = "a?b" },
		"no credential":    func(c *Config) { c.Token = nil },
		"plain http":       func(c *Config) { c.APIURL = "http://example.invalid/api/v3" },
		"plain GraphQL":    func(c *Config) { c.GraphQLURL = "http://example.invalid/graphql" },
		"another scheme":   func(c *Config) { c.APIURL = "ftp://example.invalid" },
		"a password in it": func(c *Config) { c.APIURL = "https://u:" + canary + "@example.invalid" },
		"no address":       func(c *Config) { c.APIURL = "http://[" + canary },
	} {
		c := good
		change(&c)
		if _, err := New(c); err == nil || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: error %v", name, err)
		}
	}
	for api, want := range map[string]string{
		"https://api.github.com": "https://api.github.com/graphql", "https://h.invalid/api/v3/": "https://h.invalid/api/graphql",
		"https://api.sub.ghe.com": "https://api.sub.ghe.com/graphql",
	} {
		if got := graphQLBeside(api); got != want {
			t.Errorf("GraphQL beside %s = %s, want %s", api, got, want)
		}
	}
}
