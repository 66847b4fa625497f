package ledger

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strconv"
	"strings"
)

// follow goes along the chain by hashes alone. It looks into the head, into the
// beginning of every line, and into the last line, which no hash covers; whoever
// asked for a line looks into that one. Of anything that is not plainly in order
// it says nothing but that it does not fit.
func (s *Scanner) follow(id string, rawHead, evidence []byte, want func(string) bool) (Scan, bool) {
	var head struct { // the rest of it is covered by the hash in line 1
		SchemaVersion int    `json:"schema_version"`
		RunID         string `json:"run_id"`
		DryRun        bool   `json:"dry_run"`
	}
	if err := json.Unmarshal(rawHead, &head); err != nil || head.SchemaVersion != SchemaVersion || head.RunID != id {
		return Scan{}, false
	}
	out := Scan{Code: CodeVerified, Reserved: true, DryRun: head.DryRun}
	before, sealed := hashed(rawHead), false
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
		after, known := s.known[typ]
		switch {
		case !ok, seq != out.Events+1, prev != string(before[:]):
			return Scan{}, false
		case !known:
			out.Newer++
		case sealed && !after:
			return Scan{}, false
		}
		sealed = sealed || Seals(typ)
		if want(typ) {
			out.Lines = append(out.Lines, Event{typ, raw})
		}
		before, last = hashed(raw), raw
		out.Events++
	}
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

// envelope reads the beginning of a line, up to its data, as it is written. What
// is written in another way is not ok, and is for the slow reader to judge.
func envelope(raw []byte) (seq int, prev, typ string, ok bool) {
	rest, ok := strings.CutPrefix(string(raw[:min(len(raw), 256)]), `{"seq":`)
	if !ok {
		return 0, "", "", false
	}
	number, rest, ok := strings.Cut(rest, `,"prev":"`)
	if !ok {
		return 0, "", "", false
	}
	seq, err := strconv.Atoi(number)
	if err != nil || strconv.Itoa(seq) != number {
		return 0, "", "", false
	}
	prev, rest, _ = strings.Cut(rest, `","at":"`)
	_, rest, _ = strings.Cut(rest, `","type":"`)
	typ, _, ok = strings.Cut(rest, `","data":`)
	return seq, prev, typ, ok && raw[len(raw)-1] == '}'
}
