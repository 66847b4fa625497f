// Package preview brings up the page that a task is about: it starts the command
// that serves it, waits until the address answers, makes sure that what answers is
// what was started, and ends all of it. What keeps the page from being there is a
// Fault; the sentences of one quote the command's own output, which is foreign.
package preview

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

// Request asks for a page.
type Request struct {
	URL string // http or https, with a loopback host where Command serves it
	// Command serves the page. Empty means that somebody serves it already.
	Command string
	Dir     string
	Env     []string // complete; see proc.Environ
	Sandbox *sandbox.Spec
	Bwrap   string
	// Private says that the network namespace is this request's alone, so that
	// whoever listens in it was started here.
	Private bool
	Ready   time.Duration // how long it may take to answer; 0 means ReadyLimit
}

// ReadyLimit is how long a command may take until its page answers.
const ReadyLimit = 45 * time.Second

// Why is what kept a page from being there.
type Why string

// The reasons.
const (
	Occupied   Why = "port_occupied"   // somebody else answers at the address
	Undeclared Why = "no_command"      // nobody answers, and no command is known
	Elsewhere  Why = "address_foreign" // a command cannot serve that address
	Unstarted  Why = "not_started"
	Exited     Why = "exited"
	Late       Why = "not_ready" // nobody answered in time
	Failing    Why = "status"    // it answers with a status of 500 or more
	Cancelled  Why = "cancelled"
)

// Fault says why there is no page.
type Fault struct {
	Why  Why
	Text string
	// Lines are the last ones that a command printed of which no page came, LastWords
	// bytes at most, and Dropped how many there were before.
	Lines   []string
	Dropped int
}

// Code is the outcome that a fault comes to.
func (f Fault) Code() outcome.Code {
	switch f.Why {
	case Occupied:
		return outcome.VisualPortOccupied
	case Cancelled:
		return outcome.Interrupted
	}
	return outcome.VisualUnavailable
}

// Server is a page that answers. Close ends it.
type Server struct {
	url    string
	log    *Log
	cancel context.CancelFunc
	done   chan struct{}
	result proc.Result
	err    error
	family *proc.Family
	free   bool // nobody may answer once the command is gone
}

// Open returns when the page answers, or says why it does not. The caller closes
// the server of a nil fault; of another one nothing is left running.
func Open(ctx context.Context, req Request) (*Server, *Fault) {
	port, err := portOf(req.URL)
	if err != nil {
		return nil, &Fault{Why: Elsewhere, Text: err.Error()}
	}
	if req.Command == "" {
		return existing(ctx, req)
	}
	if !Local(req.URL) {
		return nil, &Fault{Why: Elsewhere, Text: fmt.Sprintf("a command cannot serve %s: only 127.0.0.1, [::1] and localhost are this machine's alone", req.URL)}
	}
	if Taken(ctx, req.URL) {
		return nil, &Fault{Why: Occupied, Text: fmt.Sprintf("something answers at %s already, and the task's command is to serve it", req.URL)}
	}
	s := start(ctx, req)
	if fault := s.ready(ctx, req, port); fault != nil {
		closing := s.Close()
		if fault.Why != Cancelled {
			fault.Text += closing.said()
			fault.Lines, fault.Dropped = closing.lastWords()
		}
		return nil, fault
	}
	return s, nil
}

// existing uses a server that somebody else started.
func existing(ctx context.Context, req Request) (*Server, *Fault) {
	status, err := Probe(ctx, req.URL)
	switch {
	case ctx.Err() != nil:
		return nil, &Fault{Why: Cancelled, Text: "the look at the page was cancelled"}
	case err != nil:
		return nil, &Fault{Why: Undeclared, Text: fmt.Sprintf("nobody answers at %s (%v), and no command that serves it is declared or was found; set visual_qa.start", req.URL, err)}
	case status >= 500:
		return nil, &Fault{Why: Failing, Text: fmt.Sprintf("the server at %s answers with status %d", req.URL, status)}
	}
	done := make(chan struct{})
	close(done)
	return &Server{url: req.URL, log: &Log{}, cancel: func() {}, done: done}, nil
}

