package report

import (
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/ledger"
)

func TestTimeline(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	line := func(after int, typ, data string) ledger.Line {
		return ledger.Line{Seq: 1, Type: typ, At: noon.Add(time.Duration(after) * time.Second), Data: []byte(data)}
	}
	h := ledger.History{Run: ledger.RunHead{RunID: "r1", ReservedAt: noon}, Lines: []ledger.Line{
		line(10, ledger.TypeStageStarted, `{"stage":"implement","step":"implementer","run":"role","role":"implementer"}`),
		line(40, ledger.TypeRoleRun, `{"stage":"implement","step":"implementer","role":"implementer","ok":true,"code":"ok"}`),
		line(50, ledger.TypeStageStarted, `{"stage":"gates","step":"gates","run":"machine_gates"}`),
		line(60, ledger.TypeMachineGate, `{"stage":"gates","step":"gates","ok":false,"code":"command_failed"}`),
		line(65, ledger.TypeRoleRun, `{"step":"implementer","role":"implementer","ok":true,"code":"ok","fix":true}`),
		line(70, ledger.TypeStageStarted, `{"stage":"review","step":"reviewer","run":"role","role":"reviewer"}`),
		line(110, ledger.TypeStopped, `{"ok":false,"reason":"interrupted","next_action":"human_escalation"}`),
	}}
	r := Build(h)
	bars := timeline(r)
	if len(bars) != 3 {
		t.Fatalf("%d bars: %+v", len(bars), bars)
	}
	for i, want := range []bar{
		{Name: "implementer, round 1", Begin: "+10.0s", Class: "ok", Left: 100 * 10.0 / 110, Width: 100 * 30.0 / 110},
		{Name: "gates, round 1", Begin: "+50.0s", Class: "no", Left: 100 * 50.0 / 110, Width: 100 * 10.0 / 110},
		{Name: "reviewer, round 1", Begin: "+1m10s", Class: "wait", Left: 100 * 70.0 / 110, Width: 100 * 40.0 / 110},
	} {
		got := bars[i]
		if got.Name != want.Name || got.Begin != want.Begin || got.Class != want.Class || got.Left-want.Left > 0.01 || want.Left-got.Left > 0.01 || got.Width-want.Width > 0.01 || want.Width-got.Width > 0.01 {
			t.Errorf("bar %d: %+v, want %+v", i, got, want)
		}
	}
	page, err := HTML(r, "runs", nil)
	if err != nil || strings.Count(string(page), "margin-left:") != 3 || strings.Contains(string(page), "ZgotmplZ") {
		t.Errorf("the page: %v, %s", err, page)
	}
	if raw, err := Projection(h); err != nil || strings.Contains(string(raw), "egun") {
		t.Errorf("the summary holds what is for the page: %v", err)
	}
}

// TestClockSetBack: a run whose clock was set back meanwhile has no duration, rather than
// one below nothing.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	line := func(before int, typ, data string) ledger.Line {
		return ledger.Line{Seq: 1, Type: typ, At: noon.Add(-time.Duration(before) * time.Hour), Data: []byte(data)}
	}
	r := Build(ledger.History{Run: ledger.RunHead{RunID: "r1", ReservedAt: noon}, Lines: []ledger.Line{
		line(1, ledger.TypeStageStarted, `{"stage":"gates","step":"gates","run":"machine_gates"}`),
		line(2, ledger.TypeMachineGate, `{"stage":"gates","step":"gates","ok":true,"code":"passed"}`),
		line(2, ledger.TypeStopped, `{"ok":false,"reason":"interrupted","next_action":"human_escalation"}`),
	}})
	page, err := HTML(r, "runs", nil)
	if err != nil {
		t.Fatal(err)
	}
	for what, shown := range map[string]string{"took": took(r), "begin": r.Stages[0].begin(r.StartedAt)} {
		if shown != "?" {
			t.Errorf("%s: %q, want ?", what, shown)
		}
	}
	if strings.Contains(string(page), "-3600") || strings.Contains(string(page), "-7200") {
		t.Errorf("the page shows less than nothing: %s", page)
	}
}

// TestVerdictsAreShown: what a reader said stands in the page and in the text, closed findings
// too.
func TestVerdictsAreShown(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	h := ledger.History{Run: ledger.RunHead{RunID: "r1", ReservedAt: noon}, Lines: []ledger.Line{
		{Seq: 1, Type: ledger.TypeRoleRun, At: noon, Data: []byte(`{"step":"reviewer","role":"reviewer","ok":true,"code":"ok","vendor":"grok","verdict":"fail","independence":"independent","summary":"it <b>greets</b> nobody",
			"findings":[{"id":"f1","severity":"P1","path":"a.txt","message":"greet"},{"id":"f2","severity":"P3","path":"b.txt","message":"sign"}]}`)},
		{Seq: 2, Type: ledger.TypeReadyForHuman, At: noon, Data: []byte(`{"ok":true,"reason":"ready_for_human","next_action":"human_gate","changed_files":["a","b","c","d","e","f"],"open_findings":[{"id":"f2","severity":"P3","path":"b.txt","message":"sign"}]}`)},
	}}
	r := Build(h)
	page, err := HTML(r, "runs", nil)
	for _, want := range []string{"reviewer, round 1: fail, independent", "it &lt;b&gt;greets&lt;/b&gt; nobody", `<code>a.txt</code> greet <span class="soft">not open at the end</span>`, "<code>b.txt</code> sign</p>"} {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("the page does not hold %q: %v", want, err)
		}
	}
	text := Text(r, "runs", nil)
	for _, want := range []string{"verdict  reviewer, round 1: fail, independent  it <b>greets</b> nobody", "changed  6 file(s): a, b, c, d, e and 1 more"} {
		if !strings.Contains(text, want) {
			t.Errorf("the text does not hold %q:\n%s", want, text)
		}
	}
}
