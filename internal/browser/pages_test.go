package browser

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestFramework looks at a page that a framework draws. Its build is installed from
// npm by scripts/test, which names the directory.
func TestFramework(t *testing.T) {
	dir := os.Getenv("WARDEN_FRAMEWORK_BUILD")
	if dir == "" {
		if os.Getenv("WARDEN_REQUIRE_BROWSER") == "1" || os.Getenv("CI") == "true" {
			t.Fatal("WARDEN_FRAMEWORK_BUILD names no directory")
		}
		t.Skip("no framework's build is installed: scripts/test names it in WARDEN_FRAMEWORK_BUILD")
	}
	address := site(t, map[string]http.HandlerFunc{
		"/build/": http.StripPrefix("/build/", http.FileServer(http.Dir(dir))).ServeHTTP,
	})
	judged(t, address+"/framework.html", []verdict{
		{`css=li count=1 -> testid=new fill=Bread -> testid=add click -> css=li count=2 -> text=Bread visible -> testid=new text-equals="" -> role=status text-equals="2 in the list" -> no-console-errors`, ""},
		{"testid=add click", "it is disabled"},
	})
}

// TestNoFixedPause holds that nothing here waits for a time to pass but the step that
// says so.
func TestNoFixedPause(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	pause := regexp.MustCompile(`time\.(Sleep|After|Tick|NewTimer|NewTicker|AfterFunc)\b|chromedp\.Sleep`)
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		allowed := 0
		if f == "play.go" {
			allowed = 1 // hold, for the step wait
		}
		if got := pause.FindAllString(string(text), -1); len(got) != allowed {
			t.Errorf("%s has %v", f, got)
		}
	}
	script, err := os.ReadFile("js/page.js")
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(script), "setTimeout"); n != 1 {
		t.Errorf("js/page.js has %d timers; the one is the bound of a frame that does not come", n)
	}
}
