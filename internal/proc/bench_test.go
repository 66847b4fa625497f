//go:build unix

package proc

import "testing"

// BenchmarkRun measures what a child costs beyond its own work.
func BenchmarkRun(b *testing.B) {
	c := sh("exit 0")
	for b.Loop() {
		if res, err := Run(b.Context(), c); err != nil || !res.OK() {
			b.Fatal(res, err)
		}
	}
}
