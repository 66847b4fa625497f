package gitlab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/tolboy/warden/forge"
)

const (
	secret = "glpat-not-a-credential"
	png    = "\x89PNG\r\n\x1a\n" + "the rest of a picture"
)

// server is a strict GitLab of one route: whatever else reaches it is a fault.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	calls int
	taken map[string][]byte
}

// serve answers an upload that is right by answer, or as GitLab documents it for nil.
func serve(t *testing.T, answer http.HandlerFunc) *server {
	t.Helper()
	s := &server{taken: map[string][]byte{}}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.calls++
		if r.Method != http.MethodPost || r.URL.EscapedPath() != "/api/v4/projects/group%2Fshop/uploads" || r.URL.RawQuery != "" || r.ContentLength <= 0 {
			t.Errorf("the server was sent %s %s of %d bytes", r.Method, r.URL, r.ContentLength)
		}
		if r.Header.Get("PRIVATE-TOKEN") != secret || r.Header.Get("Authorization") != "" || r.Header.Get("JOB-TOKEN") != "" {
			t.Errorf("the credential came as %v", r.Header)
		}
		f, h, err := r.FormFile("file")
		if err != nil || len(r.MultipartForm.File) != 1 || len(r.MultipartForm.Value) != 0 {
			t.Errorf("the form: %v, %+v", err, r.MultipartForm)
			return
		}
		data, err := io.ReadAll(f)
		if err != nil {
			t.Error(err)
		}
		s.taken[h.Filename] = data
		if answer != nil {
			answer(w, r)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]any{"id": 5, "alt": "01", "url": "/uploads/66dbcd21ec5d24ed6ea225176098d52b/" + h.Filename,
			"full_path": "/-/project/1234/uploads/66dbcd21ec5d24ed6ea225176098d52b/" + h.Filename, "markdown": "![01](/uploads/66dbcd21ec5d24ed6ea225176098d52b/" + h.Filename + ")"})
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) client(t *testing.T) *Client {
	t.Helper()
	c, err := New(Config{Project: "group/shop", APIURL: s.URL + "/api/v4", Token: func(context.Context) (string, error) { return secret, nil }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestUploadPicture(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	at, err := s.client(t).UploadPicture(t.Context(), "01-1280x720.png", []byte(png))
	if err != nil || at != "/uploads/66dbcd21ec5d24ed6ea225176098d52b/01-1280x720.png" {
		t.Errorf("%q, %v", at, err)
	}
	if string(s.taken["01-1280x720.png"]) != png {
		t.Errorf("the server has %q", s.taken)
	}
}

func TestUploadIsNotSent(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	c := s.client(t)
	for name, data := range map[string]string{"../a.png": png, "a.svg": png, "a b.png": png, "": png, "a.png": "<svg/>", "b.png": "", "c.png": png + strings.Repeat("x", maxPicture)} {
		if at, err := c.UploadPicture(t.Context(), name, []byte(data)); err == nil {
			t.Errorf("%q of %d bytes is at %q", name, len(data), at)
		}
	}
	if s.calls != 0 {
		t.Errorf("%d requests", s.calls)
	}
}

func TestUploadIsRefused(t *testing.T) {
	t.Parallel()
	says := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, tt := range map[string]struct {
		answer http.HandlerFunc
		want   error
		text   string
	}{
		"unauthorized": {says(401, `{"message":"401 Unauthorized"}`), forge.ErrUnauthorized, "401"},
		"forbidden":    {says(403, `{"message":"insufficient_scope `+secret+`"}`), forge.ErrForbidden, "[credential]"},
		"not found":    {says(404, `{"message":"404 Project Not Found"}`), forge.ErrNotFound, "cannot see"},
		"too large":    {says(413, `<html>`), nil, "413"},
		"rate limit":   {says(429, `Retry later`), nil, "rate limited until"},
		"broken":       {says(500, `{"message":{"file":["x"]}}`), nil, "500"},
		"not created":  {says(200, `{"url":"/uploads/66dbcd21ec5d24ed6ea225176098d52b/a.png"}`), nil, "200"},
		"no object":    {says(201, `[]`), nil, "not what"},
		"empty":        {says(201, ``), nil, "not what"},
		"elsewhere":    {says(201, `{"url":"https://evil.example/a.png"}`), nil, "no address"},
		"injection":    {says(201, `{"url":"/uploads/66dbcd21ec5d24ed6ea225176098d52b/a.png) /merge (x.png"}`), nil, "no address"},
		"endless":      {says(201, `{"url":"`+strings.Repeat("a", maxAnswer)+`"}`), nil, "longer than"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, tt.answer)
			at, err := s.client(t).UploadPicture(t.Context(), "a.png", []byte(png))
			if err == nil || at != "" || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) || strings.Contains(err.Error(), secret) {
				t.Errorf("%q, %v", at, err)
			}
			var limit *forge.RateLimitError
			if errors.As(err, &limit) != (name == "rate limit") {
				t.Errorf("a rate limit: %v", limit)
			}
			if s.calls != 1 {
				t.Errorf("it was sent %d times", s.calls)
			}
		})
	}
}

