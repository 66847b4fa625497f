package vendor

import (
	"bytes"
	"cmp"

	"github.com/tolboy/warden/internal/proc"
)

// reading reads both streams of a call line by line as they come. What it keeps
// is bounded, and how much a vendor prints before its answer is not: the answer,
// what it cost and why it failed stand at the end of long streams.
type reading struct {
	rows  []row
	side  []Failure         // what stderr said in the form of events
	turns map[string]string // by stream: words of a loose line that name the turn limit
}

// The names by which proc calls the streams.
const (
	stdoutName = "stdout"
	stderrName = "stderr"
)

// row is what one dialect makes of the stream. All of them read along, since a
// stream may show only at its end whose it is.
type row struct {
	dialect
	known bool
	e     *Envelope
	event func(object)
	end   func()
}

func newReading() *reading {
	r := &reading{turns: map[string]string{}}
	for _, d := range dialects() {
		n := row{dialect: d, e: &Envelope{Dialect: d.name}}
		n.event, n.end = d.read(n.e)
		r.rows = append(r.rows, n)
	}
	return r
}

// line is given every line of a stream as it comes.
func (r *reading) line(stream string, line []byte) {
	if o, ok := parseObject(line); ok {
		r.object(stream, o)
		return
	}
	line = bytes.TrimSpace(line)
	if r.turns[stream] == "" && (stream == stderrName || len(line) <= maxLoose) {
		r.turns[stream] = match(string(line), turnPhrases[:])
	}
}

func (r *reading) object(stream string, o object) {
	if stream == stderrName {
		for _, f := range failureOf(o) {
			r.side = bounded(r.side, f)
		}
		return
	}
	for i := range r.rows {
		n := &r.rows[i]
		n.known = n.known || n.recognise(o)
		n.event(o)
	}
}

// envelope is what was read, once both streams have ended. A stream that is as a
// whole one object over several lines is that object.
func (r *reading) envelope(stdout, stderr proc.Output) Envelope {
	if whole, ok := parseObject(stdout.Bytes); ok && !stdout.Truncated {
		r.rows, r.turns[stdoutName] = newReading().rows, ""
		r.object(stdoutName, whole)
	}
	if whole, ok := parseObject(stderr.Bytes); ok && !stderr.Truncated {
		r.side, r.turns[stderrName] = nil, ""
		r.object(stderrName, whole)
	}
	e := r.chosen()
	if e.Dialect == genericName && len(e.Answers) == 0 {
		e.answer(string(answerEnd(stdout)))
	}
	for _, f := range r.side {
		e.fail(f)
	}
	e.TurnLimit = cmp.Or(e.TurnLimit, turnLimit(e.Failures), r.turns[stderrName], r.turns[stdoutName])
	return *e
}

// chosen is what the most particular dialect read that knows the stream.
func (r *reading) chosen() *Envelope {
	for _, n := range r.rows {
		if n.known || n.name == genericName {
			n.end()
			return n.e
		}
	}
	return &Envelope{}
}

// answerEnd is the part of a stream in which an answer without an envelope is
// looked for.
func answerEnd(o proc.Output) []byte {
	if o.Truncated {
		return o.Tail
	}
	return o.Bytes
}
