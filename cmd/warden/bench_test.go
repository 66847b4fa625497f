package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/browser"
)

// BenchmarkStart times `warden --version` as a whole process, in turns with a Go
// program that prints one line. The target is 20 ms, and 5 of the other.
func BenchmarkStart(b *testing.B) {
	dir := b.TempDir()
	hello := filepath.Join(dir, "hello")
	source := filepath.Join(dir, "hello.go")
	if err := os.WriteFile(source, []byte("package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	program := filepath.Join(dir, "warden")
	for _, args := range [][]string{{"build", "-o", hello, source}, {"build", "-o", program, "."}} {
		if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			b.Fatalf("go %v: %v\n%s", args, err, out)
		}
	}
	var ours, theirs time.Duration
	for b.Loop() {
		theirs += run(b, hello)
		ours += run(b, program, "--version")
	}
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N)/1000, "ms/start")
	b.ReportMetric(float64(theirs.Microseconds())/float64(b.N)/1000, "ms/hello")
	b.ReportMetric(float64(ours)/float64(theirs), "x-hello")
}

// BenchmarkDemo times the whole demonstration and what it adds to its scripted
// vendors: Warden, git, the sandbox and the loopback forge. The target is 3 s. Nearly
// all of it is the start of some 250 processes, so the start of git on the same
// machine is measured beside it. It is the story without its page, on every machine.
func BenchmarkDemo(b *testing.B) { benchmarkDemo(b, "--no-browser") }

// BenchmarkDemoBrowser is BenchmarkDemo with the page, at which a browser looks three
// times; what the looks take is reported and is no overhead.
func BenchmarkDemoBrowser(b *testing.B) {
	if _, err := browser.Find("", os.Environ()); err != nil {
		if os.Getenv("CI") == "true" {
			b.Fatalf("a browser is required here: %v", err)
		}
		b.Skipf("skipped: the demonstration with its page was not measured: %v", err)
	}
	benchmarkDemo(b)
}

func benchmarkDemo(b *testing.B, args ...string) {
	program := filepath.Join(b.TempDir(), "warden")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	var whole, vendors, looks, git time.Duration
	for b.Loop() {
		kept := filepath.Join(b.TempDir(), "kept")
		whole += run(b, program, append([]string{"demo", "--quiet", "--keep", kept}, args...)...)
		vendors += asked(b, kept, "role_run")
		looks += asked(b, kept, "visual_qa")
		git += run(b, "git", "--version")
	}
	if vendors == 0 || (looks == 0) != (len(args) > 0) {
		b.Fatalf("the ledgers tell of %s of vendors and %s of looks", vendors, looks)
	}
	n := float64(b.N)
	b.ReportMetric(whole.Seconds()/n, "s/demo")
	b.ReportMetric(vendors.Seconds()/n, "s/vendors")
	b.ReportMetric(looks.Seconds()/n, "s/looks")
	b.ReportMetric((whole-vendors-looks).Seconds()/n, "s/overhead")
	b.ReportMetric(float64(git.Microseconds())/n/1000, "ms/git-start")
	b.ReportMetric(float64(whole-vendors-looks)/float64(git), "overhead/git-start")
}

// asked is how long what a kept demonstration's ledgers call kind took: its vendors,
// or its looks at the page.
func asked(b *testing.B, kept, kind string) time.Duration {
	b.Helper()
	ledgers, err := filepath.Glob(filepath.Join(kept, "state", "*", "*", "runs", "*", "evidence.jsonl"))
	if err != nil || len(ledgers) == 0 {
		b.Fatalf("no ledgers in %s: %v", kept, err)
	}
	var sum time.Duration
	for _, name := range ledgers {
		data, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var l struct {
				Type string
				Data struct {
					Millis int64 `json:"duration_millis"`
				}
			}
			if err := json.Unmarshal(line, &l); err != nil {
				b.Fatal(err)
			}
			if l.Type == kind {
				sum += time.Duration(l.Data.Millis) * time.Millisecond
			}
		}
	}
	return sum
}

func run(b *testing.B, name string, args ...string) time.Duration {
	b.Helper()
	cmd := exec.Command(name, args...)
	began := time.Now()
	if out, err := cmd.Output(); err != nil {
		b.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return time.Since(began)
}
