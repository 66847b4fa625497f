package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
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

// BenchmarkDemo times the whole demonstration. Its scripted vendors answer at
// once, so this is what Warden, git and the loopback forge add: the target is 3 s.
func BenchmarkDemo(b *testing.B) {
	program := filepath.Join(b.TempDir(), "warden")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	var spent time.Duration
	for b.Loop() {
		spent += run(b, program, "demo", "--quiet")
	}
	b.ReportMetric(spent.Seconds()/float64(b.N), "s/demo")
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
