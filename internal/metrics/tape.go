package metrics

import (
	"encoding/binary"
	"math"
)

// packer writes. A text that occurred is named by its number.
type packer struct {
	out  []byte
	seen map[string]int
}

func (p *packer) text(s *string) {
	n, ok := p.seen[*s]
	p.size(n)
	if ok {
		return
	}
	p.seen[*s] = len(p.seen) + 1
	p.size(len(*s))
	p.out = append(p.out, *s...)
}

func (p *packer) long(n *int64) { p.out = binary.AppendVarint(p.out, *n) }

func (p *packer) count(n *int) { p.out = binary.AppendVarint(p.out, int64(*n)) }

func (p *packer) size(n int) int {
	p.out = binary.AppendUvarint(p.out, uint64(n))
	return n
}

func (p *packer) truth(b *bool) {
	n := 0
	if *b {
		n = 1
	}
	p.size(n)
}

func (p *packer) amount(a **float64) {
	known := *a != nil
	if p.truth(&known); known {
		p.out = binary.LittleEndian.AppendUint64(p.out, math.Float64bits(**a))
	}
}

// unpacker reads, and is off at the first thing that no packer wrote.
type unpacker struct {
	in   []byte
	seen []string
	off  bool
}

func (u *unpacker) fail() { u.off, u.in = true, nil }

// take steps over n bytes.
func (u *unpacker) take(n int) []byte {
	if n <= 0 || n > len(u.in) {
		u.fail()
		return nil
	}
	out := u.in[:n]
	u.in = u.in[n:]
	return out
}

func (u *unpacker) number() int {
	n, width := binary.Uvarint(u.in)
	if u.take(width); u.off || n > math.MaxInt32 {
		u.fail()
		return 0
	}
	return int(n)
}

// size is at most the number of bytes that follow, as nothing is written in less.
func (u *unpacker) size(int) int {
	n := u.number()
	if n > len(u.in) {
		u.fail()
		return 0
	}
	return n
}

func (u *unpacker) text(s *string) {
	n := u.number()
	switch {
	case u.off:
	case n > len(u.seen):
		u.fail()
	case n > 0:
		*s = u.seen[n-1]
	default:
		if n = u.size(0); n > 0 {
			*s = string(u.take(n))
		}
		u.seen = append(u.seen, *s)
	}
}

func (u *unpacker) long(n *int64) {
	v, width := binary.Varint(u.in)
	if u.take(width); !u.off {
		*n = v
	}
}

func (u *unpacker) count(n *int) {
	var v int64
	u.long(&v)
	*n = int(v)
}

func (u *unpacker) truth(b *bool) {
	n := u.number()
	if *b = n == 1; n > 1 {
		u.fail()
	}
}

func (u *unpacker) amount(a **float64) {
	var known bool
	if u.truth(&known); !known {
		return
	}
	if raw := u.take(8); raw != nil {
		v := math.Float64frombits(binary.LittleEndian.Uint64(raw))
		*a = &v
	}
}
