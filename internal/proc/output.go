package proc

import (
	"bytes"
	"io"
	"sync"
	"unicode/utf8"
)

// What is kept of an end, and of a line, where a Command says nothing.
const (
	tailSize = 4 << 10
	lineSize = 64 << 10
)

// Output is what was kept of a stream.
type Output struct {
	// Bytes is the beginning, at most MaxOutput bytes. A cut never splits a
	// character; bytes that were not UTF-8 are kept as they came.
	Bytes []byte
	// Tail is the end, at most MaxTail bytes, also when nothing was cut.
	Tail      []byte
	Truncated bool
	Total     int64 // bytes the child wrote
}

// Text returns Bytes as valid UTF-8 that is never longer than them.
func (o Output) Text() string { return valid(o.Bytes) }

// valid replaces each run of bytes that are not UTF-8 by one question mark.
func valid(b []byte) string { return string(bytes.ToValidUTF8(b, []byte{'?'})) }

// end is the last of the stream, for a sentence about it.
func (o Output) end() []byte {
	if len(o.Tail) <= tailSize {
		return o.Tail
	}
	return cutStart(o.Tail[len(o.Tail)-tailSize:])
}

// cutEnd drops a character that b ends in the middle of.
func cutEnd(b []byte) []byte {
	for i := len(b) - 1; i >= 0 && i > len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				return b[:i]
			}
			return b
		}
	}
	return b
}

// cutStart drops the rest of a character that b starts in the middle of.
func cutStart(b []byte) []byte {
	for i := 0; i < len(b) && i < utf8.UTFMax; i++ {
		if utf8.RuneStart(b[i]) {
			return b[i:]
		}
	}
	if len(b) < utf8.UTFMax { // nothing but the rest
		return b[len(b):]
	}
	return b
}

// collector keeps the two ends of a stream. It belongs to one goroutine.
type collector struct {
	max   int
	tail  int
	head  []byte
	last  []byte // up to twice the tail
	total int64
	lines *lines
}

func (c *collector) write(p []byte) {
	c.total += int64(len(p))
	if room := c.max - len(c.head); room > 0 {
		c.head = append(c.head, p[:min(room, len(p))]...)
	}
	c.last = append(c.last, p[max(0, len(p)-c.tail):]...)
	if len(c.last) > 2*c.tail {
		c.last = append(c.last[:0], c.last[len(c.last)-c.tail:]...)
	}
	if c.lines != nil {
		c.lines.write(p)
	}
}

func (c *collector) output() Output {
	if c.lines != nil {
		c.lines.flush()
	}
	o := Output{Bytes: c.head, Tail: c.last, Total: c.total, Truncated: c.total > int64(len(c.head))}
	if o.Truncated {
		o.Bytes = cutEnd(o.Bytes)
	}
	if len(o.Tail) > c.tail {
		o.Tail = o.Tail[len(o.Tail)-c.tail:]
	}
	if int64(len(o.Tail)) < c.total {
		o.Tail = cutStart(o.Tail)
	}
	return o
}

// readFrom fills c until the stream ends or is closed.
func (c *collector) readFrom(r io.Reader) {
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if n > 0 {
			c.write(buf[:n])
		}
		if err != nil {
			return
		}
	}
}

// lines cuts a stream into lines for a watcher shared by both streams.
type lines struct {
	stream string
	max    int
	mu     *sync.Mutex
	on     func(stream string, line []byte)
	part   []byte
}

func (l *lines) write(p []byte) {
	for len(p) > 0 {
		end := bytes.IndexByte(p, '\n')
		piece := p
		if end >= 0 {
			piece = p[:end]
		}
		l.part = append(l.part, piece[:min(len(piece), l.max-len(l.part))]...)
		if end < 0 {
			return
		}
		l.emit()
		p = p[end+1:]
	}
}

func (l *lines) flush() {
	if len(l.part) > 0 {
		l.emit()
	}
}

func (l *lines) emit() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.on(l.stream, bytes.TrimSuffix(l.part, []byte{'\r'}))
	l.part = l.part[:0]
}
