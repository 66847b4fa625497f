package proc

import (
	"bytes"
	"testing"
	"unicode/utf8"
)

// FuzzCollector compares what is kept with the whole stream.
func FuzzCollector(f *testing.F) {
	f.Add([]byte("héllo\nwörld €"), 5, 3)
	f.Add([]byte{0xe2, 0x82}, 1, 1)
	f.Add([]byte("wörld €"), 0, 18) // of whose end two bytes are kept
	f.Add(bytes.Repeat([]byte("€"), 5000), 32, 7)
	f.Fuzz(func(t *testing.T, stream []byte, limit, piece int) {
		limit, piece = 1+abs(limit)%10000, 1+abs(piece)%5000
		c := collector{max: limit, tail: 1 + limit%(2*tailSize)}
		for p := range chunks(stream, piece) {
			c.write(p)
		}
		o := c.output()
		if o.Total != int64(len(stream)) || o.Truncated != (len(stream) > limit) {
			t.Fatalf("total %d, truncated %t of %d with cap %d", o.Total, o.Truncated, len(stream), limit)
		}
		if len(o.Bytes) > limit || !bytes.HasPrefix(stream, o.Bytes) || len(o.Bytes) < min(limit, len(stream))-3 {
			t.Fatalf("kept %q of %q", o.Bytes, stream)
		}
		if len(o.Tail) > c.tail || !bytes.HasSuffix(stream, o.Tail) || len(o.Tail) < min(c.tail, len(stream))-3 {
			t.Fatalf("tail of %d bytes", len(o.Tail))
		}
		if utf8.Valid(stream) && !(utf8.Valid(o.Bytes) && utf8.Valid(o.Tail)) {
			t.Fatalf("a cut split a character: %q", o.Bytes)
		}
		if text := o.Text(); !utf8.ValidString(text) || len(text) > limit {
			t.Fatalf("text %q", text)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}

func chunks(b []byte, size int) func(func([]byte) bool) {
	return func(yield func([]byte) bool) {
		for len(b) > 0 {
			n := min(size, len(b))
			if !yield(b[:n]) {
				return
			}
			b = b[n:]
		}
	}
}
