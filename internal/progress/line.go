package progress

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/usage"
)

const (
	indent    = "      "
	columns   = 84
	lineLimit = 300 // runes of one foreign text in a line
	noteLimit = 2000

	green = "\x1b[32m"
	red   = "\x1b[31m"
	faint = "\x1b[2m"
	reset = "\x1b[0m"
)

func (n *Narrator) header(h Header) {
	for _, s := range h.Stages {
		n.width = max(n.width, utf8.RuneCountInString(clean(s, 0)))
	}
	ceiling := "no $ ceiling"
	if h.CostUSD > 0 {
		ceiling = fmt.Sprintf("$%.4f ceiling", h.CostUSD)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "run   %s\n", clean(h.Run, 0))
	fmt.Fprintf(&b, "task  %s   risk=%s   scope=%s\n", clean(h.Task, 0), clean(h.Risk, 0), clean(strings.Join(h.Scope, ", "), 0))
	if h.Base != "" {
		fmt.Fprintf(&b, "base  %s\n", clean(h.Base, 0))
	}
	fmt.Fprintf(&b, "plan  %s\n", clean(strings.Join(h.Stages, " -> "), 0))
	fmt.Fprintf(&b, "bound %d vendor call(s), %s, fix rounds <= %d\n", h.Calls, ceiling, h.FixRounds)
	n.write("header", b.String())
}

// label is the head of a stage's line.
func (n *Narrator) label(index, total int, name string) string {
	name = clean(name, 0)
	pad := max(1, n.width+1-utf8.RuneCountInString(name))
	return fmt.Sprintf("[%d/%d] %s%s", index, total, name, strings.Repeat(" ", pad))
}

func (n *Narrator) who(d Dispatch) string {
	model := clean(d.Vendor, 0)
	if d.Model != "" {
		model += "/" + clean(d.Model, 0)
	}
	if n.opts.DryRun {
		return fmt.Sprintf("%s  %s  not dispatched: dry run", clean(d.Profile, 0), model)
	}
	return fmt.Sprintf("%s  %s  dispatching, up to %s", clean(d.Profile, 0), model, limit(d.Limit))
}

func (n *Narrator) result(e StageEnded) string {
	var facts []string
	if e.Usage.Calls > 0 {
		facts = append(facts, spent(e.Usage)...)
	}
	for _, f := range e.Facts {
		facts = append(facts, clean(f, 0))
	}
	if e.Verdict != "" {
		facts = append(facts, "verdict "+clean(e.Verdict, 0))
	}
	word, paint := "ok", green
	if !e.OK {
		word, paint = "FAILED", red
		facts = append(facts, "["+clean(string(e.Code), 0)+"]")
	}
	line := fmt.Sprintf("%s  %-6s  %s", n.paint(paint, word), elapsed(e.Elapsed), strings.Join(facts, "   "))
	text := indent + strings.TrimRight(line, " ") + "\n"
	if e.Blocking > 0 {
		text += fmt.Sprintf("%s%d blocking finding(s) from %s — see warden report for what it saw\n", indent, e.Blocking, clean(e.Role, 0))
	}
	return text
}

// spent lists what a stage's calls reported. Tokens that nobody reported are
// left out; a cost that nobody reported is said to be unknown.
func spent(t usage.Total) []string {
	var out []string
	in, inKnown := t.Input.Get()
	back, backKnown := t.Output.Get()
	if inKnown || backKnown {
		out = append(out, "tokens "+count(in, inKnown)+"/"+count(back, backKnown))
	}
	cost := "cost " + money(t.CostUSD)
	if _, known := t.CostUSD.Get(); known && t.Unpriced > 0 {
		cost += fmt.Sprintf(" and %d call(s) with no price", t.Unpriced)
	}
	return append(out, cost)
}

func fixRound(e FixRound) string {
	return fmt.Sprintf("%s-> fix round %d of %d: %s sends the work back to %s\n", indent, e.Round, e.Rounds, clean(e.From, 0), clean(e.To, 0))
}

func heartbeat(w work, calls int) string {
	who := w.name
	if w.profile != "" {
		who += "  " + w.profile
	}
	return fmt.Sprintf("%s... %s  still working, %s, %d vendor call(s) so far", indent, who, elapsed(time.Since(w.since)), calls)
}

func (n *Narrator) done(e Done) string {
	charged := money(e.Usage.CostUSD) + " charged"
	if _, known := e.Usage.CostUSD.Get(); !known {
		charged = "cost ?"
		if e.Usage.Calls == 0 {
			charged = "nothing charged"
		}
	}
	paint := green
	if !e.OK {
		paint = red
	}
	text := fmt.Sprintf("done  %s   %d vendor call(s), %s\n", n.paint(paint, clean(string(e.Reason), 0)), e.Usage.Calls, charged)
	if e.Usage.Unpriced > 0 {
		text += fmt.Sprintf("%s%d of those reported no price at all, so the $ ceiling did not measure them\n", indent, e.Usage.Unpriced)
	}
	for _, s := range e.Say {
		text += indent + wrap(clean(s, noteLimit), columns, indent) + "\n"
	}
	for _, c := range e.Commands {
		text += indent + clean(c, noteLimit) + "\n"
	}
	return text
}

func (n *Narrator) paint(color, text string) string {
	if !n.opts.Color {
		return text
	}
	return color + text + reset
}

func (n *Narrator) dim(text string) string { return n.paint(faint, text) }

// uncolor takes our own color out of a line; foreign text carries none by then.
func uncolor(text string) string {
	return strings.NewReplacer(green, "", red, "", faint, "", reset, "").Replace(text)
}

// clean makes foreign text one harmless line of at most limit runes.
func clean(text string, limit int) string {
	if limit <= 0 {
		limit = lineLimit
	}
	return plain.Terminal(plain.Line(text, limit))
}

func money(a usage.Amount) string {
	v, known := a.Get()
	if !known {
		return "?"
	}
	return fmt.Sprintf("$%.4f", v)
}

func count(v float64, known bool) string {
	if !known {
		return "?"
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// elapsed prints a duration as a person would: 0.4s, 18.5s, 2m45s, 1h02m03s.
func elapsed(d time.Duration) string {
	d = max(d, 0)
	if tenths := d.Round(100 * time.Millisecond); tenths < time.Minute {
		return strconv.FormatFloat(tenths.Seconds(), 'f', 1, 64) + "s"
	}
	s := int64(d.Round(time.Second) / time.Second)
	if s < 3600 {
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm%02ds", s/3600, s/60%60, s%60)
}

func limit(d time.Duration) string {
	if d >= time.Minute {
		return strconv.FormatFloat(math.Round(d.Minutes()*10)/10, 'f', -1, 64) + " min"
	}
	return elapsed(d)
}

// wrap breaks foreign text at spaces so that no line is longer than width where a
// break exists; the first line already stands behind an indent of the same size.
// What a break moved to the start of a line is made harmless there.
func wrap(text string, width int, pad string) string {
	var b strings.Builder
	column := len(pad)
	for i, word := range strings.Fields(text) {
		size := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case column+1+size > width:
			b.WriteString("\n" + pad)
			column = len(pad)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += size
	}
	return plain.Terminal(b.String())
}
