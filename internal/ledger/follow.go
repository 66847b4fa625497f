package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
)

// follow goes along the chain by hashes alone. It looks into the head, into the
// beginning of every line, and into the last line, which no hash covers; whoever
// asked for a line looks into that one. Of anything that is not plainly in order
// it says nothing but that it does not fit.
func (s *Scanner) follow(id string, rawHead, evidence []byte, want func(string) bool, room *Scratch) (Scan, bool) {
	var head struct { // the rest of it is covered by the hash in line 1
		SchemaVersion int    `json:"schema_version"`
		RunID         string `json:"run_id"`
		DryRun        bool   `json:"dry_run"`
	}
	if err := json.Unmarshal(rawHead, &head); err != nil || head.SchemaVersion != SchemaVersion || head.RunID != id {
		return Scan{}, false
	}
	out := Scan{Code: CodeVerified, Reserved: true, DryRun: head.DryRun, Lines: room.lines[:0]}
	before, sealed := hashed(rawHead), false
	out.Run = string(before[:])
	var last []byte
	for rest := evidence; len(rest) > 0; {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			out.Code, out.First = CodeTorn, tornAt(out.Events, int64(len(rest)))
			break
		}
		raw := rest[:end]
		rest = rest[end+1:]
		seq, prev, typ, ok := envelope(raw)
		kind, known := s.known[string(typ)]
		switch {
		case !ok, seq != out.Events+1, !bytes.Equal(prev, before[:]):
			return Scan{}, false
		case !known:
			out.Newer++
		case sealed && !kind.after:
			return Scan{}, false
		}
		sealed = sealed || kind.seals
		if known && want(kind.typ) {
			out.Lines = append(out.Lines, Event{kind.typ, raw})
		}
		before, last = hashed(raw), raw
		out.Events++
	}
	room.lines, out.Head = out.Lines, string(before[:])
	return out, last == nil || readable(last)
}

// readable reports whether a line is one in all that the slow reader asks of it.
func readable(raw []byte) bool {
	l, err := parseLine(raw)
	if err != nil {
		return false
	}
	_, err = l.Payload()
	return err == nil || payload(l.Type) == nil
}

// hashed is the hash of a line as the next one names it.
func hashed(raw []byte) (out [2 * sha256.Size]byte) {
	sum := sha256.Sum256(raw)
	hex.Encode(out[:], sum[:])
	return out
}

// The parts of a line before its data, as they are written.
var (
	beforeSeq  = []byte(`{"seq":`)
	beforePrev = []byte(`,"prev":"`)
	beforeAt   = []byte(`","at":"`)
	beforeType = []byte(`","type":"`)
	beforeData = []byte(`","data":`)
)

// envelope reads the beginning of a line, up to its data, as it is written. What
// is written in another way is not ok, and is for the slow reader to judge.
func envelope(raw []byte) (seq int, prev, typ []byte, ok bool) {
	rest, ok := bytes.CutPrefix(raw[:min(len(raw), 256)], beforeSeq)
	if !ok {
		return 0, nil, nil, false
	}
	number, rest, ok := bytes.Cut(rest, beforePrev)
	if !ok {
		return 0, nil, nil, false
	}
	seq, err := strconv.Atoi(string(number))
	if err != nil || strconv.Itoa(seq) != string(number) {
		return 0, nil, nil, false
	}
	prev, rest, _ = bytes.Cut(rest, beforeAt)
	_, rest, _ = bytes.Cut(rest, beforeType)
	typ, _, ok = bytes.Cut(rest, beforeData)
	return seq, prev, typ, ok && raw[len(raw)-1] == '}'
}