// start starts the command and does not wait for anything.
func start(ctx context.Context, req Request) *Server {
	inner, cancel := context.WithCancel(ctx)
	s := &Server{url: req.URL, log: &Log{}, cancel: cancel, done: make(chan struct{}), free: !req.Private}
	began := make(chan struct{})
	go func() {
		defer close(s.done)
		s.result, s.err = proc.Run(inner, proc.Command{
			Argv: proc.Shell(req.Command, req.Env), Dir: req.Dir, Env: req.Env, Sandbox: req.Sandbox, Bwrap: req.Bwrap,
			MaxOutput: 4 << 10, MaxLine: maxLine, OnLine: s.log.take,
			Started: func(f *proc.Family) { s.family = f; close(began) },
		})
	}()
	select {
	case <-began:
	case <-s.done:
	}
	return s
}

// ready polls until the page answers, the command ends, or the time is up.
func (s *Server) ready(ctx context.Context, req Request, port int) *Fault {
	limit := req.Ready
	if limit == 0 {
		limit = ReadyLimit
	}
	timed, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	again := time.NewTicker(pollEvery)
	defer again.Stop()
	ill := 0 // the status of the last answer that was no page
	for {
		status, err := Probe(timed, s.url)
		if err == nil && status < 500 {
			return s.ours(req, port)
		}
		if err == nil {
			ill = status
		}
		select {
		case <-s.done:
			return s.ended(ctx)
		default:
		}
		select {
		case <-s.done:
			return s.ended(ctx)
		case <-again.C:
			continue
		case <-timed.Done():
		}
		break
	}
	switch {
	case ctx.Err() != nil:
		return &Fault{Why: Cancelled, Text: "the start of the preview was cancelled"}
	case ill > 0:
		return &Fault{Why: Failing, Text: fmt.Sprintf("the preview answers at %s with status %d, and did until %s were over", s.url, ill, limit)}
	}
	return &Fault{Why: Late, Text: fmt.Sprintf("the preview did not answer at %s within %s", s.url, limit)}
}

// ours makes sure that it was not somebody else who answered. Where the system
// does not tell whose a socket is, Close does: a stranger outlives the command.
func (s *Server) ours(req Request, port int) *Fault {
	if req.Private {
		return nil
	}
	select {
	case <-s.done:
		return &Fault{Why: Occupied, Text: fmt.Sprintf("something answers at %s although the command that is to serve it has ended", s.url)}
	default:
	}
	own, err := s.family.Listens(port)
	if err == nil && !own {
		return &Fault{Why: Occupied, Text: fmt.Sprintf("what answers at %s is not what the task's command started", s.url)}
	}
	return nil
}

// ended says how a command came to its end before its page answered.
func (s *Server) ended(ctx context.Context) *Fault {
	switch r := s.result; {
	case ctx.Err() != nil:
		return &Fault{Why: Cancelled, Text: "the start of the preview was cancelled"}
	case s.err != nil:
		return &Fault{Why: Unstarted, Text: fmt.Sprintf("start the preview: %v", s.err)}
	case r.StartErr != nil:
		return &Fault{Why: Unstarted, Text: fmt.Sprintf("start the preview: %v", r.StartErr)}
	case r.Signal != "":
		return &Fault{Why: Exited, Text: fmt.Sprintf("the preview was ended by %s before %s answered", r.Signal, s.url)}
	default:
		return &Fault{Why: Exited, Text: fmt.Sprintf("the preview exited with status %d before %s answered", r.ExitCode, s.url)}
	}
}

// portOf is the port of an address.
func portOf(address string) (int, error) {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" {
		return 0, fmt.Errorf("%q is no address of a page", address)
	}
	switch {
	case u.Port() != "":
		port, err := strconv.ParseUint(u.Port(), 10, 16)
		if err != nil || port == 0 {
			return 0, fmt.Errorf("%q has no port that a page can be at", address)
		}
		return int(port), nil
	case u.Scheme == "https":
		return 443, nil
	case u.Scheme == "http":
		return 80, nil
	}
	return 0, fmt.Errorf("%q is neither http nor https", address)
}

// Local reports whether an address is this machine's own by its very name, so that a
// command can serve it.
func Local(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}
