// Package forgetest is a GitHub-shaped forge on loopback for tests and for the
// demonstration: REST, the few GraphQL calls Warden makes, and real git over
// HTTP, all over one state that people can act on. It pages in twos, refuses
// whatever it does not know, and records each breach as a Violation.
//
// What it does follows GitHub's REST description and published webhook
// payloads; the tests of forge/github hold it against both.
package forgetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/tolboy/warden/forge"
)

// Server is one repository on one forge. It is safe for concurrent use.
type Server struct {
	opts Options
	url  string
	dir  string // the bare repository

	temp   string // removed by Close when not empty
	http   *http.Server
	ctx    context.Context
	cancel context.CancelFunc
	served chan struct{}

	gitMu sync.Mutex // one writer of the bare repository at a time

	mu         sync.Mutex
	lastID     int64
	lastNumber int
	accounts   []*account
	tickets    []*ticket
	remarks    []*remark
	checks     []*checkRun
	statuses   []*commitStatus
	branches   map[string]branch
	differed   differed
	deliveries []Delivery
	violations []Violation
	log        []Request
	created    time.Time
}

type branch struct {
	sha     string
	creator *account // nil: it was there from the start
}

// New starts a server on loopback. It needs git on PATH.
func New(o Options) (*Server, error) {
	s := &Server{opts: o.filled(), branches: map[string]branch{}, served: make(chan struct{})}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	// Ids of reviews and comments passed 32 bits on the real forge.
	s.lastID = 3_000_000_000
	s.created = s.opts.Clock()
	if err := s.populate(); err != nil {
		s.cancel()
		return nil, err
	}
	s.dir = s.opts.Dir
	if s.dir == "" {
		temp, err := os.MkdirTemp("", "forgetest-")
		if err != nil {
			s.cancel()
			return nil, fmt.Errorf("make a directory for the repository: %w", err)
		}
		s.temp, s.dir = temp, filepath.Join(temp, s.opts.Repo.Name+".git")
	}
	if err := s.initRepository(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("listen on loopback: %w", err), s.Close())
	}
	s.url = "http://" + listener.Addr().String()
	var handler http.Handler = http.HandlerFunc(s.serve)
	if s.opts.Wrap != nil {
		handler = s.opts.Wrap(handler)
	}
	s.http = &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	go func() {
		defer close(s.served)
		// Serve always ends with an error, and Close is what ends it.
		_ = s.http.Serve(listener)
	}()
	return s, nil
}

// Close ends the server and removes its temporary repository.
func (s *Server) Close() error {
	s.cancel()
	var err error
	if s.http != nil {
		err = s.http.Close()
		<-s.served
	}
	if s.temp != "" {
		err = errors.Join(err, os.RemoveAll(s.temp))
	}
	return err
}

func (s *Server) populate() error {
	next := int64(1000)
	for _, p := range s.opts.People {
		if p.Login == "" {
			return errors.New("make an account: it has no login")
		}
		if _, err := s.account(p.Login); err == nil {
			return fmt.Errorf("make account %q: the login is taken", p.Login)
		}
		if p.ID == 0 {
			next++
			p.ID = next
		}
		s.accounts = append(s.accounts, &account{id: p.ID, login: p.Login, bot: p.Bot, role: p.Permission})
	}
	for _, t := range s.opts.Tokens {
		if t.Value == "" {
			return fmt.Errorf("make a token of %q: it is empty", t.Login)
		}
		if _, err := s.account(t.Login); err == nil {
			continue
		}
		id := int64(41898282) // the account of the real Actions bot
		if t.Login != Bot {
			next++
			id = next
		}
		s.accounts = append(s.accounts, &account{id: id, login: t.Login, bot: true, role: forge.None})
	}
	return nil
}

// Repo names the repository.
func (s *Server) Repo() forge.Repo { return s.opts.Repo }

// URL is the server's root, as GITHUB_SERVER_URL has it.
func (s *Server) URL() string { return s.url }

// APIURL is the root of the REST routes, as GITHUB_API_URL has it.
func (s *Server) APIURL() string { return s.url + "/api/v3" }

// GraphQLURL is the GraphQL route, as GITHUB_GRAPHQL_URL has it.
func (s *Server) GraphQLURL() string { return s.url + "/api/graphql" }

// CloneURL is where git fetches from and pushes to.
func (s *Server) CloneURL() string { return s.url + "/" + s.opts.Repo.String() + ".git" }

// GitDir is the bare repository on disk, for looking at.
func (s *Server) GitDir() string { return s.dir }

// DefaultBranch is the name of the default branch.
func (s *Server) DefaultBranch() string { return s.opts.DefaultBranch }

// Faults returns the faults in force.
func (s *Server) Faults() Faults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.opts.Faults
}

// SetFaults replaces the faults in force.
func (s *Server) SetFaults(f Faults) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Faults = f
}

// DropRoute makes a route of Routes answer nothing but this status.
func (s *Server) DropRoute(name string, status int) error {
	if !slices.Contains(Routes(), name) {
		return fmt.Errorf("drop route %q: there is none of that name", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opts.Drop[name] = status
	return nil
}

// RestoreRoutes takes back every DropRoute.
func (s *Server) RestoreRoutes() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.opts.Drop)
}
