package clean_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/clean"
	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
)

var noon = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

func line(typ, data string, age time.Duration) ledger.Line {
	return ledger.Line{Seq: 1, Type: typ, At: noon.Add(-age), Data: []byte(data)}
}

func TestRun(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	ready := line(ledger.TypeReadyForHuman, `{"ok":true,"next_action":"human_gate"}`, 40*day)
	resolved := func(word string) decision.State { return decision.State{State: decision.Resolved, Decision: &word} }
	for _, tt := range []struct {
		name  string
		lines []ledger.Line
		asked bool
		state decision.State
		with  func(*ledger.History)
		want  clean.Reason
	}{
		{"at work", []ledger.Line{line(ledger.TypeRunReserved, `{}`, 40*day)}, false, decision.State{}, nil, clean.Unfinished},
		{"nobody was asked yet", []ledger.Line{ready}, false, decision.State{}, nil, clean.Unfinished},
		{"the question is open", []ledger.Line{ready}, true, decision.State{State: decision.Pending}, nil, clean.Waiting},
		{"accepted", []ledger.Line{ready}, true, resolved("accept"), nil, clean.NotLanded},
		{"landing failed", []ledger.Line{ready, line(ledger.TypeDone, `{"purpose":"land_commit","ok":false}`, 40*day)}, true, resolved("accept"), nil, clean.NotLanded},
		{"pushed only", []ledger.Line{ready, line(ledger.TypeDone, `{"purpose":"land_push","ok":true}`, 40*day)}, true, resolved("accept"), nil, clean.NotLanded},
		{"landed", []ledger.Line{ready, line(ledger.TypeDone, `{"purpose":"land_commit","ok":true}`, 40*day)}, true, resolved("accept"), nil, ""},
		{"landed lately", []ledger.Line{ready, line(ledger.TypeDone, `{"purpose":"land_commit","ok":true}`, day)}, true, resolved("accept"), nil, clean.TooRecent},
		{"refused", []ledger.Line{ready}, true, resolved("reject"), nil, ""},
		{"a dry run", []ledger.Line{line(ledger.TypeReadyForHuman, `{"ok":true,"next_action":"none"}`, 40*day)}, false, decision.State{}, nil, ""},
		{"damaged", []ledger.Line{ready}, true, resolved("reject"), func(h *ledger.History) { h.Damaged = "line 1" }, clean.Altered},
		{"newer", []ledger.Line{ready}, true, resolved("reject"), func(h *ledger.History) { h.Newer = 1 }, clean.Altered},
		{"torn", []ledger.Line{ready}, true, resolved("reject"), func(h *ledger.History) { h.Torn = 9 }, clean.Altered},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := ledger.History{Lines: tt.lines}
			if tt.with != nil {
				tt.with(&h)
			}
			if got := clean.Run(h, tt.asked, tt.state, noon.Add(-30*day)); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// TestOnForge: what an issue was told is old when its last line is; all else is a run's.
func TestOnForge(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	old, young := line(ledger.TypeDone, `{}`, 40*day), line(ledger.TypeDone, `{}`, day)
	for name, tt := range map[string]struct {
		head  ledger.RunHead
		lines []ledger.Line
		want  clean.Reason
	}{
		"an old log":            {ledger.RunHead{RunID: "issue-7-log", Forge: &ledger.ForgeRef{Issue: 7, Trigger: "log"}}, []ledger.Line{old}, ""},
		"a young log":           {ledger.RunHead{RunID: "issue-7-log", Forge: &ledger.ForgeRef{Issue: 7, Trigger: "log"}}, []ledger.Line{old, young}, clean.TooRecent},
		"an empty log":          {ledger.RunHead{RunID: "issue-7-log", Forge: &ledger.ForgeRef{Issue: 7, Trigger: "log"}}, nil, clean.Altered},
		"a run that says so":    {ledger.RunHead{RunID: "issue-7-1", Forge: &ledger.ForgeRef{Issue: 7, Trigger: "log"}}, []ledger.Line{old}, clean.Unfinished},
		"a run at work":         {ledger.RunHead{RunID: "issue-7-1", Forge: &ledger.ForgeRef{Issue: 7}}, []ledger.Line{old}, clean.Unfinished},
		"a run without a forge": {ledger.RunHead{RunID: "issue-7-1"}, []ledger.Line{old}, clean.Altered},
	} {
		if got := clean.OnForge(ledger.History{Run: tt.head, Lines: tt.lines}, false, decision.State{}, noon.Add(-30*day)); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

func TestLeftovers(t *testing.T) {
	t.Parallel()
	state, temp := t.TempDir(), t.TempDir()
	old := noon.Add(-25 * time.Hour)
	for _, name := range []string{"judge/a.git", "judge/b.git", "home/a", "home/c", "busy"} {
		lay(t, filepath.Join(state, name), old)
	}
	for _, name := range []string{"warden-home-123", "warden-push-9.git", "warden-demo-7", "warden-home-x", "other"} {
		lay(t, filepath.Join(temp, name), old)
	}
	lay(t, filepath.Join(temp, "warden-tmp-5"), noon.Add(-time.Hour))
	if err := os.Symlink(filepath.Join(temp, "other"), filepath.Join(temp, "warden-land-1")); err != nil {
		t.Fatal(err)
	}
	words := map[string]string{"1": "process 10 for run a", "2": "process 11 for run b", "3": ""}
	for name, text := range words {
		if err := os.WriteFile(filepath.Join(state, "busy", name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	alive := func(pid int) bool { return pid == 10 }
	want := map[string]clean.Reason{
		"a.git": clean.InUse, "b.git": "", "a": clean.InUse, "c": "",
		"warden-home-123": "", "warden-push-9.git": "", "warden-tmp-5": clean.TooRecent,
	}
	check(t, state, temp, alive, want)

	// A holder whose words say no run may work on each.
	if err := os.WriteFile(filepath.Join(state, "busy", "4"), []byte("somebody"), 0o600); err != nil {
		t.Fatal(err)
	}
	want["b.git"], want["c"] = clean.InUse, clean.InUse
	check(t, state, temp, alive, want)
}

func check(t *testing.T, state, temp string, alive func(int) bool, want map[string]clean.Reason) {
	t.Helper()
	found, err := clean.Leftovers(state, temp, noon, alive)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(want) {
		t.Errorf("found %+v", found)
	}
	for _, l := range found {
		if reason, ok := want[filepath.Base(l.Path)]; !ok || reason != l.Reason {
			t.Errorf("%s: %q, want %q", l.Path, l.Reason, reason)
		}
	}
}

func lay(t *testing.T, dir string, when time.Time) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(dir, when, when); err != nil {
		t.Fatal(err)
	}
}
