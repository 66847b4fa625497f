package forgecases

import (
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// model is the server that every vendor calls before it does its work. A test
// may do something while the call is in flight.
type model struct {
	port int

	mu    sync.Mutex
	calls []string // roles, oldest first
	hooks map[int]func()
}

func newModel(t *testing.T) *model {
	m := &model{hooks: map[int]func(){}}
	server := httptest.NewServer(http.HandlerFunc(m.serve))
	t.Cleanup(server.Close)
	m.port = server.Listener.Addr().(*net.TCPAddr).Port
	return m
}

func (m *model) serve(w http.ResponseWriter, r *http.Request) {
	m.mu.Lock()
	m.calls = append(m.calls, strings.TrimPrefix(r.URL.Path, "/"))
	hook := m.hooks[len(m.calls)]
	m.mu.Unlock()
	if hook != nil {
		hook()
	}
	w.WriteHeader(http.StatusNoContent)
}

// during lets f happen while the n-th call from now is in flight.
func (m *model) during(n int, f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hooks[len(m.calls)+n] = f
}

func (m *model) made() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.calls)
}
