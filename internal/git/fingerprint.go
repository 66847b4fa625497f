package git

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
)

// fingerprint hashes what changed: path, modes and content of each change, and
// each refused path. No object id and no commit is part of it, so it is the same
// whether a change is untracked, staged or committed. Every field ends in NUL,
// which none can hold.
func fingerprint(s Snapshot, contract bool) string {
	h := sha256.New()
	put := func(fields ...string) {
		for _, f := range fields {
			io.WriteString(h, f)
			h.Write([]byte{0})
		}
	}
	put("warden fingerprint 1")
	for _, c := range s.Changes {
		if contract || !isContract(c.Path) {
			put("change", c.Path, string(c.Kind), c.OldMode, c.Mode, c.SHA256)
		}
	}
	for _, r := range s.Refused {
		if contract || !isContract(r.Path) {
			put("refused", r.Path, r.Why)
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