// TestUploadFollowsNobody holds that the credential stays with the host it is for.
func TestUploadFollowsNobody(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { t.Errorf("%s came with %v", r.URL, r.Header) }))
	t.Cleanup(other.Close)
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := serve(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL+"/x", status) })
		if at, err := s.client(t).UploadPicture(t.Context(), "a.png", []byte(png)); err == nil || !strings.Contains(err.Error(), fmt.Sprint(status)) {
			t.Errorf("%d: %q, %v", status, at, err)
		}
	}
}

func TestUploadWithoutACredential(t *testing.T) {
	t.Parallel()
	s := serve(t, nil)
	for _, token := range []string{"", "two words", "a\r\nb: c"} {
		c, err := New(Config{Project: "group/shop", APIURL: s.URL + "/api/v4", Token: func(context.Context) (string, error) { return token, nil }})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.UploadPicture(t.Context(), "a.png", []byte(png)); !errors.Is(err, forge.ErrUnauthorized) {
			t.Errorf("%q: %v", token, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.client(t).UploadPicture(ctx, "a.png", []byte(png)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
	if s.calls != 0 {
		t.Errorf("%d requests", s.calls)
	}
}

func TestNew(t *testing.T) {
	t.Parallel()
	token := func(context.Context) (string, error) { return secret, nil }
	for name, cfg := range map[string]Config{
		"no project": {Token: token}, "a path up": {Project: "a/../b", Token: token}, "a query": {Project: "a?b", Token: token}, "no credential": {Project: "a/b"},
		"plain http": {Project: "1", Token: token, APIURL: "http://gitlab.example/api/v4"}, "a user": {Project: "1", Token: token, APIURL: "https://u:p@gitlab.example/api/v4"},
		"no host": {Project: "1", Token: token, APIURL: "https:///api/v4"}, "no address": {Project: "1", Token: token, APIURL: "https://[::1/"},
	} {
		if _, err := New(cfg); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if c, err := New(Config{Project: "42", Token: token}); err != nil || c.uploads != "https://gitlab.com/api/v4/projects/42/uploads" {
		t.Errorf("%+v, %v", c, err)
	}
}

// FuzzUpload reads what a server may answer: an address that is taken can stand between
// the parentheses of a picture.
func FuzzUpload(f *testing.F) {
	for _, seed := range []string{`{"url":"/uploads/66dbcd21ec5d24ed6ea225176098d52b/a.png"}`, `{"url":"/uploads/66dbcd21ec5d24ed6ea225176098d52b/../a.png"}`, `{"url":1}`, `{}`, `null`, "{\"url\":\"/uploads/66dbcd21ec5d24ed6ea225176098d52b/a.png\\n\"}"} {
		f.Add([]byte(seed))
	}
	whole := regexp.MustCompile(`\A[A-Za-z0-9._/-]+\z`)
	f.Fuzz(func(t *testing.T, body []byte) {
		at, err := readUpload(body)
		if (err == nil) != (at != "") {
			t.Fatalf("%q, %v", at, err)
		}
		if err == nil && (!whole.MatchString(at) || strings.Count(at, "/") != 3 || !strings.HasPrefix(at, "/uploads/") || !strings.HasSuffix(at, ".png")) {
			t.Fatalf("%q is an address", at)
		}
		_ = refusal(500, http.Header{}, body)
	})
}
