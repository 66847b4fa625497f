package progress

import (
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

// Event is one thing worth telling. The set is closed. Every text in an event is
// treated as foreign: it is made one line and stripped of control characters.
type Event interface{ event() }

// Header opens the narration of a run.
type Header struct {
	Run, Task, Risk string
	Scope           []string
	Stages          []string
	Calls           int     // vendor calls the run may make
	CostUSD         float64 // ceiling; 0 means that none is set
	FixRounds       int
	Base            string // what the candidate is compared with; "" is left out
}

// Note is a remark in one sentence or two.
type Note struct{ Text string }

// StageStarted opens a stage. A role stage leaves What empty: its line is held
// until the Dispatch says who works.
type StageStarted struct {
	Index, Total int
	Name, What   string
}

// StageSkipped says why a stage does not run.
type StageSkipped struct{ Name, Reason string }

// StageReused says that a verdict of an earlier run stands. It names no vendor,
// because nobody is called.
type StageReused struct {
	Index, Total int
	Name, From   string
}

// Dispatch is said before each vendor call.
type Dispatch struct {
	Role, Profile, Vendor, Model string
	Limit                        time.Duration
}

// StageEnded is the result of a stage, or of the call of a fix round.
type StageEnded struct {
	OK       bool
	Code     outcome.Code // shown when the stage failed
	Elapsed  time.Duration
	Usage    usage.Total // shown when it counts at least one call
	Facts    []string    // such as "7 screenshot(s)"
	Verdict  string
	Role     string // who found what Blocking counts
	Blocking int
}

// FixRound says that a stage sent the work back.
type FixRound struct {
	Round, Rounds int
	From, To      string // stage and role
}

// Done closes the narration.
type Done struct {
	Reason   outcome.Code
	OK       bool
	Usage    usage.Total
	Say      []string // sentences
	Commands []string // what a person can type next
}

func (Header) event()       {}
func (Note) event()         {}
func (StageStarted) event() {}
func (StageSkipped) event() {}
func (StageReused) event()  {}
func (Dispatch) event()     {}
func (StageEnded) event()   {}
func (FixRound) event()     {}
func (Done) event()         {}
