package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/tolboy/warden/internal/browser"
)

// servePages is a project's own server, `pages ADDRESS [MODE]`: it serves the
// working directory until it is ended. A mode makes it one of the servers that do
// not come up.
func servePages(args []string) int {
	if len(args) == 0 {
		fmt.Fprintln(os.Stderr, "usage: pages ADDRESS [MODE]")
		return 2
	}
	files := http.FileServer(http.Dir("."))
	var handler http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "no-store")
		files.ServeHTTP(w, r)
	})
	switch strings.Join(args[1:], "") {
	case "exits":
		fmt.Fprintln(os.Stderr, "pages: cannot read pages.conf")
		return 3
	case "babbles":
		chatter() // and never listens
	case "chatters":
		go chatter()
	case "fails":
		handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	case "late":
		<-time.After(1500 * time.Millisecond) // an answer that must be waited for
	case "tells":
		for _, kv := range os.Environ() {
			fmt.Println(kv)
		}
	case "writes":
		if err := os.WriteFile("page.html", []byte("<p>written by the preview</p>\n"), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	}
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		return 1
	}
	fmt.Fprintln(os.Stderr, "pages: at", args[0])
	_ = http.Serve(l, handler)
	return 0
}

// chatter prints without end.
func chatter() {
	for {
		fmt.Println(strings.Repeat("chatter ", 1000))
	}
}

// browserCommand is the script command `browser`: it puts a page and a server for
// it into the project.
func browserCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 0 {
		ts.Fatalf("usage: browser")
	}
	ts.Setenv(browser.Variable, os.Getenv(browser.Variable))
	// The server is a program in a directory of the home that is on PATH, where a
	// confined child may start it.
	bin := filepath.Join(ts.Getenv("HOME"), "bin")
	ts.Check(os.MkdirAll(bin, 0o755))
	self, err := os.Executable()
	ts.Check(err)
	ts.Check(copyProgram(self, filepath.Join(bin, "pages")))
	ts.Setenv("PATH", bin+string(os.PathListSeparator)+ts.Getenv("PATH"))
	ts.Check(copyTree(filepath.Join("testdata", "site"), ts.Getenv("REPO")))
	ts.Check(ts.Exec("git", "add", "-A"))
	ts.Check(ts.Exec("git", "commit", "-qm", "a page"))
}

// condition answers [browser]: whether pages can be looked at. Where a browser is
// required, its absence is a fault and no reason to skip.
func condition(name string) (bool, error) {
	switch name {
	case "browser":
		_, err := browser.Find("", os.Environ())
		if err != nil && (os.Getenv("WARDEN_REQUIRE_BROWSER") == "1" || os.Getenv("CI") == "true") {
			return false, fmt.Errorf("a browser is required here: %w", err)
		}
		return err == nil, nil
	case "casefold":
		return folds()
	}
	return false, fmt.Errorf("unknown condition %q", name)
}

func copyProgram(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	if _, err = io.Copy(out, in); err != nil {
		return err
	}
	return out.Close()
}

// serveCommand is the script command `serve TEXT`: somebody else's server on
// loopback, whose port becomes $PORT.
func serveCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: serve text")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, args[0]) }), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.Serve(l) }()
	ts.Defer(func() { _ = s.Close() })
	_, port, err := net.SplitHostPort(l.Addr().String())
	ts.Check(err)
	ts.Setenv("PORT", port)
}
