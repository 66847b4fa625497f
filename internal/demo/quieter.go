package demo

import (
	"bytes"
	"io"
)

// quieter drops the lines that are for a runner, not for a person: the marks
// between which it takes no commands.
type quieter struct {
	to   io.Writer
	rest []byte
}

// Write implements io.Writer. It passes whole lines on.
func (q *quieter) Write(p []byte) (int, error) {
	q.rest = append(q.rest, p...)
	for {
		end := bytes.IndexByte(q.rest, '\n')
		if end < 0 {
			return len(p), nil
		}
		line := q.rest[:end+1]
		if !bytes.HasPrefix(line, []byte("::")) {
			if _, err := q.to.Write(line); err != nil {
				return 0, err
			}
		}
		q.rest = append([]byte(nil), q.rest[end+1:]...)
	}
}

// flush passes on what has no line end.
func (q *quieter) flush() {
	_, _ = q.to.Write(q.rest) // narration; what it says is in the ledger
	q.rest = nil
}
