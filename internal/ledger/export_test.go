package ledger

// CheckBytes reads and checks a chain as Verify does, without a disk, which
// fuzzing would spend most of its time on.
func CheckBytes(id string, head, evidence []byte) (h History, first, tip string) {
	c := parseChain(id, head, evidence)
	c.check("")
	h = c.history()
	return h, c.first(), c.tip()
}
