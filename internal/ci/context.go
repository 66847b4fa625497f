// Package ci reads the environment of a GitHub Actions job and writes what the
// runner understands: outputs, the step summary, annotations and masks. Text
// that others wrote passes through it without becoming a workflow command.
package ci

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"

	"github.com/sethvargo/go-githubactions"

	"github.com/tolboy/warden/forge"
)

// MaxEvent bounds the event file. GitHub caps a delivery at 25 MB.
const MaxEvent = 32 << 20

// Context is the job that Warden runs in.
type Context struct {
	EventName       string
	EventPath       string
	Event           []byte // the event file, valid JSON; untrusted
	Repo            forge.Repo
	APIURL          string
	GraphQLURL      string
	ServerURL       string
	RunID           int64
	RunAttempt      int64
	Actor           string
	TriggeringActor string // who started this attempt; differs from Actor on a re-run
	Ref, SHA        string
	Workspace       string
	TempDir         string
	OutputPath      string // "" where the runner offers none
	SummaryPath     string
	Token           Secret
	TokenFrom       string // name of the variable that held the token
}

// Secret is a value that prints as its name only.
type Secret struct{ value string }

// NewSecret wraps a secret.
func NewSecret(value string) Secret { return Secret{value} }

// Reveal returns the value, for the one call that needs it.
func (s Secret) Reveal() string { return s.value }

// Empty reports whether there is no value.
func (s Secret) Empty() bool { return s.value == "" }

// Format implements fmt.Formatter, so that no verb prints the value.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, "[secret]") }

// MarshalJSON implements json.Marshaler and hides the value.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"[secret]"`), nil }

// TokenVariables are the names under which a token is looked for, in order.
func TokenVariables() []string {
	return []string{"WARDEN_GITHUB_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"}
}

// Load reads the job's environment. Every fault is reported, all together, each
// with the name of its variable and without its value.
func Load(getenv func(string) string, readFile func(string) ([]byte, error)) (Context, error) {
	if getenv("GITHUB_ACTIONS") != "true" {
		return Context{}, errors.New("read the job environment: GITHUB_ACTIONS is not \"true\"; this command runs inside a GitHub Actions job")
	}
	// The library would open the event file itself, without a bound.
	job, err := githubactions.New(githubactions.WithGetenv(func(name string) string {
		if name == "GITHUB_EVENT_PATH" {
			return ""
		}
		return getenv(name)
	})).Context()
	if err != nil {
		return Context{}, fmt.Errorf("read the job environment: a variable of GITHUB_* does not hold what it should: %w", err)
	}
	c := Context{
		EventName: job.EventName, EventPath: getenv("GITHUB_EVENT_PATH"),
		APIURL: strings.TrimRight(job.APIURL, "/"), GraphQLURL: strings.TrimRight(job.GraphqlURL, "/"), ServerURL: strings.TrimRight(job.ServerURL, "/"),
		RunID: job.RunID, RunAttempt: job.RunAttempt,
		Actor: job.Actor, TriggeringActor: getenv("GITHUB_TRIGGERING_ACTOR"), Ref: job.Ref, SHA: job.SHA,
		Workspace: job.Workspace, TempDir: getenv("RUNNER_TEMP"),
		OutputPath: getenv("GITHUB_OUTPUT"), SummaryPath: job.StepSummary,
	}
	for _, name := range TokenVariables() {
		if v := strings.TrimSpace(getenv(name)); v != "" {
			c.Token, c.TokenFrom = NewSecret(v), name
			break
		}
	}
	var faults []error
	if c.Repo, err = repo(job.Repository); err != nil {
		faults = append(faults, err)
	}
	if c.EventName == "" {
		faults = append(faults, errors.New("GITHUB_EVENT_NAME is empty"))
	}
	for _, u := range []struct{ name, value string }{
		{"GITHUB_API_URL", c.APIURL}, {"GITHUB_GRAPHQL_URL", c.GraphQLURL}, {"GITHUB_SERVER_URL", c.ServerURL},
	} {
		if err := endpoint(u.value); err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", u.name, err))
		}
	}
	if c.Event, err = event(c.EventPath, readFile); err != nil {
		faults = append(faults, err)
	}
	if len(faults) > 0 {
		return Context{}, fmt.Errorf("read the job environment: %w", errors.Join(faults...))
	}
	return c, nil
}

func event(path string, readFile func(string) ([]byte, error)) ([]byte, error) {
	if path == "" {
		return nil, errors.New("GITHUB_EVENT_PATH is empty, so there is no event to act on")
	}
	data, err := readFile(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("read the event file: %w", err)
	case len(data) > MaxEvent:
		return nil, fmt.Errorf("read the event file: larger than %d bytes", MaxEvent)
	case !json.Valid(data):
		return nil, errors.New("read the event file: not valid JSON")
	}
	return data, nil
}

func repo(full string) (forge.Repo, error) {
	owner, name, found := strings.Cut(full, "/")
	if !found || !plainName(owner) || !plainName(name) {
		return forge.Repo{}, errors.New("GITHUB_REPOSITORY does not have the form owner/name")
	}
	return forge.Repo{Owner: owner, Name: name}, nil
}

// plainName accepts the characters that GitHub allows in owners and names.
func plainName(s string) bool {
	for _, r := range s {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
		default:
			return false
		}
	}
	return s != "" && s != "." && s != ".." && len(s) <= 100
}

// endpoint accepts a URL that a token may be sent to: https, or plain http to
// this machine.
func endpoint(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return errors.New("not an absolute URL")
	}
	if u.User != nil {
		return errors.New("carries a credential")
	}
	if u.Scheme == "https" {
		return nil
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "http" && (u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()) {
		return nil
	}
	return errors.New("a token is only sent over https, or to this machine")
}
