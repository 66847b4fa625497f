// Package progress tells a person where a run is, one appended line after the
// other. Nothing it prints is evidence: every line restates what the ledger
// holds, so a line that cannot be written is lost without harm.
package progress

import (
	"io"
	"strings"
	"sync"
	"time"
)

// DefaultSilence is how long nothing may be said while somebody works.
const DefaultSilence = 30 * time.Second

// Options configures a Narrator.
type Options struct {
	Quiet   bool          // nothing for the person; Log is still written
	Color   bool          // see Color
	DryRun  bool          // nobody is called, so no heartbeat either
	Log     io.Writer     // gets the same lines without color; may be nil
	Silence time.Duration // DefaultSilence when 0
}

// Narrator writes events as lines. It is safe for concurrent use. Errors of its
// writers are ignored.
type Narrator struct {
	opts Options
	out  io.Writer

	mu     sync.Mutex
	block  string        // kind of the last block, for the blank lines between
	width  int           // of the stage name column
	held   *StageStarted // a role stage whose Dispatch has not come
	work   *work         // what is in flight, nil between stages
	calls  int
	said   int // events so far
	timer  *time.Timer
	closed bool
}

// work is what a heartbeat speaks of.
type work struct {
	name, profile string
	since         time.Time
}

// New returns a Narrator that writes to out.
func New(out io.Writer, opts Options) *Narrator {
	if opts.Silence <= 0 {
		opts.Silence = DefaultSilence
	}
	return &Narrator{opts: opts, out: out, width: len("implement")}
}

// Color reports whether color may be used: on a terminal, unless NO_COLOR is set
// to anything or the terminal is dumb.
func Color(getenv func(string) string, terminal bool) bool {
	return terminal && getenv("NO_COLOR") == "" && getenv("TERM") != "dumb"
}

// Tell writes one event.
func (n *Narrator) Tell(e Event) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return
	}
	if n.timer != nil {
		n.timer.Stop()
	}
	n.said++
	n.tell(e)
	n.arm()
}

// Close ends the narration. No line follows it.
func (n *Narrator) Close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.timer != nil {
		n.timer.Stop()
	}
	n.release()
	n.closed, n.work = true, nil
}

func (n *Narrator) tell(e Event) {
	if _, follows := e.(Dispatch); !follows {
		n.release()
	}
	switch e := e.(type) {
	case Header:
		n.header(e)
	case Note:
		n.write("note", "note  "+wrap(clean(e.Text, noteLimit), columns, "      ")+"\n")
	case StageStarted:
		n.started(e)
	case StageSkipped:
		n.write("stage", "skip  "+clean(e.Name, 0)+"  "+clean(e.Reason, 0)+"\n")
	case StageReused:
		n.work = nil
		n.write("stage", n.label(e.Index, e.Total, e.Name)+"carried from "+clean(e.From, 0)+", nobody is called\n")
	case Dispatch:
		n.dispatch(e)
	case StageEnded:
		n.work = nil
		n.write("stage", n.result(e))
	case FixRound:
		n.work = nil
		n.write("stage", fixRound(e))
	case Done:
		n.work = nil
		n.write("done", n.done(e))
	}
}

func (n *Narrator) started(e StageStarted) {
	n.work = &work{name: clean(e.Name, 0), since: time.Now()}
	if e.What == "" {
		n.held = &e
		return
	}
	n.write("stage", n.label(e.Index, e.Total, e.Name)+clean(e.What, 0)+"\n")
}

func (n *Narrator) dispatch(e Dispatch) {
	text := n.who(e)
	if n.held != nil {
		text = n.label(n.held.Index, n.held.Total, n.held.Name) + text
		n.held = nil
	} else {
		text = indent + clean(e.Role, 0) + "  " + text
	}
	if !n.opts.DryRun {
		n.calls++
	}
	n.work = &work{name: clean(e.Role, 0), profile: clean(e.Profile, 0), since: time.Now()}
	n.write("stage", text+"\n")
}

// release prints the line of a role stage that ended without a call.
func (n *Narrator) release() {
	if n.held == nil {
		return
	}
	held := n.held
	n.held = nil
	n.write("stage", strings.TrimRight(n.label(held.Index, held.Total, held.Name), " ")+"\n")
}

// arm starts the wait for the next heartbeat. It runs only while work is in
// flight, so no beat follows a result.
func (n *Narrator) arm() {
	if n.work == nil || n.opts.DryRun {
		return
	}
	said := n.said
	n.timer = time.AfterFunc(n.opts.Silence, func() { n.beat(said) })
}

// beat breaks the silence that began with the given event. A timer that fired
// while another event was being written finds a newer one and says nothing.
func (n *Narrator) beat(said int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed || n.said != said || n.work == nil {
		return
	}
	n.release()
	n.write("stage", n.dim(heartbeat(*n.work, n.calls))+"\n")
	n.arm()
}

// write sends whole lines to both sinks, with a blank line where the kind of
// block changes.
func (n *Narrator) write(block, text string) {
	if n.block != "" && n.block != block {
		text = "\n" + text
	}
	n.block = block
	if n.opts.Log != nil {
		_, _ = io.WriteString(n.opts.Log, uncolor(text))
	}
	if !n.opts.Quiet {
		_, _ = io.WriteString(n.out, text)
	}
}
