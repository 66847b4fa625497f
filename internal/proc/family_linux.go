package proc

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Family tells the processes of a child that runs from those of others. It is
// handed out by Command.Started and is for one goroutine at a time.
type Family struct{ kin *kin }

func newFamily(p *os.Process, mark string, held holder) *Family {
	return &Family{newKin(p, mark, held)}
}

// listening is the state of a listening socket in /proc/net/tcp.
const listening = "0A"

// Listens reports whether every socket of this network namespace that listens at
// a TCP port belongs to the child or to what it started. It is no when nobody
// listens. An error means that the system does not tell.
func (f *Family) Listens(port int) (bool, error) {
	open, err := listeners(port)
	if err != nil || len(open) == 0 {
		return false, err
	}
	members, _, err := f.kin.find()
	if err != nil {
		return false, err
	}
	for _, p := range members {
		for _, inode := range socketsOf(p.id) {
			delete(open, inode)
		}
	}
	return len(open) == 0, nil
}

// listeners are the inodes of the sockets that listen at a port.
func listeners(port int) (map[string]bool, error) {
	open := map[string]bool{}
	suffix := fmt.Sprintf(":%04X", port)
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := os.Open(name)
		if os.IsNotExist(err) {
			continue // a kernel without that family
		}
		if err != nil {
			return nil, fmt.Errorf("list listening sockets: %w", err)
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			field := strings.Fields(lines.Text())
			if len(field) > 9 && strings.HasSuffix(field[1], suffix) && field[3] == listening {
				open[field[9]] = true
			}
		}
		err = lines.Err()
		f.Close()
		if err != nil {
			return nil, fmt.Errorf("list listening sockets: %w", err)
		}
	}
	return open, nil
}

// socketsOf are the inodes of the sockets that a process holds. Of one that ended
// or may not be looked at there are none, which never makes a stranger one of us.
func socketsOf(id int) []string {
	dir := filepath.Join("/proc", strconv.Itoa(id), "fd")
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var out []string
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			out = append(out, strings.TrimSuffix(inode, "]"))
		}
	}
	return out
}
