package report

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// none stands where a quantity has no meaning, as a price of a machine gate. It is
// not unknown, which is "?".
const none = "–"

// priced reports whether a row could have a price: a vendor was called, or it
// cannot be told.
func (s Stage) priced() bool { return s.Kind == "role" && (s.Calls > 0 || s.OK == nil) }

// cost and tokens are the cells of a row.
func (s Stage) cost() string {
	if !s.priced() {
		return none
	}
	return partial(s.CostUSD, s.CostUnknown)
}

func (s Stage) tokens() string {
	if !s.priced() {
		return none
	}
	return pair(s.Input, s.Output)
}

// round counts from one: the first is before any fix.
func (s Stage) round() int { return s.Attempt + 1 }

// state is where the run stands, in one or two words, and the class that colours
// them on the page.
func state(r Report) (word, class string) {
	switch {
	case r.Decision != nil && r.Decision.Decision != nil:
		words := map[string][2]string{"accept": {"accepted", "good"}, "reject": {"refused", "bad"}}
		if w, ok := words[r.Decision.Answer()]; ok {
			return w[0], w[1]
		}
		return "answered: " + r.Decision.Answer(), "open"
	case r.OK == nil:
		return "not ended", "open"
	case !*r.OK:
		return "stopped", "bad"
	case r.DryRun:
		return "dry run", "open"
	}
	return "ready for a person", "ask"
}

// outcomeText says how the run ended, with the code by which the rest of Warden
// names that.
func outcomeText(r Report, safe func(string) string) string {
	code := safe(string(r.Reason))
	switch {
	case r.OK == nil:
		return "it has not ended"
	case r.Reason == outcome.ReadyForHuman:
		return "ready for a person  (" + code + ")"
	case r.Reason == outcome.DryRun:
		return "a dry run, nobody was called  (" + code + ")"
	case *r.OK:
		return "done  (" + code + ")"
	}
	return "stopped: " + strings.ReplaceAll(code, "_", " ") + "  (" + code + ")"
}

// humanText says what a person was asked, or answered.
func humanText(r Report, safe func(string) string) string {
	switch d := r.Decision; {
	case r.DecisionFault != "":
		return "?  " + safe(r.DecisionFault)
	case d == nil:
		return "nobody was asked"
	case d.Decision == nil:
		return "not answered yet: " + safe(strings.Join(d.Options, " or "))
	default:
		return fmt.Sprintf("%s, by %s, %s", safe(d.Answer()), safe(*d.Actor), moment(d.UpdatedAt))
	}
}

// moment is a time as people compare it.
func moment(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// took is how long the run was at work.
func took(r Report) string {
	if r.EndedAt == nil {
		return "?"
	}
	return seconds(usage.Known(float64(r.EndedAt.Sub(r.StartedAt).Milliseconds())))
}

// spent says what the run cost. Without a call there was nothing to charge.
func (r Report) spent() string {
	if r.Totals.RoleRuns == 0 && r.Incomplete == "" {
		return "no vendor call, nothing charged"
	}
	return r.Totals.spent()
}

// headline is the first line of the goal, and what follows it.
func headline(r Report) (first, rest string) {
	first, rest, _ = strings.Cut(strings.TrimSpace(r.Goal), "\n")
	if first = strings.TrimSpace(first); first == "" {
		first = "Run " + r.RunID
	}
	return first, strings.Trim(rest, "\r\n")
}

// place is where a file of the evidence lies.
func place(dir, file string) string {
	if file == "" {
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(file))
}

// failed reports whether a row is one that a person has to look at.
func (s Stage) failed() bool { return s.OK == nil || !*s.OK }

// red reports whether a command did not succeed.
func red(c ledger.GateCommand) bool { return c.ExitCode != 0 || c.TimedOut || c.Signal != "" }

// lastLines are the ends of the streams of a command, at most n lines of each.
func lastLines(n int, streams ...string) []string {
	var out []string
	for _, s := range streams {
		s = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s)
		lines := strings.Split(strings.TrimRight(s, "\n \t"), "\n")
		if len(lines) == 1 && lines[0] == "" {
			continue
		}
		if len(lines) > n {
			lines = append([]string{"[…]"}, lines[len(lines)-n:]...)
		}
		out = append(out, lines...)
	}
	return out
}

// where names the place that a finding is about.
func where(f outcome.Finding) string {
	if f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.Path, f.Line)
	}
	return f.Path
}

// step is what a person can do next, while there is something to be answered.
func (r Report) step() string {
	if r.Decision != nil && r.Decision.Decision != nil {
		return ""
	}
	return r.SafeNextStep
}
