package forgetest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const maxPush = 256 << 20

// The routes of git's own protocol, each with what it needs of contents.
var gitRoutes = map[string]string{
	"git.fetch.refs": "read", "git.fetch": "read", "git.push.refs": "write", "git.push": "write",
}

func gitRoute(r *http.Request, file string) string {
	switch service := r.URL.Query().Get("service"); {
	case r.Method == "GET" && file == "info/refs" && service == "git-upload-pack":
		return "git.fetch.refs"
	case r.Method == "GET" && file == "info/refs" && service == "git-receive-pack":
		return "git.push.refs"
	case r.Method == "POST" && file == "git-upload-pack":
		return "git.fetch"
	case r.Method == "POST" && file == "git-receive-pack":
		return "git.push"
	}
	return ""
}

func (s *Server) serveGit(w http.ResponseWriter, r *http.Request, file string) {
	route := gitRoute(r, file)
	rec := newAnswer()
	authorised := s.answerGit(rec, r, route)
	s.keep(Request{Route: route, Method: r.Method, Path: r.URL.RequestURI(), Auth: authorised, Status: rec.status})
	rec.send(w)
}

// answerGit reports whether the request carried a credential that is known.
func (s *Server) answerGit(w *answer, r *http.Request, route string) bool {
	if route == "" {
		s.violate(UnknownRoute, describe(r))
		http.Error(w, "Not Found", http.StatusNotFound)
		return false
	}
	user, value, given := r.BasicAuth()
	if !given {
		// Git always asks without a credential first.
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Authentication required", http.StatusUnauthorized)
		return false
	}
	token, who := s.token(value)
	if who == nil || user != "x-access-token" {
		s.violate(BadCredential, describe(r)+": a credential that is not known")
		w.Header().Set("WWW-Authenticate", `Basic realm="GitHub"`)
		http.Error(w, "Invalid username or password", http.StatusUnauthorized)
		return false
	}
	if status := s.dropped(route); status != 0 {
		http.Error(w, "dropped by the test", status)
		return true
	}
	if need := gitRoutes[route]; !grants(token, "contents", need) {
		http.Error(w, "Write access to repository not granted.", http.StatusForbidden)
		return true
	}
	body, err := readBody(w, r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return true
	}
	if route != "git.push" {
		s.backend(w, r, body, "")
		return true
	}
	s.receive(w, r, body, token, who)
	return true
}

// receive takes a push: one at a time, so that what moved is this push's doing.
func (s *Server) receive(w *answer, r *http.Request, body []byte, token Token, who *account) {
	s.gitMu.Lock()
	defer s.gitMu.Unlock()
	s.watchPush(r, body, who)
	reasons := ""
	if s.Faults().RefuseWorkflows && !grants(token, "workflows", "write") {
		reasons = filepath.Join(s.dir, "forgetest-reasons")
		defer os.Remove(reasons)
	}
	pushed := newAnswer()
	s.backend(pushed, r, body, reasons)
	if refused := readReasons(reasons); len(refused) > 0 {
		pushed.body = *bytes.NewBuffer(refusalText(pushed.body.Bytes(), refused))
		pushed.Header().Del("Content-Length")
	}
	moved := func(ref string) bool { return strings.HasPrefix(ref, "refs/heads/") }
	if slices.ContainsFunc(pushedRefs(body), moved) {
		if err := s.sync(who); err != nil {
			http.Error(w, "forgetest: "+err.Error(), http.StatusInternalServerError)
			return
		}
	}
	pushed.send(w)
}

// backend has git serve the request: the list of refs, or the exchange itself.
// These are the programs that git http-backend would start.
func (s *Server) backend(w http.ResponseWriter, r *http.Request, body []byte, reasons string) {
	service := strings.TrimPrefix(path.Base(r.URL.Path), "git-")
	kind, args := "result", []string{"--stateless-rpc", s.dir}
	if name, asked := strings.CutPrefix(r.URL.Query().Get("service"), "git-"); asked {
		service, kind, args = name, "advertisement", []string{"--stateless-rpc", "--http-backend-info-refs", s.dir}
	}
	var env []string
	if v := r.Header.Get("Git-Protocol"); v != "" {
		env = append(env, "GIT_PROTOCOL="+v)
	}
	if reasons != "" {
		env = append(env, "FORGETEST_REASONS="+reasons)
	}
	command := append([]string{service}, args...)
	if reasons == "" {
		command = append([]string{"-c", "core.hooksPath=" + os.DevNull}, command...) // it would refuse nothing
	}
	cmd := s.command(env, command...)
	out := &limitedBuffer{limit: maxPush}
	cmd.Stdin, cmd.Stdout = bytes.NewReader(body), out
	if err := cmd.Run(); err != nil && out.Len() == 0 {
		// Git itself has answered a refusal; where it said nothing, the server did.
		http.Error(w, "forgetest: git "+service+": "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/x-git-"+service+"-"+kind)
	w.Header().Set("Cache-Control", "no-cache")
	if kind == "advertisement" && !strings.Contains(r.Header.Get("Git-Protocol"), "version=2") {
		var announced bytes.Buffer
		writePkt(&announced, []byte("# service=git-"+service+"\n"))
		announced.WriteString("0000")
		_, _ = w.Write(announced.Bytes())
	}
	_, _ = w.Write(out.Bytes())
}

// limitedBuffer refuses what goes beyond its limit.
type limitedBuffer struct {
	bytes.Buffer
	limit int
}

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > b.limit {
		return 0, fmt.Errorf("more than %d bytes", b.limit)
	}
	return b.Buffer.Write(p)
}

// readBody reads a request of at most maxPush bytes, packed or not.
func readBody(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	in := io.Reader(http.MaxBytesReader(w, r.Body, maxPush))
	if r.Header.Get("Content-Encoding") == "gzip" {
		packed, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("unpack the request: %w", err)
		}
		in = packed
	}
	body, err := io.ReadAll(io.LimitReader(in, maxPush+1))
	if err == nil && len(body) > maxPush {
		err = fmt.Errorf("more than %d bytes", maxPush)
	}
	return body, err
}

// watchPush records a push that would move a branch somebody else made.
func (s *Server) watchPush(r *http.Request, body []byte, who *account) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ref := range pushedRefs(body) {
		name, isBranch := strings.CutPrefix(ref, "refs/heads/")
		if b, known := s.branches[name]; isBranch && known && b.creator != who {
			s.breach(ForeignPush, fmt.Sprintf("%s: %s moves %s", describe(r), who.login, ref))
		}
	}
}

// pushedRefs reads the names of the refs from the command list of a push.
func pushedRefs(body []byte) []string {
	var refs []string
	for line, rest, ok := pktLine(body); ok && line != nil; line, rest, ok = pktLine(rest) {
		command, _, _ := strings.Cut(string(line), "\x00")
		if f := strings.Fields(command); len(f) == 3 {
			refs = append(refs, f[2])
		}
	}
	return refs
}
