// Package github speaks forge.Forge with GitHub. It is the only package that
// imports go-github, closes the holes that library has, and cannot merge or
// approve: requests that would are refused before they leave.
package github

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/google/go-github/v66/github"

	"github.com/tolboy/warden/forge"
)

// Config says which repository is spoken about, and as whom.
type Config struct {
	Repo forge.Repo
	// Token returns the credential for one request. It is asked for each, because
	// an installation token lives an hour and a run may live longer.
	Token func(ctx context.Context) (string, error)
	// APIURL and GraphQLURL default to github.com. For a server of one's own they
	// are https://HOST/api/v3 and https://HOST/api/graphql. Plain http is taken
	// for loopback only.
	APIURL     string
	GraphQLURL string
	UserAgent  string       // default "warden"
	HTTPClient *http.Client // transport and timeout are used; default http.DefaultTransport
}

// Client is a forge.Forge for one repository. It is safe for concurrent use.
type Client struct {
	repo    forge.Repo
	api     *github.Client
	graphql string
	wire    *transport
	secrets *secrets
}

var _ forge.Forge = (*Client)(nil)

// New makes a client. It sends nothing.
func New(cfg Config) (*Client, error) {
	if cfg.Repo.Owner == "" || cfg.Repo.Name == "" || strings.ContainsAny(cfg.Repo.String(), " ?#%") || strings.Count(cfg.Repo.String(), "/") != 1 {
		return nil, fmt.Errorf("make a GitHub client: %q is no repository", cfg.Repo.String())
	}
	if cfg.Token == nil {
		return nil, errors.New("make a GitHub client: no credential was given")
	}
	if cfg.APIURL == "" {
		cfg.APIURL = "https://api.github.com"
	}
	api, err := endpoint(cfg.APIURL)
	if err != nil {
		return nil, fmt.Errorf("make a GitHub client: API address: %w", err)
	}
	if cfg.GraphQLURL == "" {
		cfg.GraphQLURL = graphQLBeside(cfg.APIURL)
	}
	graph, err := endpoint(cfg.GraphQLURL)
	if err != nil {
		return nil, fmt.Errorf("make a GitHub client: GraphQL address: %w", err)
	}
	if cfg.UserAgent == "" {
		cfg.UserAgent = "warden"
	}
	if cfg.HTTPClient == nil {
		cfg.HTTPClient = &http.Client{}
	}
	hidden := &secrets{}
	t := &transport{
		next: cfg.HTTPClient.Transport, token: cfg.Token, secrets: hidden, api: api, graphql: graph, wait: waitFor,
	}
	if t.next == nil {
		t.next = http.DefaultTransport
	}
	c := github.NewClient(&http.Client{Transport: t, Timeout: cfg.HTTPClient.Timeout, CheckRedirect: t.checkRedirect})
	c.UserAgent = cfg.UserAgent
	base := *api
	base.Path = strings.TrimSuffix(base.Path, "/") + "/"
	c.BaseURL = &base
	return &Client{repo: cfg.Repo, api: c, graphql: graph.String(), wire: t, secrets: hidden}, nil
}

// endpoint accepts an address that a credential may be sent to.
func endpoint(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, errors.New("it is no address")
	}
	switch {
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("it has more than host and path")
	case u.Host == "":
		return nil, errors.New("it has no host")
	case u.Scheme == "https", u.Scheme == "http" && loopback(u.Hostname()):
		return u, nil
	}
	return nil, fmt.Errorf("%q is not https", u.Scheme+"://"+u.Host)
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// graphQLBeside derives the GraphQL address from that of REST.
func graphQLBeside(api string) string {
	api = strings.TrimSuffix(api, "/")
	return strings.TrimSuffix(api, "/v3") + "/graphql"
}
