package git

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"time"
)

// distrustRecent drops the stat data of files whose inode changed just now while
// their time of modification is an older one. Git compares whole seconds: within
// the same second such a file could be written again, its size and its time put
// back, and look untouched. Git itself looks twice at files that were modified as
// late as the index, so these are the only ones left.
func (j *Judge) distrustRecent(ctx context.Context, now time.Time) error {
	var again bytes.Buffer
	for record := range bytes.SplitSeq(j.tracked, []byte{0}) {
		_, mode, path, ok := parseTracked(record)
		if !ok || mode == "160000" {
			continue
		}
		info, err := os.Lstat(j.disk(path))
		if err != nil {
			continue // not there: git sees that by itself
		}
		changed, known := inodeChanged(info)
		if !known || changed.Unix() < now.Unix()-1 || changed.Unix() == info.ModTime().Unix() {
			continue
		}
		id := bytes.Fields(record)[2]
		fmt.Fprintf(&again, "%s %s\t%s\x00", mode, id, path)
	}
	return j.forgetStat(ctx, again.Bytes())
}
