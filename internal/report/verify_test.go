package report_test

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/report"
)

// TestSummariesVerify writes the summaries of a real run as the engine does, and
// has them verified after every event.
func TestSummariesVerify(t *testing.T) {
	t.Parallel()
	dir, made := t.TempDir(), whole(t)
	run, err := ledger.Create(dir, made.Run, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	write := func() {
		t.Helper()
		for name, project := range report.Projections() {
			if raw, err := project(run.History()); err == nil {
				if err := run.WriteProjection(name, raw); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	check := func(stale int) {
		t.Helper()
		v, err := ledger.Verify(dir, run.ID(), "", ledger.VerifyOptions{Projections: report.Projections()})
		if err != nil || !v.OK || len(v.Stale) != stale {
			t.Fatalf("%+v, %v; want %d stale", v, err, stale)
		}
	}
	for _, l := range made.Lines[:len(made.Lines)-1] {
		p, err := l.Payload()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := run.Append(l.Type, l.At, p); err != nil {
			t.Fatal(err)
		}
		write()
		check(0)
	}
	if _, err := decision.Open(run, decision.Question{Kind: decision.Success, Reason: "all passed", Fingerprint: "f00d"}, noon); err != nil {
		t.Fatal(err)
	}
	check(2)
	write()
	check(0)
	raw, err := report.Projection(run.History())
	if err != nil {
		t.Fatal(err)
	}
	forged := strings.Replace(string(raw), `"cost_usd": 0.412`, `"cost_usd": 0.4`, 1)
	if forged == string(raw) {
		t.Fatal("nothing was forged")
	}
	if err := run.WriteProjection(report.FileName, []byte(forged)); err != nil {
		t.Fatal(err)
	}
	v, err := ledger.Verify(dir, run.ID(), "", ledger.VerifyOptions{Projections: report.Projections()})
	if err != nil || v.OK || !strings.HasPrefix(v.First, "report.json: ") {
		t.Errorf("a forged report: %+v, %v", v, err)
	}
}
