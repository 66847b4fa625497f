package corpus

import (
	"bytes"
	"encoding/json"
	"testing"
)

// FuzzReceipts: nothing that stands in a file of receipts ends the reading, and every
// whole line is a receipt, of a newer version, gone, or named as a problem.
func FuzzReceipts(f *testing.F) {
	good, _ := json.Marshal(Receipt{SchemaVersion: 1, RunID: "r1", RunSHA256: "aa", Head: "bb"})
	gone, _ := json.Marshal(Receipt{SchemaVersion: 1, RunID: "r1", MovedTo: "shop"})
	for _, seed := range [][]byte{good, gone, []byte(`{"schema_version":2}`), []byte("{}"), []byte(`{"moved_to":"shop"}`), nil, []byte("\n\n")} {
		f.Add(append(seed, '\n'))
		f.Add(append(seed, "\n{\"cut"...))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := receipts{of: map[string]Receipt{}}
		r.parse(data)
		lines := bytes.Count(data, []byte("\n"))
		if len(r.of)+r.newer > lines {
			t.Fatalf("%d receipts and %d newer ones in %d lines", len(r.of), r.newer, lines)
		}
		if lines == 1 && len(r.of) == 0 && r.newer == 0 && r.problem == "" {
			line, _, _ := bytes.Cut(data, []byte("\n")) // behind it a crash cut off another
			var one Receipt
			if err := json.Unmarshal(line, &one); err != nil || one.RunID == "" || one.MovedTo == "" {
				t.Fatalf("nothing is said of %q", data)
			}
		}
		if end, err := wholeLines(bytes.NewReader(data), int64(len(data))); err != nil || end != int64(bytes.LastIndexByte(data, '\n')+1) {
			t.Fatalf("whole lines end at %d: %v", end, err)
		}
	})
}
