package strict

import (
	"strings"
	"testing"
	"time"
)

// A file of one long line, or of one long quote, once took minutes. Within the
// size cap every text is read in seconds; the bound is far above that.
func TestLongLinesAreReadInTime(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"one_line":        "a: [" + strings.Repeat("b,", 1<<16) + "]\n",
		"one_quote":       "a: \"" + strings.Repeat("b\n\t", 1<<16) + "\"\n",
		"quotes_one_line": "a: [" + strings.Repeat("'\t',", 1<<16) + "]\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			start := time.Now()
			if _, faults := Parse(Source{File: "f"}, []byte(in)); faults != nil {
				t.Fatal(faults)
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("%d bytes took %v", len(in), took)
			}
		})
	}
}
