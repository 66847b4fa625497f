// Package visual looks at the page of a candidate: it serves the page, opens it in
// a browser, and brings back what the scenarios came to. Where the machine lets it,
// both happen in a network namespace that has nothing but a loopback: this program
// starts itself there a second time (see Enter), and that process serves, waits,
// drives the browser and tells.
//
// Nobody but this program writes what is told: the preview and the browser see
// neither the directory of the pictures nor the pipe of the answer.
package visual

import (
	"time"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/preview"
	"github.com/tolboy/warden/internal/sandbox"
)

// Networks that a page can be looked at in.
const (
	NetworkLoopback = "loopback" // a namespace with nothing else in it
	NetworkHost     = "host"     // the machine's own
)

// Order asks for one look. It crosses to another process as JSON and holds no
// secret.
type Order struct {
	URL       string
	Origins   []string // further ones that the page may reach
	Scenarios []string // each one that reads; see scenario.Read
	Ignore    []string // selectors whose places are told with every picture
	Browser   string   // absolute path
	Pictures  string   // an empty directory, this program's alone
	Scratch   string   // an empty directory for what the browser keeps while it runs
	Limit     time.Duration
	Ready     time.Duration // how long Command may take until its page answers; 0 is preview.ReadyLimit
	// Command serves the page; "" means that somebody else does.
	Command string
	Dir     string
	Env     []string // complete, of the preview
	Bwrap   string
	// Preview and Chromium confine the two; nil confines nothing.
	Preview  *sandbox.Spec
	Chromium *sandbox.Spec
	Network  string
}

// Seen is what came of an order. Either Fault is set or Report is.
type Seen struct {
	Fault  *Fault
	Report browser.Report
	// Exited says how the preview came to its end while it was looked at.
	Exited  string
	Lines   []string // the preview's last ones
	Dropped int      // lines that it printed before those
	Serve   float64  // seconds until the page answered
	Unserve float64  // seconds until the preview was gone
}

// Fault says why nothing was seen. Its text can quote what a program printed.
type Fault struct {
	Code outcome.Code
	Why  Why
	Text string
}

// Why is what kept us from seeing anything, one word. Those of package preview
// are among them.
type Why = preview.Why

// The reasons beside those of package preview.
const (
	NoBrowser Why = "no_browser"
	OverLimit Why = "over_limit" // the whole took longer than all of its parts may
	Internal  Why = "internal"
	NoNetwork Why = "no_network" // there is no network that the preview may have
)

func fault(why Why, text string) *Fault {
	code := outcome.VisualUnavailable
	if why == preview.Cancelled {
		code = outcome.Interrupted
	}
	return &Fault{Code: code, Why: why, Text: text}
}
