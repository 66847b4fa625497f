package metrics_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
)

// BenchmarkLedger folds 1,000 and 10,000 runs in turns. The target is a second for
// the larger, and x-per-run near 1: ten times the runs cost ten times as much.
func BenchmarkLedger(b *testing.B) {
	few, many := generate(b, 1000), generate(b, 10000)
	metrics.Read(few) // both are in the cache then
	metrics.Read(many)
	var small, large time.Duration
	for b.Loop() {
		for range 10 {
			small += timed(b, few, 1000) / 10
		}
		large += timed(b, many, 10000)
	}
	perRun := func(spent time.Duration, runs int) float64 { return float64(spent) / float64(b.N) / float64(runs) }
	b.ReportMetric(perRun(small, 1000), "ns/run-of-1000")
	b.ReportMetric(perRun(large, 10000), "ns/run-of-10000")
	b.ReportMetric(perRun(large, 10000)/perRun(small, 1000), "x-per-run")
	b.ReportMetric(large.Seconds()/float64(b.N), "s/10000")
}

func timed(b *testing.B, runs string, n int) time.Duration {
	b.Helper()
	began := time.Now()
	l, err := metrics.Read(runs)
	spent := time.Since(began)
	if err != nil || l.RunCount != n || !l.Complete || l.Passed != n || l.Metrics.RoleRuns.Total != 2*n {
		b.Fatalf("read %d of %d runs, complete %v, %d calls: %v", l.RunCount, n, l.Complete, l.Metrics.RoleRuns.Total, err)
	}
	return spent
}

// generate writes runs of one shape, each with its own chain.
func generate(b *testing.B, n int) string {
	b.Helper()
	runs := b.TempDir()
	bytes := 0
	for i := range n {
		id := fmt.Sprintf("issue-%d-1", i)
		run, evidence := chain(b, ledger.RunHead{RunID: id, TaskID: "t", ReservedAt: noon}, ordinary(id)...)
		put(b, run, runs, id, "run.json")
		put(b, evidence, runs, id, "evidence.jsonl")
		bytes += len(evidence)
	}
	b.Logf("%d runs of %d events and %d bytes", n, len(ordinary("x")), bytes/n)
	return runs
}
