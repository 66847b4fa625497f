package progress_test

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/progress"
	"github.com/tolboy/warden/internal/usage"
)

var update = flag.Bool("update", false, "write the golden files anew")

func calls(priced ...usage.Call) usage.Total {
	var t usage.Total
	for _, c := range priced {
		t = t.Add(c)
	}
	return t
}

var unpriced = usage.Call{Input: usage.Known(851760), Output: usage.Known(5597)}

// story is a run with every kind of event in it.
func story() []progress.Event {
	priced := usage.Call{CostUSD: usage.Known(0.3099), Input: usage.Known(187337), Output: usage.Known(45156)}
	looked := usage.Call{CostUSD: usage.Known(1.4202)}
	return []progress.Event{
		progress.Header{Run: "chapter-hearth-4", Task: "chapter-with-a-reason", Risk: "medium", Scope: []string{"src", "scripts"},
			Stages: []string{"implement", "gates", "review", "browser", "look"}, Calls: 12, CostUSD: 40, FixRounds: 3},
		progress.Note{Text: "starting from the rejection recorded on chapter-hearth-3; the implementer is given its reason verbatim"},
		progress.StageStarted{Index: 1, Total: 5, Name: "implement"},
		progress.Dispatch{Role: "implementer", Profile: "codex-implement", Vendor: "codex", Model: "gpt-5.6-terra", Limit: time.Hour},
		progress.StageEnded{OK: true, Elapsed: 165 * time.Second, Usage: calls(unpriced)},
		progress.StageStarted{Index: 2, Total: 5, Name: "gates", What: "machine gates: npm run check, npm run build"},
		progress.StageEnded{OK: true, Elapsed: 18500 * time.Millisecond},
		progress.StageStarted{Index: 3, Total: 5, Name: "review"},
		progress.Dispatch{Role: "reviewer", Profile: "grok-review", Vendor: "grok", Model: "grok-4.6", Limit: 45 * time.Minute},
		progress.StageEnded{OK: true, Elapsed: 990 * time.Second, Usage: calls(priced), Verdict: "pass"},
		progress.StageStarted{Index: 4, Total: 5, Name: "browser", What: "browser harness: 3 scenario(s) at http://127.0.0.1:4173/?lab"},
		progress.StageEnded{OK: true, Elapsed: 134 * time.Second, Facts: []string{"7 screenshot(s)"}},
		progress.StageStarted{Index: 5, Total: 5, Name: "look"},
		progress.Dispatch{Role: "visual_qa", Profile: "claude-visual-qa", Vendor: "claude", Model: "opus", Limit: 25 * time.Minute},
		progress.StageEnded{OK: true, Elapsed: 156 * time.Second, Usage: calls(looked), Verdict: "fail", Role: "visual_qa", Blocking: 1},
		progress.FixRound{Round: 1, Rounds: 3, From: "look", To: "implementer"},
		progress.Dispatch{Role: "implementer", Profile: "codex-implement", Vendor: "codex", Limit: 90 * time.Second},
		progress.StageEnded{Elapsed: 4 * time.Second, Usage: calls(usage.Call{Input: usage.Known(7)}, priced), Code: outcome.RoleTimeout},
		progress.StageReused{Index: 3, Total: 5, Name: "review", From: "chapter-hearth-3"},
		progress.StageSkipped{Name: "look", Reason: "condition_not_met:visual_qa_required"},
		progress.StageStarted{Index: 3, Total: 5, Name: "review"},
		progress.StageEnded{Elapsed: 0, Code: outcome.RoleUnresolved},
		progress.Done{Reason: outcome.ReadyForHuman, OK: true, Usage: calls(unpriced, unpriced, priced, priced, looked, looked),
			Say:      []string{"the candidate is ready and nothing has been landed"},
			Commands: []string{"warden report chapter-hearth-4 --text", "warden approve chapter-hearth-4 --decision <accept|reject>"}},
	}
}

func TestNarration(t *testing.T) {
	t.Parallel()
	var out, log bytes.Buffer
	n := progress.New(&out, progress.Options{Log: &log})
	for _, e := range story() {
		n.Tell(e)
	}
	n.Close()
	golden := filepath.Join("testdata", "story.txt")
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), out.String()); diff != "" {
		t.Errorf("LR-11: narration (-want +got):\n%s", diff)
	}
	if log.String() != out.String() {
		t.Errorf("LR-11: the log differs from what was shown:\n%s", cmp.Diff(out.String(), log.String()))
	}
}

