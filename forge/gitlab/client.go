// Package gitlab is the beginning of a client for GitLab: it takes pictures that a text
// of the project can show, and nothing else yet. It is no forge.Forge. It sends one kind
// of request, so it cannot merge or approve.
package gitlab

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Config says which project is spoken about, and as whom.
type Config struct {
	// Project is its number, or its path such as "group/sub/shop".
	Project string
	// Token returns the credential for one request: a personal, project or group
	// access token with scope api. A job's own token is not taken by this route.
	Token func(ctx context.Context) (string, error)
	// APIURL defaults to gitlab.com's; for a server of one's own it is
	// https://HOST/api/v4. Plain http is taken for loopback only.
	APIURL     string
	UserAgent  string       // default "warden"
	HTTPClient *http.Client // its transport is used; default http.DefaultTransport
}

// Client speaks about one project. It is safe for concurrent use.
type Client struct {
	uploads string // address of the one route
	token   func(ctx context.Context) (string, error)
	agent   string
	http    *http.Client
}

// callLimit is how long one request may take, its answer included.
const callLimit = time.Minute

var projectForm = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$`)

// maxProject bounds a project's path, in bytes.
const maxProject = 2000

// New makes a client. It sends nothing.
func New(cfg Config) (*Client, error) {
	if len(cfg.Project) > maxProject || !projectForm.MatchString(cfg.Project) {
		return nil, fmt.Errorf("make a GitLab client: %.200q is no project: write its number or its path", cfg.Project)
	}
	if cfg.Token == nil {
		return nil, errors.New("make a GitLab client: no credential was given")
	}
	if cfg.APIURL == "" {
		cfg.APIURL = "https://gitlab.com/api/v4"
	}
	if err := endpoint(cfg.APIURL); err != nil {
		return nil, fmt.Errorf("make a GitLab client: API address: %w", err)
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "warden"
	}
	// A redirect is an answer like another: the credential goes to this host alone.
	own := &http.Client{Timeout: callLimit, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	if cfg.HTTPClient != nil {
		own.Transport = cfg.HTTPClient.Transport
	}
	return &Client{
		uploads: strings.TrimSuffix(cfg.APIURL, "/") + "/projects/" + url.PathEscape(cfg.Project) + "/uploads",
		token:   cfg.Token, agent: cfg.UserAgent, http: own,
	}, nil
}

// endpoint accepts an address that a credential may be sent to.
func endpoint(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("it is no address")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return errors.New("it has more than host and path")
	case u.Hostname() == "":
		return errors.New("it has no host")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return nil
	}
	return fmt.Errorf("%q is not https", u.Scheme+"://"+u.Host)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
