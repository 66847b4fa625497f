package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// modelCommand is the script command
//
//	model FILE...
//
// It starts a model server on loopback and puts its address into $MODEL. The n-th
// request gets the n-th file, later ones the last: a status, then lines "write PATH
// TEXT" that a server with tools of its own would carry out, an empty line, and the
// body, in which @AUTH@ is the Authorization header of the request. What was asked
// is appended to $WORK/asked.
func modelCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: model FILE...")
	}
	var answers []string
	for _, name := range args {
		answers = append(answers, ts.ReadFile(name))
	}
	var mu sync.Mutex
	asked, log := 0, filepath.Join(ts.Getenv("WORK"), "asked")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 16<<20))
		mu.Lock()
		defer mu.Unlock()
		file := answers[min(asked, len(answers)-1)]
		asked++
		head, text, _ := strings.Cut(file, "\n\n")
		status, steps, _ := strings.Cut(head, "\n")
		for step := range strings.Lines(steps) {
			words := strings.SplitN(strings.TrimSpace(step), " ", 3)
			if len(words) == 3 && words[0] == "write" {
				err = os.WriteFile(words[1], []byte(words[2]+"\n"), 0o644)
			}
		}
		code, badly := strconv.Atoi(strings.TrimSpace(status))
		f, opened := os.OpenFile(log, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
		if err != nil || badly != nil || opened != nil {
			http.Error(w, fmt.Sprint("the script's server: ", err, badly, opened), http.StatusTeapot)
			return
		}
		defer f.Close()
		fmt.Fprintf(f, "%s %s\n%s\n", r.Method, r.URL, body)
		w.WriteHeader(code)
		_, _ = io.WriteString(w, strings.ReplaceAll(text, "@AUTH@", r.Header.Get("Authorization")))
	}))
	ts.Defer(s.Close)
	ts.Setenv("MODEL", s.URL)
}
