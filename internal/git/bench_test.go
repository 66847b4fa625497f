//go:build unix

package git

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkSnapshot compares one look of the Judge with the bare command that
// everybody would run, turn by turn on the same worktree. "ratio" is the sum of
// the one over the sum of the other.
func BenchmarkSnapshot(b *testing.B) {
	for _, n := range []int{1_000, 10_000, 100_000} {
		b.Run(strconv.Itoa(n), func(b *testing.B) {
			r := largeRepo(b, n)
			j := r.judge()
			for i := range n / 100 {
				r.write(fileName(i*100), fmt.Sprintf("changed %d\n", i))
			}
			status := func() int {
				cmd := exec.Command("git", "status", "--porcelain", "-uall")
				cmd.Dir, cmd.Env = r.dir, append(r.env[:len(r.env):len(r.env)], "GIT_OPTIONAL_LOCKS=0")
				out, err := cmd.Output()
				if err != nil {
					b.Fatal(err)
				}
				return strings.Count(string(out), "\n")
			}
			if got, want := len(look(b, j).Changes), status(); got != want || got != n/100 {
				b.Fatalf("%d changes, git status has %d, made were %d", got, want, n/100)
			}
			var ours, theirs, oursCPU, theirsCPU time.Duration
			for b.Loop() {
				start, startCPU := time.Now(), processorTime(b)
				look(b, j)
				middle, middleCPU := time.Now(), processorTime(b)
				status()
				ours, theirs = ours+middle.Sub(start), theirs+time.Since(middle)
				oursCPU, theirsCPU = oursCPU+middleCPU-startCPU, theirsCPU+processorTime(b)-middleCPU
			}
			per := float64(b.N) * float64(time.Millisecond)
			b.ReportMetric(float64(ours)/float64(theirs), "ratio")
			b.ReportMetric(float64(oursCPU)/float64(theirsCPU), "cpu-ratio")
			b.ReportMetric(float64(ours)/per, "snapshot-ms")
			b.ReportMetric(float64(theirs)/per, "status-ms")
		})
	}
}

// processorTime is what this process and its ended children used. It says more
// than the clock where other work shares the machine.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var sum time.Duration
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}

// BenchmarkCandidate measures what the candidate commit costs beside one status.
func BenchmarkCandidate(b *testing.B) {
	r := largeRepo(b, 10_000)
	j, head := r.judge(), r.head()
	for i := range 100 {
		r.write(fileName(i*100), fmt.Sprintf("changed %d\n", i))
	}
	for b.Loop() {
		if _, err := j.Commit(b.Context(), spec(head)); err != nil {
			b.Fatal(err)
		}
	}
}

func fileName(i int) string { return fmt.Sprintf("d%03d/e%02d/f%06d.txt", i/1000, i/50%20, i) }

// largeRepo makes n files of about 400 bytes by one stream, since git add would
// take longer than what is measured.
func largeRepo(b *testing.B, n int) *repo {
	b.Helper()
	r := newRepo(b, nil)
	var in bytes.Buffer
	in.WriteString("commit refs/heads/large\ncommitter A <a@example.org> 1700000000 +0000\ndata 5\nlarge\n")
	for i := range n {
		text := strings.Repeat(fmt.Sprintf("line of file %06d\n", i), 20)
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", fileName(i), len(text), text)
	}
	in.WriteString("done\n")
	cmd := exec.Command("git", "fast-import", "--quiet", "--done")
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, r.env, &in
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("fast-import: %v\n%s", err, out)
	}
	r.git("checkout", "-q", "large")
	// A file as young as the index that lists it is read again by every look.
	old := time.Unix(1700000000, 0)
	for i := range n {
		if err := os.Chtimes(r.path(fileName(i)), old, old); err != nil {
			b.Fatal(err)
		}
	}
	r.git("status")
	return r
}