func TestOptions(t *testing.T) {
	t.Parallel()
	t.Run("LR-11_quiet keeps the log", func(t *testing.T) {
		t.Parallel()
		var out, log bytes.Buffer
		n := progress.New(&out, progress.Options{Quiet: true, Log: &log})
		n.Tell(progress.Note{Text: "hello"})
		if out.Len() > 0 || log.String() != "note  hello\n" {
			t.Errorf("shown %q, kept %q", out.String(), log.String())
		}
	})
	t.Run("color only on the terminal, never alone", func(t *testing.T) {
		t.Parallel()
		var out, log bytes.Buffer
		n := progress.New(&out, progress.Options{Color: true, Log: &log})
		n.Tell(progress.StageStarted{Index: 1, Total: 1, Name: "gates", What: "x"})
		n.Tell(progress.StageEnded{Elapsed: time.Second, Code: outcome.CommandFailed})
		if !strings.Contains(out.String(), "\x1b[31mFAILED\x1b[0m") || strings.Contains(log.String(), "\x1b") || !strings.Contains(log.String(), "FAILED  1.0s    [command_failed]\n") {
			t.Errorf("shown %q, kept %q", out.String(), log.String())
		}
	})
	t.Run("NO_COLOR", func(t *testing.T) {
		t.Parallel()
		for _, c := range []struct {
			env      map[string]string
			terminal bool
			want     bool
		}{
			{nil, true, true}, {nil, false, false}, {map[string]string{"NO_COLOR": "0"}, true, false},
			{map[string]string{"NO_COLOR": ""}, true, true}, {map[string]string{"TERM": "dumb"}, true, false},
		} {
			if got := progress.Color(func(k string) string { return c.env[k] }, c.terminal); got != c.want {
				t.Errorf("Color with %v on a terminal %v = %v", c.env, c.terminal, got)
			}
		}
	})
	t.Run("foreign text stays in its line", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		n := progress.New(&out, progress.Options{})
		evil := "a\x1b[2J\r\nok  \x07b\u202e"
		n.Tell(progress.StageStarted{Index: 1, Total: 1, Name: evil, What: evil})
		n.Tell(progress.StageEnded{OK: true, Facts: []string{evil}, Verdict: evil})
		n.Tell(progress.Note{Text: evil})
		n.Tell(progress.Done{Reason: outcome.Code(evil), Commands: []string{evil}})
		if strings.ContainsAny(out.String(), "\x1b\r\x07\u202e") {
			t.Errorf("control characters came through: %q", out.String())
		}
		if lines := strings.Count(strings.TrimSpace(out.String()), "\n"); lines != 6 {
			t.Errorf("%d line ends, want 6:\n%s", lines, out.String())
		}
	})
	t.Run("foreign text is no workflow command", func(t *testing.T) {
		t.Parallel()
		command := regexp.MustCompile(`(?m)^\s*::|##\[`)
		evil := strings.Repeat("word ", 20) + strings.Repeat("::error::forged ", 20) + strings.Repeat("##[error]forged ", 20)
		if !command.MatchString("x\n      ::error::forged") {
			t.Fatal("the test sees no command")
		}
		var out bytes.Buffer
		n := progress.New(&out, progress.Options{})
		n.Tell(progress.Note{Text: evil})
		n.Tell(progress.Dispatch{Role: "::error::forged"})
		n.Tell(progress.Done{Say: []string{evil}, Commands: []string{"::error::forged", evil}})
		if m := command.FindString(out.String()); m != "" {
			t.Errorf("a line holds the command %q:\n%s", m, out.String())
		}
	})
	t.Run("unknown cost is no zero", func(t *testing.T) {
		t.Parallel()
		var out bytes.Buffer
		n := progress.New(&out, progress.Options{})
		n.Tell(progress.Done{Reason: outcome.ImplementerFailed, Usage: calls(unpriced)})
		n.Tell(progress.Done{Reason: outcome.BaselineFailed})
		if got := out.String(); !strings.Contains(got, "1 vendor call(s), cost ?\n") || strings.Contains(got, "$0") || !strings.Contains(got, "0 vendor call(s), nothing charged\n") {
			t.Errorf("LR-03: got %q", got)
		}
	})
}

// sink is read while a heartbeat may write.
type sink struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sink) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// brokenSink fails on every write, and counts them.
type brokenSink struct{ writes int }

