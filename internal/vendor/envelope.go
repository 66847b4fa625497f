package vendor

import (
	"bytes"
	"encoding/json"

	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/usage"
)

// Envelope is what a vendor's output says about the call, read before anybody
// asks how the call ended. The numbers stand as the vendor printed them: Codex
// and Gemini count cached input among the input tokens, Claude and opencode do
// not.
type Envelope struct {
	Dialect    string
	Structured json.RawMessage // an artifact the vendor itself marked as one
	Answers    []string        // texts that may hold the artifact, the likeliest first
	Usage      usage.Call
	Model      string
	SessionID  string
	StopReason string
	Failures   []Failure // structured errors, in their order
	TurnLimit  string    // the words that say the turn limit was reached
}

// Failure is one structured error of a vendor.
type Failure struct {
	Text   string
	Kind   string // codes, types and a raw body beside the text; searched, not quoted
	Status int    // HTTP status that it names, or zero
	Final  bool   // it ended the call; a warning or a retry did not
	Plan   bool   // the vendor itself says that the plan's allowance is used up
}

// all is everything that a phrase may stand in.
func (f Failure) all() string {
	if f.Kind == "" {
		return f.Text
	}
	return f.Text + "\n" + f.Kind
}

// ended reports whether the envelope itself says that the call failed.
func (e Envelope) ended() bool {
	for _, f := range e.Failures {
		if f.Final {
			return true
		}
	}
	return e.TurnLimit != ""
}

// dialect is one CLI's way of printing. recognise looks at the shape of an
// event, never at the profile's name: two programs may share one name. read
// returns what is to be called with each event, and at the end.
type dialect struct {
	name      string
	recognise func(object) bool
	read      func(*Envelope) (event func(object), end func())
}

// dialects lists them from the most to the least particular; the generic reader
// takes what no other knows.
func dialects() []dialect {
	return []dialect{codex(), opencode(), gemini(), claude(), grok(), generic()}
}

// Read reads one call's output. It is total: whatever the bytes are, it returns
// what can be known from them.
func Read(stdout, stderr []byte) Envelope {
	r := newReading()
	for stream, text := range map[string][]byte{stdoutName: stdout, stderrName: stderr} {
		for line := range bytes.Lines(text) {
			r.line(stream, line)
		}
	}
	return r.envelope(proc.Output{Bytes: stdout}, proc.Output{Bytes: stderr})
}
