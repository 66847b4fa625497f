package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/visual"
)

// lookChecks over lookSizes are what testdata/bench/playwright.mjs does too.
var (
	lookSizes  = []string{"1280x720", "800x600", "390x844"}
	lookChecks = []string{"css=h1 visible", "css=h1 visible -> text=A note visible", `role=button[name="Save"] visible`, "css=#gone hidden", "css=#soon visible", "testid=save visible -> no-console-errors"}
)

// BenchmarkLook is the whole `warden visual-qa` over eighteen pictures, its preview and
// its confinement included, and lets Playwright do the checks with the same browser in
// turn; the ratio is what counts. WARDEN_PLAYWRIGHT is the directory that
// playwright-core is installed in.
func BenchmarkLook(b *testing.B) {
	at := os.Getenv("WARDEN_PLAYWRIGHT")
	if at == "" {
		b.Fatal("WARDEN_PLAYWRIGHT names no directory with playwright-core; scripts/bench browser sets it")
	}
	path, err := browser.Find("", os.Environ())
	if err != nil {
		b.Fatal(err)
	}
	p := lookProject(b)
	server := httptest.NewServer(http.FileServer(http.Dir(p.repo)))
	defer server.Close()
	var ours, one, two time.Duration
	var parts parts
	for n := 0; b.Loop(); n++ {
		took, report := p.look(b, fmt.Sprintf("look-%d", n))
		ours += took
		parts.add(took, report)
		one += playwright(b, at, path, server.URL+"/plain.html", 1)
		two += playwright(b, at, path, server.URL+"/plain.html", 2)
	}
	n, best := float64(b.N), min(one, two)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours.Seconds()/n, "warden-s")
	b.ReportMetric(one.Seconds()/n, "playwright-s")
	b.ReportMetric(two.Seconds()/n, "playwright-2-s")
	b.ReportMetric(ours.Seconds()/best.Seconds(), "ratio")
	b.ReportMetric(parts.browser/best.Seconds(), "browser-ratio")
	b.Log(parts.text(n))
}

// project is a checkout whose page the benchmark looks at.
type project struct {
	program, repo string
	env           []string
}

func lookProject(b *testing.B) project {
	b.Helper()
	dir := b.TempDir()
	p := project{program: filepath.Join(dir, "warden"), repo: filepath.Join(dir, "repo")}
	home, bin := filepath.Join(dir, "home"), filepath.Join(dir, "home", "bin")
	build := exec.Command("go", "build", "-o", p.program, ".")
	if out, err := build.CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	var yaml strings.Builder
	yaml.WriteString("version: 1\nid: page\ngoal: Show the page.\nrisk: low\nscope: [plain.html]\nchecks: [\"test -s plain.html\"]\n" +
		"visual_qa:\n  required: true\n  start: pages 127.0.0.1:4173\n  url: http://127.0.0.1:4173/plain.html\n  scenarios:\n")
	for _, c := range lookChecks {
		for _, s := range lookSizes {
			fmt.Fprintf(&yaml, "    - %q\n", s+": "+c)
		}
	}
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for _, err := range []error{
		copyTree("testdata/repo", p.repo), copyTree("testdata/home", home), copyTree("../../internal/browser/testdata/site", p.repo),
		os.MkdirAll(bin, 0o755), copyProgram(self, filepath.Join(bin, "pages")),
		os.WriteFile(filepath.Join(p.repo, ".warden", "tasks", "page.yaml"), []byte(yaml.String()), 0o644),
		firstCommit(home, p.repo),
	} {
		if err != nil {
			b.Fatal(err)
		}
	}
	p.env = append(os.Environ(), "HOME="+home, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1",
		"WARDEN_STATE_DIR="+filepath.Join(dir, "state"), "NO_COLOR=1")
	return p
}

// look looks once, and returns how long the program took and what it reported.
func (p project) look(b *testing.B, id string) (time.Duration, visual.Report) {
	b.Helper()
	cmd := exec.CommandContext(b.Context(), p.program, "visual-qa", "page", "--run-id", id)
	cmd.Dir, cmd.Env = p.repo, p.env
	began := time.Now()
	out, err := cmd.CombinedOutput()
	took := time.Since(began)
	if err != nil {
		b.Fatalf("warden visual-qa: %v\n%s", err, out)
	}
	var r visual.Report
	data, err := os.ReadFile(filepath.Join(p.repo, ".warden", "runs", id+"--visual-qa-0", visual.FileName))
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	if err != nil || len(r.Pictures) != len(lookChecks)*len(lookSizes) {
		b.Fatalf("%d pictures: %v", len(r.Pictures), err)
	}
	return took, r
}

func playwright(b *testing.B, at, path, address string, width int) time.Duration {
	b.Helper()
	dir := b.TempDir()
	cmd := exec.CommandContext(b.Context(), "node", "testdata/bench/playwright.mjs", path, address, dir, strconv.Itoa(width))
	cmd.Env = append(os.Environ(), "PLAYWRIGHT_AT="+at)
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("playwright: %v\n%s", err, out)
	}
	took := time.Since(start)
	if got, _ := filepath.Glob(filepath.Join(dir, "*.png")); len(got) != len(lookChecks)*len(lookSizes) {
		b.Fatalf("playwright took %d pictures", len(got))
	}
	return took
}

// parts are the seconds of several looks by what they went to, as their reports say.
type parts struct {
	whole, serve, start, browser, end, unserve float64
	scenarios                                  browser.Times // their sum, of scenarios side by side
}

func (p *parts) add(took time.Duration, r visual.Report) {
	p.whole += took.Seconds()
	p.serve += r.ServeSeconds
	p.start += r.StartSeconds
	p.browser += r.Seconds
	p.end += r.EndSeconds
	p.unserve += r.UnserveSeconds
	for _, s := range r.Scenarios {
		p.scenarios.Open += s.Times.Open
		p.scenarios.Navigate += s.Times.Navigate
		p.scenarios.Settle += s.Times.Settle
		p.scenarios.Steps += s.Times.Steps
		p.scenarios.Pictures += s.Times.Pictures
		p.scenarios.Close += s.Times.Close
	}
}

// text is where the time of one look goes, of n.
func (p *parts) text(n float64) string {
	var b strings.Builder
	b.WriteString("where the time of one look goes, in seconds\n")
	row := func(name string, seconds float64) { fmt.Fprintf(&b, "  %-52s %6.3f\n", name, seconds/n) }
	row("preview, until the page answers", p.serve)
	row("browser, until it answers", p.start)
	row("scenarios, side by side", p.browser-p.start-p.end)
	s := p.scenarios
	for _, x := range []struct {
		name    string
		seconds float64
	}{{"open a context and a page", s.Open}, {"navigate", s.Navigate}, {"settle", s.Settle}, {"acts and checks", s.Steps}, {"pictures, hashed and written", s.Pictures}, {"close", s.Close}} {
		row("  of the scenarios one by one: "+x.name, x.seconds)
	}
	row("browser, until it and its profile are gone", p.end)
	row("preview, until it is gone", p.unserve)
	row("the rest: start, git, confinement, keeping pictures", p.whole-p.serve-p.browser-p.unserve)
	row("the whole", p.whole)
	return b.String()
}
