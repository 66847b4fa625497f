package ledger

import (
	"bytes"
	"encoding/json"
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
