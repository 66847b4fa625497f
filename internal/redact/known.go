package redact

import (
	"bytes"
	"encoding/binary"
)

// index finds many needles in one pass: a position is looked at closely only if
// the two bytes there start one of them.
type index struct {
	starts  [1 << 16]bool
	buckets map[uint32][]needle // by the first four bytes
}

func newIndex(needles []needle) *index {
	x := &index{buckets: map[uint32][]needle{}}
	for _, n := range needles {
		x.starts[uint16(n.text[0])<<8|uint16(n.text[1])] = true
		key := binary.BigEndian.Uint32(n.text)
		x.buckets[key] = append(x.buckets[key], n)
	}
	return x
}

// find finds the needles in data. origin, when given, leads from a position in
// data to the position in the text that data was squeezed from.
func (x *index) find(data []byte, origin []int32) []span {
	var found []span
	for at := 0; at+4 <= len(data); at++ {
		if !x.starts[uint16(data[at])<<8|uint16(data[at+1])] {
			continue
		}
		for _, n := range x.buckets[binary.BigEndian.Uint32(data[at:])] {
			if !bytes.HasPrefix(data[at:], n.text) {
				continue
			}
			from, to := n.widen(data, at, at+len(n.text))
			if origin != nil {
				from, to = int(origin[from]), int(origin[to-1])+1
			}
			found = append(found, span{from, to})
		}
	}
	return found
}

// widen takes in the neighbouring characters that carry the remaining bits of a
// secret inside base64 or base32, and the padding.
func (n needle) widen(data []byte, from, to int) (int, int) {
	if n.before && from > 0 && isCode(data[from-1]) {
		from--
	}
	if n.after && to < len(data) && isCode(data[to]) {
		to++
	}
	for i := 0; (n.before || n.after) && i < 6 && to < len(data) && data[to] == '='; i++ {
		to++
	}
	return from, to
}

func isCode(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' ||
		b == '+' || b == '/' || b == '-' || b == '_'
}

// squeeze returns data without line breaks, as bytes or as the escapes \n and
// \r, and where each remaining byte stood. Encoders wrap lines, and a wrapped
// secret is still one. It returns nil when there is nothing to take out.
func squeeze(data []byte) ([]byte, []int32) {
	if bytes.IndexByte(data, '\n') < 0 && bytes.IndexByte(data, '\r') < 0 &&
		!bytes.Contains(data, []byte(`\n`)) && !bytes.Contains(data, []byte(`\r`)) {
		return nil, nil
	}
	out := make([]byte, 0, len(data))
	origin := make([]int32, 0, len(data))
	for i := 0; i < len(data); i++ {
		switch {
		case data[i] == '\n' || data[i] == '\r':
			continue
		case data[i] == '\\' && i+1 < len(data) && (data[i+1] == 'n' || data[i+1] == 'r'):
			i++
			continue
		}
		out = append(out, data[i])
		origin = append(origin, int32(i))
	}
	return out, origin
}