func (b *brokenSink) Write([]byte) (int, error) { b.writes++; return 0, errors.New("disk full") }

func work(n *progress.Narrator) {
	n.Tell(progress.StageStarted{Index: 1, Total: 2, Name: "implement"})
	n.Tell(progress.Dispatch{Role: "implementer", Profile: "p1", Vendor: "v", Limit: time.Hour})
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	const beat = "      ... implementer  p1  still working, "
	t.Run("LR-11_after each 30 seconds of silence, in fix rounds as well", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var out sink
			n := progress.New(&out, progress.Options{})
			work(n)
			time.Sleep(29 * time.Second)
			synctest.Wait()
			if strings.Contains(out.String(), "...") {
				t.Errorf("a beat before 30 s: %q", out.String())
			}
			time.Sleep(32 * time.Second)
			synctest.Wait()
			if got := out.String(); !strings.Contains(got, beat+"30.0s, 1 vendor call(s) so far\n"+beat+"1m00s, 1 vendor call(s) so far\n") {
				t.Errorf("after 61 s: %q", got)
			}
			n.Tell(progress.StageEnded{OK: true})
			n.Tell(progress.FixRound{Round: 1, Rounds: 2, From: "gates", To: "implementer"})
			n.Tell(progress.Dispatch{Role: "implementer", Profile: "p1", Vendor: "v", Limit: time.Hour})
			time.Sleep(30 * time.Second)
			synctest.Wait()
			if got := out.String(); !strings.HasSuffix(got, beat+"30.0s, 2 vendor call(s) so far\n") {
				t.Errorf("in the fix round: %q", got)
			}
			n.Close()
		})
	})
	t.Run("LR-12_none after a result, a close or a newer line", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var out sink
			n := progress.New(&out, progress.Options{})
			work(n)
			time.Sleep(30*time.Second - time.Nanosecond)
			n.Tell(progress.StageEnded{OK: true})
			time.Sleep(10 * time.Minute)
			work(n)
			time.Sleep(20 * time.Second)
			n.Tell(progress.Note{Text: "x"})
			time.Sleep(20 * time.Second)
			n.Close()
			time.Sleep(10 * time.Minute)
			n.Tell(progress.Note{Text: "too late"})
			synctest.Wait()
			if got := out.String(); strings.Contains(got, "still working") || strings.Contains(got, "too late") {
				t.Errorf("got %q", got)
			}
		})
	})
	t.Run("LR-12_a sink that fails", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var broken brokenSink
			var log sink
			n := progress.New(&broken, progress.Options{Log: &log})
			work(n)
			time.Sleep(31 * time.Second)
			synctest.Wait()
			n.Tell(progress.StageEnded{OK: true})
			if broken.writes != 3 || !strings.Contains(log.String(), "still working") {
				t.Errorf("%d writes to the broken sink, log %q", broken.writes, log.String())
			}
		})
	})
	t.Run("LR-12_none in a dry run, nobody dispatched", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var out sink
			n := progress.New(&out, progress.Options{DryRun: true})
			work(n)
			time.Sleep(time.Hour)
			synctest.Wait()
			if got := out.String(); got != "[1/2] implement p1  v  not dispatched: dry run\n" {
				t.Errorf("got %q", got)
			}
		})
	})
	t.Run("LR-12_a reused verdict names no vendor", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var out sink
			n := progress.New(&out, progress.Options{})
			n.Tell(progress.StageReused{Index: 1, Total: 1, Name: "review", From: "run-1"})
			time.Sleep(time.Hour)
			synctest.Wait()
			if got := out.String(); got != "[1/1] review    carried from run-1, nobody is called\n" {
				t.Errorf("got %q", got)
			}
		})
	})
	t.Run("many tellers", func(t *testing.T) {
		t.Parallel()
		synctest.Test(t, func(t *testing.T) {
			var out sink
			n := progress.New(&out, progress.Options{})
			for range 8 {
				go func() {
					for range 20 {
						n.Tell(progress.Note{Text: "whole line"})
						time.Sleep(31 * time.Second)
					}
				}()
			}
			work(n)
			time.Sleep(time.Hour)
			synctest.Wait()
			n.Close()
			if got := strings.Count(out.String(), "note  whole line\n"); got != 160 {
				t.Errorf("%d whole lines, want 160", got)
			}
		})
	})
}
