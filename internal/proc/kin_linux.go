package proc

import (
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
)

// treeKnown says that descendants of a child can be listed here.
const treeKnown = true

const (
	killRounds = 20                     // scans until nothing new may be found
	deathWait  = 500 * time.Millisecond // for killed processes, each round

	unsureLooks = 50 // more scans while the last one was unsure
	unsureWait  = 2 * time.Millisecond

	kernelThreads = 2 // the parent of threads that never have an environment
)

// kin is a child and everything that came of it.
type kin struct {
	main  process
	mark  string
	held  holder
	known map[int]process // seen in an earlier scan, by id
	ended map[processKey]bool
}

func newKin(p *os.Process, mark string, held holder) *kin {
	k := &kin{mark: mark, held: held, known: map[int]process{}, ended: map[processKey]bool{}}
	// The child has not been waited for, so the entry is still its own.
	if main, ok := readProcess(p.Pid); ok {
		k.main = main
	} else {
		k.main = process{id: p.Pid}
	}
	return k
}

// find returns the living members. It remembers them: a member that loses its
// parents later is still known. It is unsure when a process ended or was
// starting a program during the look: it showed no environment, and what it
// started meanwhile is not in the list.
func (k *kin) find() (members []process, unsure bool, err error) {
	all, unsure, err := processes(k.main.start)
	if err != nil {
		return nil, false, err
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
			p.group == group || p.session == group {
			member[p.id] = true
			continue
		}
		if !p.alive() {
			continue
		}
		env, known := environOf(p)
		member[p.id] = hasMark(env, k.mark)
		unsure = unsure || !known
	}
	for _, p := range all {
		if !p.alive() && !k.ended[p.key()] {
			k.ended[p.key()] = true
			unsure = true
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
	for _, p := range all {
		if member[p.id] {
			k.known[p.id] = p
			if p.alive() {
				members = append(members, p)
			}
		}
	}
	return members, unsure, nil
}

// release lets go of a child that left nothing.
func (k *kin) release() error { return nil }

// terminate asks every member to end. In a sandbox it asks only what runs
// inside: bubblewrap itself would end at once and take the rest with it, and a
// keeper ends after its command.
func (k *kin) terminate() {
	members, _, err := k.find()
	if err != nil {
		return // the kill that follows reports it
	}
	asked := false
	for _, p := range members {
		if k.held == byNamespace && (p.id == k.main.id || p.parent == k.main.id) || k.held == byKeeper && p.id == k.main.id {
			continue
		}
		asked = p.signal(syscall.SIGTERM) || asked
	}
	if !asked {
		k.main.signal(syscall.SIGTERM)
	}
}

// next are the members to kill now. A keeper comes last: what loses its parents
// while it lives stays among its descendants.
func (k *kin) next(members []process) []process {
	if k.held != byKeeper || len(members) == 1 {
		return members
	}
	return slices.DeleteFunc(slices.Clone(members), func(p process) bool { return p.id == k.main.id })
}

// kill ends every member and returns how many outlived the child. It looks
// again until a scan finds nothing, since a process may start another while it
// is being killed.
func (k *kin) kill(exited <-chan struct{}) (left int, err error) {
	counted := map[processKey]bool{}
	looks := 0
	for range killRounds + unsureLooks {
		mainGone := within(exited, 0)
		members, unsure, err := k.find()
		if err != nil {
			return left, err
		}
		// A namespace that ended took everything in it along: what is unsure is of others.
		if len(members) == 0 && (!unsure || looks == unsureLooks || mainGone && k.held == byNamespace) {
			return left, nil
		}
		if len(members) == 0 {
			looks++
			within(nil, unsureWait)
			continue
		}
		for _, p := range members {
			if mainGone && p.id != k.main.id && !counted[p.key()] {
				counted[p.key()] = true
				left++
			}
		}
		killAll(k.next(members), deathWait)
	}
	members, _, err := k.find()
	if err != nil {
		return left, err
	}
	if len(members) > 0 {
		return left, fmt.Errorf("%d of its processes cannot be ended", len(members))
	}
	return left, nil
}
