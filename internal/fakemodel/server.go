// Package fakemodel is a model server for tests. It listens on loopback, speaks
// the four wire formats that agent CLIs use, and answers from a script: it asks
// the CLI to edit a file with the CLI's own tool, then says its last word. It can
// also fail in the ways in which real services fail.
package fakemodel

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
)

// maxBody bounds what is read of one request, in bytes.
const maxBody = 16 << 20

// Turn is one answer of the model. The first that is set counts: a fault, an
// edit, a file to be read, a shell command, a text.
type Turn struct {
	Fault Fault
	Edit  *Edit
	Read  string // the absolute path of a file that the CLI's own tool shall read
	Shell string
	Text  string
}

// Edit asks for a file with this content, through whichever tool the CLI offers
// for it. The path is absolute.
type Edit struct{ Path, Content string }

// Request is one call that a CLI made.
type Request struct {
	API     string // responses, chat, messages, gemini, other
	Method  string
	Path    string
	Header  http.Header
	Body    []byte
	Model   string
	Prompt  string   // every text that the user's side sent
	Tools   []string // names on offer; none for the side calls that CLIs make
	Results int      // tool results in the conversation so far
	Stream  bool
}

// Server is a running model server. Its methods may be used at the same time.
type Server struct {
	http   *httptest.Server
	script func(Request) Turn
	done   chan struct{}
	once   sync.Once
	mu     sync.Mutex
	seen   []Request
}

// Script plays turns in order. Which turn is due follows from the tool results
// in the request, so a CLI that tries again gets the same turn; the last turn
// repeats.
func Script(turns ...Turn) func(Request) Turn {
	return func(r Request) Turn {
		if len(turns) == 0 {
			return Turn{Text: "ok"}
		}
		return turns[min(r.Results, len(turns)-1)]
	}
}

// New starts a server that asks script for each answer. Side calls without
// tools, such as for a title, get a short text unless the script has a fault.
func New(script func(Request) Turn) *Server {
	s := &Server{script: script, done: make(chan struct{})}
	s.http = httptest.NewServer(s)
	return s
}

// URL is the address of the server, without a trailing slash.
func (s *Server) URL() string { return s.http.URL }

// Close ends the server and every answer that hangs.
func (s *Server) Close() {
	s.once.Do(func() { close(s.done) })
	s.http.CloseClientConnections()
	s.http.Close()
}

// Requests returns what was asked so far, in order.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Request(nil), s.seen...)
}

// Turns returns the requests that asked the model to work: those with tools.
func (s *Server) Turns() []Request {
	var out []Request
	for _, r := range s.Requests() {
		if len(r.Tools) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	body, err := io.ReadAll(io.LimitReader(h.Body, maxBody))
	if err != nil {
		http.Error(w, "read: "+err.Error(), http.StatusBadRequest)
		return
	}
	r := parse(h, body)
	s.mu.Lock()
	s.seen = append(s.seen, r)
	s.mu.Unlock()
	if r.API == "other" {
		other(w, h)
		return
	}
	turn := s.script(r)
	if turn.Fault != "" {
		s.fault(w, h, r, turn.Fault)
		return
	}
	if len(r.Tools) == 0 {
		turn = Turn{Text: "A short title"}
	}
	a := r.answer(turn)
	switch r.API {
	case "responses":
		writeResponses(w, r, a)
	case "chat":
		writeChat(w, r, a)
	case "messages":
		writeMessages(w, r, a)
	case "gemini":
		writeGemini(w, r, a)
	}
}

// other answers what CLIs ask beside the model.
func other(w http.ResponseWriter, h *http.Request) {
	if h.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return
	}
	if strings.HasSuffix(h.URL.Path, "/models") {
		writeJSON(w, http.StatusOK, map[string]any{"object": "list", "data": []any{
			map[string]any{"id": "fake", "object": "model", "created": 1, "owned_by": "fake"},
		}})
		return
	}
	if strings.HasSuffix(h.URL.Path, ":countTokens") || strings.HasSuffix(h.URL.Path, "/count_tokens") {
		writeJSON(w, http.StatusOK, map[string]any{"totalTokens": 100, "input_tokens": 100})
		return
	}
	http.NotFound(w, h)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(v); err != nil {
		return // the client went away
	}
}

// stream writes server-sent events.
type stream struct{ w http.ResponseWriter }

func startStream(w http.ResponseWriter) stream {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.WriteHeader(http.StatusOK)
	return stream{w}
}

// send writes one event; a client that went away ends the request anyway.
func (s stream) send(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		data = []byte(`{"error":"unencodable"}`)
	}
	if name != "" {
		name = "event: " + name + "\n"
	}
	if _, err := io.WriteString(s.w, name+"data: "+string(data)+"\n\n"); err != nil {
		return
	}
	if f, ok := s.w.(http.Flusher); ok {
		f.Flush()
	}
}
