package demo

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// scenario is what the browser must show: it can only hold when the page greets.
const scenario = `800x450: testid=sign text-equals="Hello, visitor!" -> no-console-errors`

// page is the story's page: where it is served, and the home of the program that
// serves it. Zero when no browser looks.
type page struct {
	address string // host and port
	home    string
}

// openPage finds a free port and puts this program where a confined child can start
// it: in a directory of PATH that lies in the home. The path by which a person started
// it may be below /tmp, which no child sees.
func openPage(dir, self string) (page, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return page{}, fmt.Errorf("find a port for the demonstration's page: %w", err)
	}
	p := page{address: l.Addr().String(), home: filepath.Join(dir, "home")}
	if err := l.Close(); err != nil {
		return page{}, fmt.Errorf("find a port for the demonstration's page: %w", err)
	}
	bin := filepath.Join(p.home, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return page{}, fmt.Errorf("make a place for the page's server: %w", err)
	}
	if err := place(self, filepath.Join(bin, "warden")); err != nil {
		return page{}, fmt.Errorf("put the page's server in its place: %w", err)
	}
	return p, nil
}

// place links a program, or copies it to another file system.
func place(from, to string) error {
	if os.Link(from, to) == nil {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = out.ReadFrom(in)
	return errors.Join(err, out.Close())
}

// close removes the program: nobody needs a second one beside the evidence.
func (p page) close() {
	if p.home != "" {
		_ = os.RemoveAll(p.home)
	}
}

// declare puts the page into the project's contract.
func (p page) declare(files map[string]string) {
	name := ".warden/project.yaml"
	files[name] = strings.Replace(files[name], "    - greeting.txt\n", "    - greeting.txt\n    - index.html\n", 1) +
		"preview:\n  start: warden demo page --address " + p.address + "\n  url: http://" + p.address + "/\n"
}

// environ makes the page's home the one of the job.
func (p page) environ(environ []string) []string {
	if p.home == "" {
		return environ
	}
	out := []string{}
	for _, kv := range environ {
		name, value, _ := strings.Cut(kv, "=")
		switch name {
		case "HOME":
			continue
		case "PATH":
			kv = "PATH=" + filepath.Join(p.home, "bin") + string(os.PathListSeparator) + value
		}
		out = append(out, kv)
	}
	return append(out, "HOME="+p.home)
}

// ServePage serves index.html of a directory at an address until ctx ends. It is what
// the demonstration's project declares as its preview.
func ServePage(ctx context.Context, dir, address string) error {
	l, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve the page: %w", err)
	}
	server := &http.Server{ReadHeaderTimeout: 10 * time.Second, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent) // an icon, which is no error of the page
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		http.ServeFile(w, r, filepath.Join(dir, "index.html"))
	})}
	stop := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stop()
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve the page: %w", err)
	}
	return nil
}
