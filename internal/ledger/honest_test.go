package ledger_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
)

// TestHonestLedgers makes many ledgers at random, with restarts, odd text and
// secrets in them, and expects no alarm about any.
func TestHonestLedgers(t *testing.T) {
	t.Parallel()
	const count = 250
	rng := rand.New(rand.NewPCG(3, 4))
	dir := t.TempDir()
	secrets := set(t, "a-secret-of-the-forge")
	lines := 0
	for i := range count {
		id := fmt.Sprintf("issue-%d-1", i)
		r, err := ledger.Create(dir, head(id), secrets)
		if err != nil {
			t.Fatal(err)
		}
		c := newClock()
		for n := range 1 + rng.IntN(6) {
			if rng.IntN(4) == 0 {
				r.Close()
				if r, err = ledger.Open(dir, id, secrets); err != nil {
					t.Fatal(err)
				}
			}
			appendStep(t, r, c, honestStep(rng, n))
			lines++
		}
		if rng.IntN(2) == 0 {
			appendStep(t, r, c, step{typ: ledger.TypeStopped, data: ledger.Ending{Detail: odd(rng)}})
			appendStep(t, r, c, step{typ: ledger.TypeDone, data: ledger.Done{Key: odd(rng)}})
			mustVerify(t, dir, id, r.Sealed())
		}
		mustVerify(t, dir, id, r.Head())
		mustVerify(t, dir, id, "")
		r.Close()
	}
	t.Logf("%d ledgers, %d lines", count, lines)
}

func honestStep(rng *rand.Rand, n int) step {
	s := step{typ: ledger.TypeNote, data: ledger.Note{About: odd(rng), Text: odd(rng)}}
	switch rng.IntN(3) {
	case 0:
		s = step{typ: ledger.TypeMachineGate, data: ledger.GateRun{Label: "gates", Message: odd(rng), ChangedPaths: []string{odd(rng)}}}
	case 1:
		s.files = map[string]string{fmt.Sprintf("--gates-%d/machine-gate.json", n): odd(rng)}
	}
	return s
}

// odd returns text of the kind that breaks encoders.
func odd(rng *rand.Rand) string {
	parts := []string{"", "a", "\n", "\r\n", "\x00", "\x7f", "é", "\u2028", "\ufffd", "\xff\xfe", "<script>", "&amp;", `\`, `"`, "😀",
		"a-secret-of-the-forge", "{}", "\t", strings.Repeat("x", 300)}
	var b strings.Builder
	for range rng.IntN(8) {
		b.WriteString(parts[rng.IntN(len(parts))])
	}
	return b.String()
}
