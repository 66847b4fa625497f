package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

// process is one entry of /proc. The start time, in clock ticks since boot,
// tells it from a later process with the same id.
type process struct {
	id, parent, group, session int
	start                      uint64
	state                      byte
	// starting is true while the memory of a new program is being laid out; the
	// environment cannot be read then. Also true of other users' processes.
	starting bool
}

// processKey is what makes a process one and no other.
type processKey struct {
	id    int
	start uint64
}

func (p process) key() processKey { return processKey{p.id, p.start} }

// alive reports whether p still runs; a zombie only waits for its parent.
func (p process) alive() bool { return p.state != 'Z' && p.state != 'X' }

// processes lists those that started no earlier than since. The list is not of
// one moment: a process that vanished while it was read may have started
// another that is not listed.
func processes(since uint64) (list []process, vanished bool, err error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, false, fmt.Errorf("list processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, false, fmt.Errorf("list processes: %w", err)
	}
	for _, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, ok := readProcess(id)
		vanished = vanished || !ok
		if ok && p.start >= since {
			list = append(list, p)
		}
	}
	return list, vanished, nil
}

func readProcess(id int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	if err != nil {
		return process{}, false
	}
	return parseStat(id, string(stat))
}

// envStart is the place of env_start among the fields after the name.
const envStart = 47

// parseStat reads a line of /proc/<id>/stat. The second field is a name in
// parentheses that may itself contain blanks and parentheses.
func parseStat(id int, stat string) (process, bool) {
	at := strings.LastIndexByte(stat, ')')
	if at < 0 {
		return process{}, false
	}
	f := strings.Fields(stat[at+1:])
	if len(f) < 20 || len(f[0]) != 1 {
		return process{}, false
	}
	p := process{id: id, state: f[0][0], starting: len(f) > envStart && f[envStart] == "0"}
	var errs [4]error
	p.parent, errs[0] = strconv.Atoi(f[1])
	p.group, errs[1] = strconv.Atoi(f[2])
	p.session, errs[2] = strconv.Atoi(f[3])
	p.start, errs[3] = strconv.ParseUint(f[19], 10, 64)
	return p, errors.Join(errs[:]...) == nil
}

// maxEnviron bounds what is read of one process's environment, in bytes.
const maxEnviron = 4 << 20

// environOf returns the environment that p was started with. It is not known
// while p starts a program, and no more once p ended. One that may not be read
// is not ours and counts as empty.
func environOf(p process) (env []byte, known bool) {
	f, err := os.Open("/proc/" + strconv.Itoa(p.id) + "/environ")
	if err != nil {
		return nil, errors.Is(err, fs.ErrPermission)
	}
	defer f.Close()
	env, err = io.ReadAll(io.LimitReader(f, maxEnviron))
	if err != nil {
		return nil, errors.Is(err, fs.ErrPermission)
	}
	if len(env) > 0 || p.parent == kernelThreads {
		return env, true
	}
	now, ok := readProcess(p.id)
	return nil, ok && now.start == p.start && now.alive() && !now.starting && !p.starting
}

// hasMark reports whether an environment holds mark.
func hasMark(env []byte, mark string) bool {
	for kv := range bytes.SplitSeq(env, []byte{0}) {
		if v, ok := bytes.CutPrefix(kv, []byte(MarkVariable+"=")); ok && bytes.Contains(v, []byte(mark)) {
			return true
		}
	}
	return false
}

const (
	sysPidfdSend = 424 // the same on every architecture
	sysPidfdOpen = 434
)

// open returns a descriptor that means p and no later process of the same id,
// or -1 when p is gone or the kernel has no such descriptors.
func (p process) open() int {
	fd, _, e := syscall.Syscall(sysPidfdOpen, uintptr(p.id), 0, 0)
	if e != 0 {
		return -1
	}
	if now, ok := readProcess(p.id); !ok || now.start != p.start {
		syscall.Close(int(fd))
		return -1
	}
	return int(fd)
}

// signal sends sig to p and reports whether p was there to get it.
func (p process) signal(sig syscall.Signal) bool {
	if fd := p.open(); fd >= 0 {
		defer syscall.Close(fd)
		return sendTo(fd, sig)
	}
	now, ok := readProcess(p.id)
	return ok && now.start == p.start && syscall.Kill(p.id, sig) == nil
}

func sendTo(fd int, sig syscall.Signal) bool {
	_, _, e := syscall.Syscall6(sysPidfdSend, uintptr(fd), uintptr(sig), 0, 0, 0, 0)
	return e == 0
}

type pollFD struct {
	fd      int32
	events  int16
	revents int16
}

// killAll kills members and waits until they ended, at most for limit.
func killAll(members []process, limit time.Duration) {
	var wait []pollFD
	for _, p := range members {
		fd := p.open()
		if fd < 0 {
			p.signal(syscall.SIGKILL)
			continue
		}
		defer syscall.Close(fd)
		sendTo(fd, syscall.SIGKILL)
		wait = append(wait, pollFD{fd: int32(fd), events: 1})
	}
	end := time.Now().Add(limit)
	for len(wait) > 0 {
		left := time.Until(end)
		if left <= 0 {
			return
		}
		ts := syscall.NsecToTimespec(int64(left))
		_, _, e := syscall.Syscall6(syscall.SYS_PPOLL, uintptr(unsafe.Pointer(&wait[0])), uintptr(len(wait)),
			uintptr(unsafe.Pointer(&ts)), 0, 0, 0)
		if e != 0 && e != syscall.EINTR {
			return
		}
		still := wait[:0]
		for _, w := range wait {
			if w.revents == 0 {
				still = append(still, w)
			}
		}
		wait = still
	}
}
