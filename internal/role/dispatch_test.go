package role

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/vendor"
)

func TestUnconfiguredRole(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.req.Role, f.req.EvidenceDir = "architect", "run-1--architect-0"
	wantCode(t, f.dispatch(t), outcome.RoleNotConfigured)
}

func TestChangedPathsComeFromTheJudge(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.reviewer()
	f.req.Changed = nil
	if err := os.WriteFile(filepath.Join(f.root, "seen.txt"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	f.script("rb", answered(passReviewer))
	wantCode(t, f.dispatch(t), outcome.OK)
	if p := f.prompt(t); !strings.Contains(p, "`seen.txt`") {
		t.Errorf("prompt:\n%s", p)
	}
}

// A caller that has just looked is believed, so that a boundary costs one look.
func TestBeforeOfTheCaller(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.reviewer()
	f.req.Before = &git.Snapshot{Full: "another tree"}
	f.script("rb", answered(passReviewer))
	wantCode(t, f.dispatch(t), outcome.RoleViolatedReadOnly)
}

func TestNoCallWithoutTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Home.Policy.Failover = "auto"
	f.req.Limit = time.Nanosecond
	wantCode(t, f.dispatch(t), outcome.RoleTimeout)
	f.wantCalls(t)
}

func TestLimitReachesTheVendor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.req.Limit = time.Hour
	f.script("wa", answered(doneImplementer))
	f.dispatch(t)
	if got := f.caller.calls[0].Limit; got <= 0 || got > time.Hour {
		t.Errorf("limit %s", got)
	}
}

// What cannot be told is an error, and the report says so.
func TestCannotTell(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*fixture){
		"tree":     func(f *fixture) { f.Judge = blind{} },
		"evidence": func(f *fixture) { f.Evidence = fullDisk{files{f.runs}} },
		"vendor":   func(f *fixture) { f.Vendor = broken{f.caller} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			spoil(f)
			got, err := f.Dispatch(t.Context(), f.req)
			if err == nil {
				t.Fatal("no error")
			}
			if got.OK || got.Code != outcome.UnexpectedError {
				t.Errorf("ok %t, code %s", got.OK, got.Code)
			}
			if name != "evidence" && !strings.Contains(f.read(t, got.ReportFile.Path), "unexpected_error") {
				t.Error("the report does not say so")
			}
			if name == "vendor" && f.settled != 1 {
				t.Errorf("a call that was paid for was settled %d times", f.settled)
			}
		})
	}
}

type blind struct{}

func (blind) Snapshot(context.Context) (git.Snapshot, error) {
	return git.Snapshot{}, errors.New("index is locked")
}
func (blind) Diff(context.Context, int) (string, bool, error) { return "", false, nil }

type fullDisk struct{ files }

func (fullDisk) WriteFile(rel string, _ []byte) (ledger.File, error) {
	return ledger.File{}, errors.New("no space left")
}

type broken struct{ *caller }

func (broken) Call(context.Context, vendor.Call) (vendor.Result, error) {
	return vendor.Result{}, errors.New("cannot say how it ended")
}

func TestAnnouncement(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Home.Policy.Failover = "auto"
	f.script("wa", spent(hit))
	f.script("wb", answered(doneImplementer))
	var seen []Dispatch
	f.req.OnDispatch = func(d Dispatch) error {
		if len(f.caller.calls) != len(seen) {
			t.Error("the call was made before it was announced")
		}
		seen = append(seen, d)
		return nil
	}
	got := f.dispatch(t)
	if len(seen) != 2 || seen[0].Failover != nil || seen[1].Failover == nil || seen[1].VendorAttempt != 2 || seen[1].PromptSHA256 != got.Record.PromptSHA256 {
		t.Errorf("announced %+v", seen)
	}
	f = newFixture(t)
	f.req.OnDispatch = func(Dispatch) error { return errors.New("ledger is gone") }
	wantCode(t, f.dispatch(t), outcome.UnexpectedError)
	if len(f.caller.calls) != 0 {
		t.Error("a call was made that could not be announced")
	}
}

// No policy makes one dispatch call for ever.
func TestCallsAreBounded(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.Home.Policy.RateLimitRetry = policy.RateLimitRetry{MaxAttempts: 1000, Backoff: time.Second}
	f.Wait = func(context.Context, time.Duration) error { return nil }
	for range maxCalls + 5 {
		f.script("wa", limited("busy", 0))
	}
	got := f.dispatch(t)
	if got.OK || len(f.caller.calls) != maxCalls {
		t.Errorf("ok %t after %d calls", got.OK, len(f.caller.calls))
	}
}
