package metrics

import (
	"bytes"
	"crypto/sha256"

	"github.com/tolboy/warden/internal/durable"
)

// indexFormat is the first text of an index.
const indexFormat = "warden index 1"

// pack writes an index: the hash of the rest, who made it of which directory, and the
// runs.
func pack(all []reading, maker, runsDir string) []byte {
	t := &packer{out: make([]byte, sha256.Size), seen: map[string]int{}}
	for _, s := range []string{indexFormat, maker, runsDir} {
		t.text(&s)
	}
	t.size(len(all))
	for i := range all {
		all[i].pass(t)
	}
	sum := sha256.Sum256(t.out[sha256.Size:])
	copy(t.out, sum[:])
	return t.out
}

// unpack reads an index. One that another made, that is of another directory, or that
// is not as it was written remembers nothing.
func unpack(data []byte, maker, runsDir string) remembered {
	if len(data) < sha256.Size {
		return nil
	}
	if sum := sha256.Sum256(data[sha256.Size:]); !bytes.Equal(sum[:], data[:sha256.Size]) {
		return nil
	}
	t := &unpacker{in: data[sha256.Size:]}
	for _, want := range []string{indexFormat, maker, runsDir} {
		var is string
		if t.text(&is); is != want {
			return nil
		}
	}
	n := t.size(0)
	out := make(remembered, n)
	for range n {
		r := reading{again: true}
		r.pass(t)
		out[r.id] = r
	}
	if t.off || len(t.in) > 0 || len(out) != n {
		return nil
	}
	return out
}

// tape is written or read: what passes it is named once for both.
type tape interface {
	text(s *string)
	count(n *int)
	long(n *int64)
	truth(b *bool)
	amount(a **float64)
	size(n int) int // of a list: n when it is written, else what was written
}

func (r *reading) pass(t tape) {
	for _, s := range []*string{&r.id, &r.code, &r.run, &r.head} {
		t.text(s)
	}
	for _, s := range []*durable.Stamp{&r.stamp.Head, &r.stamp.Evidence} {
		device, inode := int64(s.Device), int64(s.Inode)
		for _, n := range []*int64{&device, &inode, &s.Size, &s.Modified, &s.Changed} {
			t.long(n)
		}
		s.Device, s.Inode = uint64(device), uint64(inode)
	}
	t.count(&r.events)
	t.count(&r.newer)
	t.truth(&r.dryRun)
	if r.facts == nil {
		r.facts = &facts{}
	}
	r.facts.pass(t)
}

func (f *facts) pass(t tape) {
	for _, n := range []*int{&f.failovers, &f.switched, &f.rounds, &f.failures.Baseline, &f.failures.MachineGate,
		&f.failures.VisualRole, &f.failures.Quota, &f.failures.Configuration} {
		t.count(n)
	}
	t.truth(&f.drafts)
	t.truth(&f.asked)
	ended := f.ended != nil
	if t.truth(&ended); ended {
		if f.ended == nil {
			f.ended = &ending{}
		}
		t.truth(&f.ended.OK)
		word(t, &f.ended.Code)
	}
	f.calls = list(t, f.calls, func(c *call) {
		for _, s := range []*string{&c.role, &c.Profile, &c.Vendor, &c.Runner, &c.Model, &c.ModelReported} {
			t.text(s)
		}
		word(t, &c.Code)
		for _, a := range []**float64{&c.Duration, &c.Usage.Cost, &c.Usage.Input, &c.Usage.Output, &c.Usage.Total} {
			t.amount(a)
		}
	})
	f.answers = list(t, f.answers, func(a *answer) {
		t.text(&a.Decision)
		t.text(&a.Source)
		t.amount(&a.Wait)
	})
}

func list[T any](t tape, all []T, one func(*T)) []T {
	n := t.size(len(all))
	if len(all) != n {
		all = make([]T, n)
	}
	for i := range all {
		one(&all[i])
	}
	return all
}

func word[T ~string](t tape, s *T) {
	plain := string(*s)
	t.text(&plain)
	*s = T(plain)
}
