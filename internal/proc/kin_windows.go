package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// treeKnown says that descendants cannot be listed here: they are ended, uncounted.
const treeKnown = false

// createSuspended starts a process that waits to be resumed.
const createSuspended = 0x4

// attributes give the child its command line, by the rules of the program that
// reads it, and hold it until it is in its job.
func attributes(program string, argv, env []string) (string, *syscall.SysProcAttr) {
	system := lookup("windows", env, "SYSTEMROOT")
	if system == "" {
		system = `C:\Windows`
	}
	program, line := windowsCommand(system+`\System32`, program, argv)
	return program, &syscall.SysProcAttr{CmdLine: line, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP | createSuspended}
}

// kin is a child and its job, in which everything is that it starts.
type kin struct {
	main *os.Process
	job  *job
	err  error // why there is no job
}

// newKin puts the child into a job of its own and lets it run. Without a job it
// does not run: what it starts could not be ended.
func newKin(p *os.Process, _ string, _ holder) *kin {
	k := &kin{main: p}
	if k.job, k.err = newJob(); k.err == nil {
		k.err = k.job.take(p)
	}
	if k.err != nil {
		k.err = errors.Join(k.err, p.Kill())
	}
	return k
}

// terminate does nothing: there is no signal that asks a process to end.
func (k *kin) terminate() {}

// release lets go of a child that left nothing.
func (k *kin) release() error { return errors.Join(k.err, k.job.close()) }

// kill ends everything in the job.
func (k *kin) kill(<-chan struct{}) (int, error) {
	if k.err != nil {
		return 0, fmt.Errorf("keep its processes together: %w", errors.Join(k.err, k.job.close()))
	}
	return 0, errors.Join(k.job.end(), k.job.close())
}
