package browser

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"
)

// benchChecks over benchSizes are what testdata/bench/playwright.mjs does too.
var (
	benchSizes  = []string{"1280x720", "800x600", "390x844"}
	benchChecks = []string{"css=h1 visible", "text=A note visible", `role=button[name="Save"] visible`, "css=#gone hidden", "css=#soon visible", "testid=save visible -> no-console-errors"}
)

// BenchmarkScenarios takes eighteen pictures, and lets Playwright do the same with
// the same browser in turn; the ratio is what counts. WARDEN_PLAYWRIGHT is the
// directory that playwright-core is installed in.
func BenchmarkScenarios(b *testing.B) {
	at := os.Getenv("WARDEN_PLAYWRIGHT")
	if at == "" {
		b.Fatal("WARDEN_PLAYWRIGHT names no directory with playwright-core; scripts/bench browser sets it")
	}
	path := theBrowser(b)
	address := site(b, nil) + "/plain.html"
	var texts []string
	for _, c := range benchChecks {
		for _, s := range benchSizes {
			texts = append(texts, s+": "+c)
		}
	}
	var ours, one, two time.Duration
	for b.Loop() {
		start := time.Now()
		r := look(b, address, texts...)
		ours += time.Since(start)
		if !r.OK() {
			b.Fatalf("a scenario failed: %+v", r)
		}
		one += playwright(b, at, path, address, 1)
		two += playwright(b, at, path, address, 2)
	}
	best := min(one, two)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(ours.Seconds()/float64(b.N), "warden-s")
	b.ReportMetric(one.Seconds()/float64(b.N), "playwright-s")
	b.ReportMetric(two.Seconds()/float64(b.N), "playwright-2-s")
	b.ReportMetric(ours.Seconds()/best.Seconds(), "ratio")
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
	if got, _ := filepath.Glob(filepath.Join(dir, "*.png")); len(got) != len(benchChecks)*len(benchSizes) {
		b.Fatalf("playwright took %d pictures", len(got))
	}
	return took
}
