package github

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/go-github/v66/github"

	"github.com/tolboy/warden/forge"
)

const (
	maxErrorText = 2000
	maxSecrets   = 8
)

// secrets remembers the last few tokens, so that no error repeats one: a server
// may echo what it was sent.
type secrets struct {
	mu     sync.Mutex
	values []string
}

func (s *secrets) add(value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.values {
		if v == value {
			return
		}
	}
	if len(s.values) == maxSecrets {
		s.values = s.values[1:]
	}
	s.values = append(s.values, value)
}

func (s *secrets) scrub(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, v := range s.values {
		text = strings.ReplaceAll(text, v, "[credential]")
	}
	return text
}

// apiError is an answer that is an error. Its cause is one of the errors of
// package forge, or nil.
type apiError struct {
	action string
	text   string
	cause  error
}

// Error implements error.
func (e *apiError) Error() string {
	text := e.action + ": " + e.text
	if e.cause != nil {
		text += ": " + e.cause.Error()
	}
	return text
}

// Unwrap implements the errors protocol.
func (e *apiError) Unwrap() error { return e.cause }

// explain turns an error of go-github into one of ours.
func (c *Client) explain(action string, err error) error {
	if err == nil {
		return nil
	}
	text := c.secrets.scrub(cut(err.Error()))
	for _, plain := range []error{context.Canceled, context.DeadlineExceeded, ErrNeverSent, forge.ErrUnauthorized} {
		if errors.Is(err, plain) {
			return &apiError{action, strings.TrimSuffix(text, ": "+plain.Error()), plain}
		}
	}
	var rate *github.RateLimitError
	if errors.As(err, &rate) {
		return &apiError{action, "GitHub refuses more requests for now", &forge.RateLimitError{Until: rate.Rate.Reset.Time}}
	}
	var abuse *github.AbuseRateLimitError
	if errors.As(err, &abuse) {
		limit := &forge.RateLimitError{Secondary: true}
		if abuse.RetryAfter != nil {
			limit.Until = time.Now().Add(*abuse.RetryAfter)
		}
		return &apiError{action, "GitHub refuses more requests for now", limit}
	}
	var answer *github.ErrorResponse
	if errors.As(err, &answer) && answer.Response != nil {
		return c.explainAnswer(action, answer)
	}
	return &apiError{action, text, nil}
}

func (c *Client) explainAnswer(action string, answer *github.ErrorResponse) error {
	text := answer.Message
	for _, e := range answer.Errors {
		text += " " + strings.TrimSpace(e.Field+" "+e.Code+" "+e.Message)
	}
	text = strings.TrimSpace(text)
	status := answer.Response.StatusCode
	if limit := limitOf(answer.Response, text); limit != nil {
		return &apiError{action, "GitHub refuses more requests for now", limit}
	}
	if text == "" {
		text = http.StatusText(status)
	}
	return &apiError{action, c.secrets.scrub(cut(fmt.Sprintf("%s (%d)", text, status))), causeOf(status, text)}
}

// limitOf reads the rate limits that go-github does not: those answered with
// 429, and a 403 that only its words or its Retry-After tell apart.
func limitOf(resp *http.Response, text string) *forge.RateLimitError {
	after := resp.Header.Get("Retry-After")
	spoken := strings.Contains(strings.ToLower(text), "rate limit")
	if resp.StatusCode != http.StatusTooManyRequests && (resp.StatusCode != http.StatusForbidden || after == "" && !spoken) {
		return nil
	}
	limit := &forge.RateLimitError{Secondary: resp.Header.Get("X-RateLimit-Remaining") != "0"}
	if seconds, err := strconv.ParseInt(after, 10, 32); err == nil && seconds >= 0 {
		limit.Until = time.Now().Add(time.Duration(seconds) * time.Second)
	} else if reset, err := strconv.ParseInt(resp.Header.Get("X-RateLimit-Reset"), 10, 64); err == nil && reset > 0 && !limit.Secondary {
		limit.Until = time.Unix(reset, 0)
	}
	return limit
}

func causeOf(status int, text string) error {
	text = strings.ToLower(text)
	switch status {
	case http.StatusUnauthorized:
		return forge.ErrUnauthorized
	case http.StatusForbidden:
		return forge.ErrForbidden
	case http.StatusNotFound, http.StatusGone:
		return forge.ErrNotFound
	case http.StatusConflict:
		return forge.ErrConflict
	case http.StatusUnprocessableEntity:
		switch {
		case strings.Contains(text, "draft pull requests are not supported"):
			return forge.ErrDraftsUnsupported
		case strings.Contains(text, "already exists"), strings.Contains(text, "already_exists"):
			return forge.ErrConflict
		}
	}
	return nil
}

func cut(text string) string {
	if len(text) > maxErrorText {
		return strings.ToValidUTF8(text[:maxErrorText], "") + " …"
	}
	return text
}
