package gate

import (
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/outcome"
)

func TestNoTimeLeft(t *testing.T) {
	t.Parallel()
	r := newRun(Request{Task: contract.Task{Acceptance: []string{"npm ci", "npm test", "npm run lint"}, Timeout: time.Minute}})
	r.Commands = []Command{{Index: 1, Command: "npm ci", DurationMillis: 50_000}, {Index: 2, Command: "npm test", DurationMillis: 10_000}}
	r.fail(outcome.GateTimeout, r.spentBefore(2))
	for _, want := range []string{`command 3 of 3 ("npm run lint")`, "share 1m0s", `most of it, 50s, went to command 1 ("npm ci")`} {
		if !strings.Contains(r.Message, want) {
			t.Errorf("BU-16: message %q has no %q", r.Message, want)
		}
	}
	if !r.Fixable() {
		t.Error("the writer cannot make its checks faster")
	}
}
