package proc

import (
	"fmt"
	"os"
	"syscall"
	"time"
)

// treeKnown says that descendants of a child can be listed here.
const treeKnown = true

const (
	killRounds = 20                     // scans until nothing new may be found
	deathWait  = 500 * time.Millisecond // for killed processes, each round
)

// kin is a child and everything that came of it.
type kin struct {
	main     process
	mark     string
	confined bool
	known    map[int]process // seen in an earlier scan, by id
}

func newKin(p *os.Process, mark string, confined bool) *kin {
	k := &kin{mark: mark, confined: confined, known: map[int]process{}}
	// The child has not been waited for, so the entry is still its own.
	if main, ok := readProcess(p.Pid); ok {
		k.main = main
	} else {
		k.main = process{id: p.Pid}
	}
	return k
}

// find returns the living members. It remembers them: a member that loses its
// parents later is still known.
func (k *kin) find() ([]process, error) {
	all, err := processes(k.main.start)
	if err != nil {
		return nil, err
	}
	// While the group lives its number is not given to a new process, so
	// another process with that number means that the group is gone.
	group := k.main.id
	for _, p := range all {
		if p.id == group && p.start != k.main.start {
			group = -1
		}
	}
	member := map[int]bool{}
	for _, p := range all {
		old, seen := k.known[p.id]
		if p.id == k.main.id && p.start == k.main.start || seen && old.start == p.start ||
			p.group == group || p.session == group || carries(p.id, k.mark) {
			member[p.id] = true
		}
	}
	for grown := true; grown; {
		grown = false
		for _, p := range all {
			if !member[p.id] && (member[p.parent] || member[p.group] || member[p.session]) {
				member[p.id], grown = true, true
			}
		}
	}
	delete(member, os.Getpid())
	var out []process
	for _, p := range all {
		if member[p.id] {
			k.known[p.id] = p
			if p.alive() {
				out = append(out, p)
			}
		}
	}
	return out, nil
}

// terminate asks every member to end. In a sandbox it asks only what runs
// inside: bubblewrap itself would end at once and take the rest with it.
func (k *kin) terminate() {
	members, err := k.find()
	if err != nil {
		return // the kill that follows reports it
	}
	asked := false
	for _, p := range members {
		if k.confined && (p.id == k.main.id || p.parent == k.main.id) {
			continue
		}
		asked = p.signal(syscall.SIGTERM) || asked
	}
	if !asked {
		k.main.signal(syscall.SIGTERM)
	}
}

// kill ends every member and returns how many outlived the child. It looks
// again until a scan finds nothing, since a process may start another while it
// is being killed.
func (k *kin) kill(exited <-chan struct{}) (left int, err error) {
	counted := map[process]bool{}
	for range killRounds {
		mainGone := within(exited, 0)
		members, err := k.find()
		if err != nil {
			return left, err
		}
		if len(members) == 0 {
			return left, nil
		}
		for _, p := range members {
			if id := (process{id: p.id, start: p.start}); mainGone && p.id != k.main.id && !counted[id] {
				counted[id] = true
				left++
			}
		}
		killAll(members, deathWait)
	}
	members, err := k.find()
	if err != nil {
		return left, err
	}
	if len(members) > 0 {
		return left, fmt.Errorf("%d of its processes cannot be ended", len(members))
	}
	return left, nil
}
