// Package ledger keeps the evidence of runs. Each run has one chain of lines in
// evidence.jsonl: every line names the hash of the line before it, the first the
// hash of run.json, and every file that an event names is named with its hash
// and written once. Secrets are taken out before anything is hashed.
//
// A chain proves itself only against an anchor that is kept elsewhere: whoever
// can write the whole directory can make another chain that fits.
package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Errors that a caller branches on.
var (
	// ErrAltered means that the files do not continue what this process wrote,
	// or that the chain does not fit together.
	ErrAltered = errors.New("the ledger was altered")
	// ErrExists means that the run id, or a file of the run, is taken.
	ErrExists = errors.New("exists already")
	// ErrUnknownRun means that there is no such run.
	ErrUnknownRun = errors.New("unknown run")
	// ErrUnsafeRunID means that the word cannot be a run id.
	ErrUnsafeRunID = errors.New("unsafe run id")
	// ErrUnsafePath means that a name leads out of the run, or is reserved.
	ErrUnsafePath = errors.New("unsafe path")
	// ErrSealed means that the work of the run has ended.
	ErrSealed = errors.New("the run is sealed")
	// ErrUnknownType means that the type of event is not of this version.
	ErrUnknownType = errors.New("unknown event type")
	// ErrTooLarge means that a line or a file is over its bound.
	ErrTooLarge = errors.New("too large")
)

// Bounds of what is written and read, in bytes.
const (
	MaxLine     = 4 << 20
	MaxFile     = 64 << 20
	MaxEvidence = 256 << 20
	maxHead     = 1 << 20
)

// Line is one event of the chain.
type Line struct {
	Seq      int             `json:"seq"` // from 1
	Prev     string          `json:"prev"`
	At       time.Time       `json:"at"`
	Type     string          `json:"type"`
	Data     json.RawMessage `json:"data"`
	Files    []File          `json:"files,omitempty"`
	Redacted int             `json:"redacted,omitempty"` // places taken out of Data
	SHA256   string          `json:"-"`                  // of the line's bytes, without the line break
}

// File is a file that an event names.
type File struct {
	Path     string `json:"path"` // relative to the runs directory, with slashes
	SHA256   string `json:"sha256"`
	Bytes    int64  `json:"bytes"`
	Redacted int    `json:"redacted,omitempty"` // places taken out before hashing
}

// encode returns the bytes of the line without a line break, and sets SHA256.
func (l *Line) encode() ([]byte, error) {
	raw, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	l.SHA256 = digest(raw)
	return raw, nil
}

// parseLine reads a line and refuses one that this package would have written
// differently, so that a hash belongs to one meaning.
func parseLine(raw []byte) (Line, error) {
	var l Line
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&l); err != nil {
		return Line{}, fmt.Errorf("is not an event: %w", err)
	}
	if l.Seq < 1 {
		return Line{}, fmt.Errorf("carries the number %d", l.Seq)
	}
	again, err := l.encode()
	if err != nil {
		return Line{}, fmt.Errorf("is not an event: %w", err)
	}
	if !bytes.Equal(raw, again) {
		return Line{}, errors.New("is not written as an event is written")
	}
	return l, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
