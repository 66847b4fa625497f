package github

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tolboy/warden/forge"
)

const (
	maxResponse  = 32 << 20
	maxAttempts  = 3
	firstWait    = 250 * time.Millisecond
	maxRedirects = 3
)

// transport is everything between go-github and the wire: what may not be sent,
// the credential, retries, and the size of an answer.
type transport struct {
	next         http.RoundTripper
	token        func(context.Context) (string, error)
	secrets      *secrets
	api, graphql *url.URL
	wait         func(ctx context.Context, d time.Duration) error
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(req *http.Request) (*http.Response, error) {
	body, err := takeBody(req)
	if err != nil {
		return nil, err
	}
	if err := t.guard(req, body); err != nil {
		return nil, err
	}
	token, err := t.token(req.Context())
	if err != nil {
		return nil, fmt.Errorf("get the credential: %w", err)
	}
	if token == "" || strings.ContainsAny(token, "\r\n \t") {
		return nil, fmt.Errorf("get the credential: it is empty or broken: %w", forge.ErrUnauthorized)
	}
	t.secrets.add(token)
	attempts := 1
	if req.Method == http.MethodGet {
		attempts = maxAttempts
	}
	pause := firstWait
	for attempt := 1; ; attempt++ {
		resp, err := t.once(req, body, token)
		if attempt == attempts || !passing(resp, err) || t.wait(req.Context(), pause) != nil {
			return resp, err
		}
		pause *= 4
	}
}

// once sends one copy of the request and reads the whole answer.
func (t *transport) once(req *http.Request, body []byte, token string) (*http.Response, error) {
	out := req.Clone(req.Context())
	out.Header.Set("Authorization", "Bearer "+token)
	if body != nil {
		out.Body = io.NopCloser(bytes.NewReader(body))
		out.ContentLength = int64(len(body))
	}
	resp, err := t.next.RoundTrip(out)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(resp.Body, maxResponse+1))
	err = errors.Join(err, resp.Body.Close())
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	case len(data) > maxResponse:
		return nil, fmt.Errorf("read the answer: it is longer than %d bytes", maxResponse)
	case len(bytes.TrimSpace(data)) == 0 && (resp.StatusCode == http.StatusOK || resp.StatusCode == http.StatusCreated):
		// go-github takes an empty answer for an empty list.
		return nil, errors.New("read the answer: it is empty")
	}
	resp.Request = req // the one without the credential; go-github prints it
	resp.Body = io.NopCloser(bytes.NewReader(data))
	resp.ContentLength = int64(len(data))
	return resp, nil
}

// takeBody reads a request's body so that it can be looked at and sent.
func takeBody(req *http.Request) ([]byte, error) {
	if req.Body == nil || req.Body == http.NoBody {
		return nil, nil
	}
	data, err := io.ReadAll(io.LimitReader(req.Body, maxResponse+1))
	if err = errors.Join(err, req.Body.Close()); err != nil {
		return nil, fmt.Errorf("read the request: %w", err)
	}
	if len(data) > maxResponse {
		return nil, fmt.Errorf("read the request: it is longer than %d bytes", maxResponse)
	}
	return data, nil
}

// passing reports whether asking again may help.
func passing(resp *http.Response, err error) bool {
	if err != nil {
		return !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded)
	}
	switch resp.StatusCode {
	case http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// waitFor waits unless the context ends first, or is known to.
func waitFor(ctx context.Context, d time.Duration) error {
	if end, has := ctx.Deadline(); has && time.Until(end) < d {
		return context.DeadlineExceeded
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// checkRedirect follows a read inside the same origin, which is how GitHub
// answers for a renamed repository. Anything else comes back as it is.
func (t *transport) checkRedirect(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || via[0].Method != http.MethodGet || !sameOrigin(req.URL, t.api) {
		return http.ErrUseLastResponse
	}
	return nil
}

func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(a.Host, b.Host)
}
