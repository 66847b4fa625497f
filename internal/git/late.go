package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func (j *Judge) now() time.Time {
	if j.cfg.Now != nil {
		return j.cfg.Now()
	}
	return time.Now()
}

// distrustLate drops stat data that the last look took over of files whose inode
// had changed within the second before it. See distrustRecent: such a file can
// have been written again since, in the same second, without a trace.
func (j *Judge) distrustLate(ctx context.Context) error {
	if j.looked.IsZero() {
		return nil // distrustRecent has just looked at every file
	}
	data, err := os.ReadFile(filepath.Join(j.cfg.GitDir, "index"))
	if err != nil {
		return err
	}
	late, err := lateEntries(data, j.sha256, j.looked.Unix()-1)
	if err != nil {
		return fmt.Errorf("read the judge's own index: %w", err)
	}
	return j.forgetStat(ctx, late)
}

// forgetStat takes "mode id<TAB>path" records and lets git read these files again.
func (j *Judge) forgetStat(ctx context.Context, records []byte) error {
	if len(records) == 0 {
		return nil
	}
	c := j.call("update-index", "-z", "--index-info")
	c.Config, c.Stdin = nil, records
	if _, err := j.git.Do(ctx, c); err != nil {
		return fmt.Errorf("distrust what changed just now: %w", err)
	}
	return nil
}

// lateEntries reads an index file, versions 2 and 3 (gitformat-index), and returns
// the records of entries whose inode changed in the second since or later and was
// modified in another one: what was modified as late as the index, git itself
// looks at again.
func lateEntries(data []byte, long bool, since int64) ([]byte, error) {
	idLen := 20
	if long {
		idLen = 32
	}
	if len(data) < 12 || string(data[:4]) != "DIRC" {
		return nil, errors.New("no index")
	}
	version, n := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version != 2 && version != 3 {
		return nil, fmt.Errorf("version %d", version)
	}
	var late bytes.Buffer
	rest := data[12:]
	for range n {
		name := 40 + idLen + 2
		if len(rest) < name {
			return nil, errors.New("it is cut off")
		}
		u := func(at int) uint32 { return binary.BigEndian.Uint32(rest[at:]) }
		flags := binary.BigEndian.Uint16(rest[40+idLen:])
		skip := false
		if flags&0x4000 != 0 {
			if len(rest) < name+2 {
				return nil, errors.New("it is cut off")
			}
			skip = binary.BigEndian.Uint16(rest[name:])&0x4000 != 0 // nothing was checked out
			name += 2
		}
		end := bytes.IndexByte(rest[name:], 0)
		if end < 0 {
			return nil, errors.New("it is cut off")
		}
		changed, modified, mode := u(0), u(8), u(24)
		if int64(changed) >= since && changed != modified && !skip && mode != 0o160000 {
			fmt.Fprintf(&late, "%06o %s\t%s\x00", mode, hex.EncodeToString(rest[40:40+idLen]), rest[name:name+end])
		}
		size := (name + end + 8) &^ 7 // at least one NUL, up to a multiple of eight
		if len(rest) < size {
			return nil, errors.New("it is cut off")
		}
		rest = rest[size:]
	}
	return late.Bytes(), nil
}
