package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// treeKnown says that descendants cannot be listed here.
const treeKnown = false

func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

// kin is the child alone: what it started is not ended.
type kin struct{ main *os.Process }

func newKin(p *os.Process, _ string, _ holder) *kin { return &kin{main: p} }

// terminate does nothing: there is no signal that asks a process to end.
func (k *kin) terminate() {}

func (k *kin) kill(exited <-chan struct{}) (int, error) {
	if within(exited, 0) {
		return 0, nil
	}
	if err := k.main.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, fmt.Errorf("end the child: %w", err)
	}
	return 0, nil
}
