package vendor

import (
	"encoding/json"

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

// dialect is one CLI's way of printing. recognise looks at the shape of the
// events, never at the profile's name: two programs may share one name.
type dialect struct {
	name      string
	recognise func([]object) bool
	read      func([]object, *Envelope)
}

// dialects lists them from the most to the least particular; the generic reader
// takes what no other knows.
func dialects() []dialect {
	return []dialect{codex(), opencode(), gemini(), claude(), grok(), generic()}
}

// Read reads one call's output. It is total: whatever the bytes are, it returns
// what can be known from them.
func Read(stdout, stderr []byte) Envelope {
	found, loose := events(stdout)
	var e Envelope
	for _, d := range dialects() {
		if d.recognise(found) {
			e.Dialect = d.name
			d.read(found, &e)
			break
		}
	}
	if len(e.Answers) == 0 && e.Structured == nil && e.Dialect == genericName {
		e.Answers = append(e.Answers, string(stdout))
	}
	side, noise := events(stderr)
	for _, o := range side {
		e.Failures = append(e.Failures, failureOf(o)...)
	}
	if e.TurnLimit == "" {
		e.TurnLimit = turnLimit(e.Failures, noise, loose)
	}
	return e
}

// any reports whether one of the objects satisfies the test.
func anyOf(found []object, test func(object) bool) bool {
	for _, o := range found {
		if test(o) {
			return true
		}
	}
	return false
}
