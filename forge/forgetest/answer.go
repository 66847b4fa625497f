package forgetest

import (
	"bytes"
	"net/http"
)

// answer holds a response until it is whole, so that it can be judged, logged
// and rewritten before it is sent.
type answer struct {
	status int
	header http.Header
	body   bytes.Buffer
}

func newAnswer() *answer { return &answer{status: http.StatusOK, header: http.Header{}} }

// Header implements http.ResponseWriter.
func (a *answer) Header() http.Header { return a.header }

// WriteHeader implements http.ResponseWriter.
func (a *answer) WriteHeader(status int) { a.status = status }

// Write implements http.ResponseWriter.
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

func (a *answer) send(w http.ResponseWriter) {
	for k, v := range a.header {
		w.Header()[k] = v
	}
	w.WriteHeader(a.status)
	// A client that hung up is the only one there is to tell.
	_, _ = w.Write(a.body.Bytes())
}
