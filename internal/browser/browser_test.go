package browser

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/scenario"
)

// theBrowser is the browser of this machine, or skips the test.
func theBrowser(t testing.TB) string {
	t.Helper()
	path, err := Find("", os.Environ())
	if err != nil {
		if os.Getenv("WARDEN_REQUIRE_BROWSER") == "1" || os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skipf("the driver is tried in a real browser only: %v", err)
	}
	return path
}

// site serves testdata/site and what the handlers add to it.
func site(t testing.TB, more map[string]http.HandlerFunc) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir("testdata/site")))
	for path, h := range more {
		mux.HandleFunc(path, h)
	}
	s := httptest.NewServer(mux)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s.URL
}

// html answers with a page.
func html(body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<!doctype html><link rel=icon href=data:,><title>t</title>" + body))
	}
}

func parse(t testing.TB, texts ...string) []scenario.Scenario {
	t.Helper()
	var out []scenario.Scenario
	for _, text := range texts {
		s, faults := scenario.Parse(text)
		if len(faults) > 0 {
			t.Fatalf("%s: %v", text, faults)
		}
		out = append(out, s)
	}
	return out
}

// look runs scenarios at an address and returns the report.
func look(t testing.TB, address string, texts ...string) Report {
	t.Helper()
	return lookWith(t, Options{Address: address}, texts...)
}

func lookWith(t testing.TB, o Options, texts ...string) Report {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	o.Browser = theBrowser(t)
	if o.Dir == "" {
		o.Dir = t.TempDir()
	}
	r, err := Run(ctx, parse(t, texts...), o)
	if err != nil {
		t.Fatalf("run: %v\n%+v", err, r)
	}
	return r
}
