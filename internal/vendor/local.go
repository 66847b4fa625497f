package vendor

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/redact"
)

// Bounds of one request to a model server.
const (
	maxReply    = 4 << 20 // bytes of an answer; a longer one is not read
	maxHeader   = 64 << 10
	maxErrorWas = 500 // bytes of a refusal's body that are quoted
	dialLimit   = 10 * time.Second
)

// question is one call of a model server, ready to be sent.
type question struct {
	url    string
	key    string // sent as a bearer token, unless empty
	body   []byte
	secret *redact.Set // knows the key: a server may send it back
}

// served is what a server sent, with the key taken out.
type served struct {
	status int
	wait   time.Duration // that Retry-After names in seconds
	body   []byte
	cut    string // why the body is not whole, or ""
}

// transport goes through the proxy that the environment of this process names.
// It never leads a key to where a server points.
func transport() http.RoundTripper {
	return &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		DialContext:         (&net.Dialer{Timeout: dialLimit}).DialContext,
		TLSHandshakeTimeout: dialLimit, DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeader,
	}
}

// ask makes the request of a local profile, or says why it cannot be made.
func ask(p policy.Profile, prompt string, env []string) (*question, *Refusal) {
	q := &question{}
	var err error
	if q.url, err = completions(p.Endpoint); err != nil {
		return nil, &Refusal{localUnreachable, fmt.Sprintf("profile %q: %v", p.Name, err)}
	}
	for _, name := range p.APIKeyEnv {
		if err := settable(name); err != nil {
			return nil, &Refusal{localKeyMissing, fmt.Sprintf("profile %q: %v", p.Name, err)}
		}
		if v := strings.TrimSpace(lookup(env, name)); v != "" && q.key == "" {
			q.key = v
		}
	}
	switch {
	case q.key == "" && len(p.APIKeyEnv) > 0:
		return nil, &Refusal{localKeyMissing, fmt.Sprintf("profile %q: none of the variables that may hold its key is set: %s", p.Name, strings.Join(p.APIKeyEnv, ", "))}
	case strings.ContainsFunc(q.key, func(r rune) bool { return r < ' ' || r > '~' }):
		return nil, &Refusal{localKeyMissing, fmt.Sprintf("profile %q: the key holds a character that no request can carry", p.Name)}
	}
	if q.secret, err = redact.New(q.key); err != nil {
		return nil, &Refusal{localKeyMissing, fmt.Sprintf("profile %q: the key cannot be kept out of the evidence: %v", p.Name, err)}
	}
	type message struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	q.body, err = json.Marshal(struct {
		Model    string    `json:"model"`
		Messages []message `json:"messages"`
		Stream   bool      `json:"stream"`
	}{p.Model, []message{{"user", prompt}}, false})
	if err != nil {
		return nil, &Refusal{localUnreachable, fmt.Sprintf("profile %q: write the request: %v", p.Name, err)}
	}
	return q, nil
}

// completions is the address of chat completions below a base address.
func completions(endpoint string) (string, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		return "", errors.New("the endpoint is no address")
	}
	const path = "/chat/completions"
	if !strings.HasSuffix(strings.TrimSuffix(u.Path, "/"), path) {
		u = u.JoinPath(path)
	}
	return u.String(), nil
}

// send makes the request once. The error says that no answer came, without the
// key; its time is the context's.
func (r *Runner) send(ctx context.Context, q *question) (served, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, q.url, bytes.NewReader(q.body))
	if err != nil {
		return served{}, errors.New("make the request: " + q.plain(err.Error()))
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "warden")
	if q.key != "" {
		req.Header.Set("Authorization", "Bearer "+q.key)
	}
	client := &http.Client{Transport: r.net, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(req)
	if err != nil {
		return served{}, errors.New(q.plain(err.Error()))
	}
	got := served{status: res.StatusCode, wait: retryAfter(res.Header.Get("Retry-After"))}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		got.cut = "the answer broke off: " + q.plain(err.Error())
	case len(body) > maxReply:
		got.cut, body = fmt.Sprintf("the answer is longer than %d bytes", maxReply), body[:maxReply]
	}
	// The answer is read; what closing says about the connection changes nothing.
	_ = res.Body.Close()
	got.body, _ = q.secret.Bytes(body)
	return got, nil
}

// plain takes the key out of a text.
func (q *question) plain(text string) string {
	out, _ := q.secret.String(text)
	return out
}

// retryAfter reads a pause in whole seconds, at most 15 minutes. A date is not
// read: it would have to be held against a clock that is not ours.
func retryAfter(header string) time.Duration {
	if header == "" || strings.Trim(header, "0123456789") != "" {
		return 0
	}
	return namedPause("retry after " + header + " s")
}
