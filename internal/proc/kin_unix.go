//go:build unix && !linux

package proc

import (
	"os"
	"syscall"
)

// treeKnown says that descendants cannot be listed here, only signalled as a
// group.
const treeKnown = false

func attributes(program string, _, _ []string) (string, *syscall.SysProcAttr) {
	return program, &syscall.SysProcAttr{Setpgid: true}
}

// kin is a child and its process group. One that left the group is missed.
type kin struct{ group int }

func newKin(p *os.Process, _ string, _ holder) *kin { return &kin{group: p.Pid} }

func (k *kin) terminate() { _ = syscall.Kill(-k.group, syscall.SIGTERM) }

func (k *kin) release() error { return nil }

// kill ends the group. The count of what outlived the child is unknown.
func (k *kin) kill(<-chan struct{}) (int, error) {
	if err := syscall.Kill(-k.group, syscall.SIGKILL); err != nil && err != syscall.ESRCH && err != syscall.EPERM {
		return 0, os.NewSyscallError("kill", err)
	}
	return 0, nil
}
