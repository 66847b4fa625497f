package ci

import (
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode/utf8"
)

// Outputs are what later steps of the job can read. An empty field is written as
// an empty output, so that a value of an earlier step never shows through.
type Outputs struct {
	Outcome     string // code of the run, or why there was none
	RunID       string
	PullRequest string // number
	Decision    string
	LedgerHead  string // sealed head of the newest run
	// DecisionHead is the hash of the line of the last decision.
	DecisionHead string
	CostUSD      string // of the run's calls that told their cost, "" when none did
	Unpriced     string // how many of its calls did not
}

// WriteOutputs appends the outputs to the file that GITHUB_OUTPUT names. random
// yields the delimiters; pass crypto/rand.Reader. A value that contains its
// delimiter is refused and then nothing is written.
func WriteOutputs(path string, o Outputs, random io.Reader) error {
	var b strings.Builder
	for _, out := range []struct{ name, value string }{
		{"outcome", o.Outcome}, {"run-id", o.RunID}, {"pull-request", o.PullRequest},
		{"decision", o.Decision}, {"ledger-head", o.LedgerHead}, {"decision-head", o.DecisionHead},
		{"cost-usd", o.CostUSD}, {"unpriced-calls", o.Unpriced},
	} {
		delimiter, err := token(random)
		if err != nil {
			return fmt.Errorf("write output %q: %w", out.name, err)
		}
		if strings.Contains(out.value, delimiter) {
			return fmt.Errorf("write output %q: the value contains its delimiter", out.name)
		}
		fmt.Fprintf(&b, "%s<<%s\n%s\n%s\n", out.name, delimiter, out.value, delimiter)
	}
	return appendTo(path, "outputs", b.String())
}

// MaxSummary is how many bytes the runner takes as one step's summary.
const MaxSummary = 1 << 20

// WriteSummary appends Markdown to the step summary at path. What does not fit is
// cut at a line, with a sentence that says so; cut reports that.
func WriteSummary(path, markdown string) (cut bool, err error) {
	room := MaxSummary
	if info, err := os.Stat(path); err == nil {
		room -= int(min(info.Size(), MaxSummary))
	}
	text, cut := fit(markdown+"\n", room)
	return cut, appendTo(path, "step summary", text)
}

const cutNote = "\n\nThe rest of this summary did not fit; the ledger has all of it.\n"

// fit keeps whole lines and closes a code fence that the cut left open.
func fit(text string, room int) (string, bool) {
	if len(text) <= room {
		return text, false
	}
	keep := room - len(cutNote) - len("\n"+strings.Repeat("`", maxFence))
	if keep <= 0 {
		return "", true
	}
	text = text[:keep]
	for len(text) > 0 && !utf8.RuneStart(text[len(text)-1]) {
		text = text[:len(text)-1]
	}
	if end := strings.LastIndexByte(text, '\n'); end >= 0 {
		text = text[:end+1]
	} else {
		text = ""
	}
	return text + openFence(text) + cutNote, true
}

const maxFence = 64

// openFence returns the line that closes the fence in which text ends, or "".
func openFence(text string) string {
	open := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimLeft(line, " ")
		bar := trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, "`"))]
		switch {
		case len(line)-len(trimmed) > 3 || len(bar) < 3 || len(bar) > maxFence:
		case open == "":
			open = bar
		case len(bar) >= len(open) && strings.TrimSpace(trimmed) == bar:
			open = ""
		}
	}
	if open == "" {
		return ""
	}
	return open + "\n"
}

func appendTo(path, what, text string) error {
	if path == "" {
		return fmt.Errorf("write the %s: the runner names no file for them", what)
	}
	// Without blocking: a pipe that nobody reads would keep the job waiting.
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY|syscall.O_NONBLOCK, 0o644)
	if err != nil {
		return fmt.Errorf("write the %s: %w", what, err)
	}
	if info, err := f.Stat(); err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeSocket) != 0 {
		_ = f.Close()
		return fmt.Errorf("write the %s: %s is not a file", what, path)
	}
	if _, err := io.WriteString(f, text); err != nil {
		_ = f.Close()
		return fmt.Errorf("write the %s: %w", what, err)
	}
	if err := f.Close(); err != nil {
		return fmt.Errorf("write the %s: %w", what, err)
	}
	return nil
}

// token returns 128 random bits in hex.
func token(random io.Reader) (string, error) {
	raw := make([]byte, 16)
	if _, err := io.ReadFull(random, raw); err != nil {
		return "", fmt.Errorf("read randomness: %w", err)
	}
	return "warden-" + hex.EncodeToString(raw), nil
}
