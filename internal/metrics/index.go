package metrics

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"time"

	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
)

// Index is where what runs add to the numbers is remembered, so that a run of which
// nothing changed is not read again. It is believed of no run whose files are not the
// very ones that were read, and may be thrown away at any time.
type Index struct {
	Dir   string // "": nothing is remembered
	Maker string // the program that counts: what another one remembered is not taken
	Now   time.Time
}

// settles is how long a file has to be as it is before its stamp tells it from
// another state: clocks of file systems are coarse.
const settles = 2 * time.Second

// maxIndex is the largest index that is read.
const maxIndex = 512 << 20

// remembered are runs that verified when they were read, by id.
type remembered map[string]reading

// IndexName is the name of the file for a directory of runs.
func IndexName(runsDir string) string {
	sum := sha256.Sum256([]byte(runsDir))
	return hex.EncodeToString(sum[:16])
}

// load reads what is remembered of a directory. Anything that is wrong with the index
// means that it remembers nothing.
func (x Index) load(runsDir string) remembered {
	runsDir, err := filepath.Abs(runsDir)
	if x.Dir == "" || err != nil {
		return nil
	}
	dir, err := durable.OpenDir(x.Dir)
	if err != nil {
		return nil
	}
	defer dir.Close()
	data, err := dir.Read(IndexName(runsDir), maxIndex)
	if err != nil {
		return nil
	}
	return unpack(data, x.Maker, runsDir)
}

// save remembers what was read from its beginning on, if that is more, or less, than
// was remembered before. Whether it can be kept changes no number, so nothing is said.
func (x Index) save(runsDir string, before remembered, all []reading, began time.Time) {
	runsDir, err := filepath.Abs(runsDir)
	if x.Dir == "" || err != nil {
		return
	}
	keep, fresh := make([]reading, 0, len(all)), false
	for _, r := range all {
		if r.facts != nil && settled(r.stamp, began) {
			keep, fresh = append(keep, r), fresh || !r.again
		}
	}
	if !fresh && len(keep) == len(before) || os.MkdirAll(x.Dir, 0o700) != nil {
		return
	}
	dir, err := durable.OpenDir(x.Dir)
	if err != nil {
		return
	}
	defer dir.Close()
	_ = dir.Replace(IndexName(runsDir), pack(keep, x.Maker, runsDir))
}

func settled(s ledger.Stamp, now time.Time) bool {
	last := max(s.Head.Changed, s.Evidence.Changed, s.Head.Modified, s.Evidence.Modified)
	return s != ledger.Stamp{} && last < now.Add(-settles).UnixNano()
}
