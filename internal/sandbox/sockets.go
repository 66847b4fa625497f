package sandbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

const (
	maxSocketTable = 4 << 20 // bytes of the kernel's table read
	maxSockets     = 256     // sockets hidden one by one
)

// hideSockets covers the sockets that listen in directories which stay
// visible. Connecting needs no writable file system and crosses a network
// namespace, so a read-only root does not keep a child from a daemon.
func (p *plan) hideSockets() error {
	paths, err := p.host.sockets()
	if err != nil {
		return err
	}
	n := 0
	for _, path := range paths {
		real, err := p.host.eval(path)
		if err != nil {
			continue // of another mount namespace, or gone
		}
		info, err := p.host.lstat(real)
		if err != nil || info.Mode()&fs.ModeSocket == 0 {
			continue
		}
		for _, at := range p.visibleAt(real) {
			if n++; n > maxSockets {
				return fmt.Errorf("more than %d sockets listen outside hidden directories", maxSockets)
			}
			p.add(rankSocket, at, "--ro-bind", "/dev/null", at)
		}
	}
	return nil
}

// visibleAt returns the paths under which a file of the host shows inside. A
// file that a mount names itself is shared on purpose.
func (p *plan) visibleAt(path string) []string {
	var out []string
	if !p.inHidden(path) && !within(path, p.root) {
		out = append(out, path)
	}
	for _, m := range p.shared {
		if m.Source == path {
			return nil
		}
		if rest, ok := strings.CutPrefix(path, m.Source+"/"); ok {
			out = append(out, filepath.Join(m.Target, rest))
		}
	}
	return out
}

// listeningSockets returns the paths of the machine's listening unix sockets.
// A machine without the table has none to show.
func listeningSockets() ([]string, error) {
	f, err := os.Open("/proc/net/unix")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list unix sockets: %w", err)
	}
	defer f.Close()
	table, err := io.ReadAll(io.LimitReader(f, maxSocketTable+1))
	if err != nil {
		return nil, fmt.Errorf("list unix sockets: %w", err)
	}
	if len(table) > maxSocketTable {
		return nil, fmt.Errorf("list unix sockets: the table is over %d bytes", maxSocketTable)
	}
	return parseSockets(table), nil
}

// parseSockets reads the kernel's table: number, count, protocol, flags, type,
// state, inode and, for a bound socket, its path. Abstract names begin with @.
func parseSockets(table []byte) []string {
	const listening = "00010000"
	var out []string
	seen := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(table))
	lines.Buffer(nil, 64<<10)
	for lines.Scan() {
		rest := lines.Text()
		var fields [7]string
		ok := true
		for i := range fields {
			rest = strings.TrimLeft(rest, " ")
			fields[i], rest, ok = strings.Cut(rest, " ")
			if !ok {
				break
			}
		}
		if !ok || fields[3] != listening || !filepath.IsAbs(rest) || seen[rest] {
			continue
		}
		seen[rest] = true
		out = append(out, rest)
	}
	return out
}
