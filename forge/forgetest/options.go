package forgetest

import (
	"maps"
	"net/http"
	"time"

	"github.com/tolboy/warden/forge"
)

// Options describes a Server. The zero value is a private repository octo/shop
// with one commit on main, a maintainer, a writer, a reader, a stranger without
// any standing, and one token.
type Options struct {
	Repo          forge.Repo
	DefaultBranch string
	Files         map[string]string // the first commit
	People        []Person
	Tokens        []Token
	Faults        Faults
	Drop          map[string]int // route name to the status it answers
	// Dir keeps the bare repository; empty makes a temporary one that Close removes.
	Dir string
	// Git is the program that serves, Path the PATH on which it finds others; empty
	// means those of this process.
	Git, Path string
	// Clock is asked once for each thing that happens. The default starts at a
	// fixed moment and moves one second a call.
	Clock func() time.Time
	// BodyLimit is the longest body of an issue, comment or pull request, in
	// characters; 0 means 65536.
	BodyLimit int
	// Validate judges each exchange on the REST routes. An error is a Violation.
	Validate func(req *http.Request, reqBody []byte, status int, respHeader http.Header, respBody []byte) error
	// Wrap stands around every request, git's among them: it may act before or
	// after the answer is made, change it, or let it get lost.
	Wrap func(http.Handler) http.Handler
}

// Person is an account and its standing in the repository.
type Person struct {
	Login      string
	ID         int64 // 0 takes the next free one
	Permission forge.Permission
	Bot        bool
}

// Token is a credential of an App, or of a job, that acts as a bot account.
type Token struct {
	Value string
	Login string // an account; it is made as a bot when unknown
	// Permissions maps contents, issues, pull_requests, checks, statuses and
	// workflows to "read" or "write". Nil means DefaultPermissions.
	Permissions map[string]string
}

// DefaultPermissions is what a job of Warden asks for: no workflows, no
// administration.
func DefaultPermissions() map[string]string {
	return map[string]string{
		"metadata": "read", "contents": "write", "issues": "write",
		"pull_requests": "write", "checks": "write", "statuses": "write",
	}
}

// Faults are the ways in which the server can be unhelpful.
type Faults struct {
	DraftsUnsupported bool // creating a draft answers 422
	ReadyForbidden    bool // both draft mutations are refused
	PullsForbidden    bool // the setting that keeps jobs from opening pull requests
	ChecksForbidden   bool // check runs are refused, statuses are not
	RefuseWorkflows   bool // a push that touches .github/workflows is refused
	RateLimits        int  // so many of the next API requests are refused
	RateLimitStatus   int  // 403 or 429; 0 means 403
	Secondary         bool // those refusals are secondary limits
	FailGets          int  // so many of the next GET requests answer 502
	EditsForbidden    bool // GraphQL will not say when a text was last edited
	EventsLate        int  // so many of an issue's newest events are not listed yet
}

// The default cast.
const (
	Maintainer   = "mona"
	Writer       = "wil"
	Reader       = "rita"
	Stranger     = "sam"
	Bot          = "github-actions[bot]"
	DefaultToken = "ghs_forgetest_2vXq.canary-7f3a9c51d0b84e62_do-not-print"
)

func (o Options) filled() Options {
	if o.Repo == (forge.Repo{}) {
		o.Repo = forge.Repo{Owner: "octo", Name: "shop"}
	}
	if o.DefaultBranch == "" {
		o.DefaultBranch = "main"
	}
	if o.Files == nil {
		o.Files = map[string]string{"README.md": "# shop\n"}
	}
	if o.People == nil {
		o.People = []Person{
			{Login: Maintainer, Permission: forge.Maintain},
			{Login: Writer, Permission: forge.Write},
			{Login: Reader, Permission: forge.Read},
			{Login: Stranger, Permission: forge.None},
		}
	}
	if o.Tokens == nil {
		o.Tokens = []Token{{Value: DefaultToken, Login: Bot}}
	}
	if o.Clock == nil {
		o.Clock = stepping(time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC))
	}
	if o.BodyLimit == 0 {
		o.BodyLimit = 65536
	}
	o.Drop = maps.Clone(o.Drop)
	if o.Drop == nil {
		o.Drop = map[string]int{}
	}
	return o
}

// stepping is a clock for one goroutine at a time: the server asks it under its lock.
func stepping(at time.Time) func() time.Time {
	return func() time.Time {
		at = at.Add(time.Second)
		return at
	}
}
