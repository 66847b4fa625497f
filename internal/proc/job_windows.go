package proc

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"unsafe"
)

// job is a job object: its processes cannot leave it, and end when it is closed,
// also by the end of this process.
type job struct{ handle syscall.Handle }

const (
	killOnClose               = 0x2000 // JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	extendedLimits            = 9      // JobObjectExtendedLimitInformation
	accessTerminate           = 0x1
	accessSetQuota            = 0x100
	accessSuspendResume       = 0x800
	endedByJob          int32 = 1
)

// extendedLimit is JOBOBJECT_EXTENDED_LIMIT_INFORMATION.
type extendedLimit struct {
	perProcessTime, perJobTime int64
	flags                      uint32
	minSet, maxSet             uintptr
	activeProcesses            uint32
	affinity                   uintptr
	priority, scheduling       uint32
	io                         [6]uint64
	processMemory, jobMemory   uintptr
	peakProcess, peakJob       uintptr
}

// call calls a function of a system library; ok says of its result whether it
// worked.
func call(library, name string, ok func(uintptr) bool, args ...uintptr) (uintptr, error) {
	p := syscall.NewLazyDLL(library).NewProc(name)
	if err := p.Find(); err != nil {
		return 0, err
	}
	r, _, err := p.Call(args...)
	if !ok(r) {
		return 0, fmt.Errorf("%s: %w", name, err)
	}
	return r, nil
}

func nonzero(r uintptr) bool { return r != 0 }

func newJob() (*job, error) {
	h, err := call("kernel32.dll", "CreateJobObjectW", nonzero, 0, 0)
	if err != nil {
		return nil, err
	}
	j := &job{syscall.Handle(h)}
	limit := extendedLimit{flags: killOnClose}
	set := syscall.NewLazyDLL("kernel32.dll").NewProc("SetInformationJobObject")
	if err := set.Find(); err != nil {
		return nil, errors.Join(err, j.close())
	}
	if r, _, err := set.Call(h, extendedLimits, uintptr(unsafe.Pointer(&limit)), unsafe.Sizeof(limit)); r == 0 {
		return nil, errors.Join(fmt.Errorf("SetInformationJobObject: %w", err), j.close())
	}
	return j, nil
}

// take puts a suspended process into the job and resumes it.
func (j *job) take(p *os.Process) error {
	h, err := syscall.OpenProcess(accessTerminate|accessSetQuota|accessSuspendResume, false, uint32(p.Pid))
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer syscall.CloseHandle(h)
	if _, err := call("kernel32.dll", "AssignProcessToJobObject", nonzero, uintptr(j.handle), uintptr(h)); err != nil {
		return err
	}
	_, err = call("ntdll.dll", "NtResumeProcess", func(status uintptr) bool { return status == 0 }, uintptr(h))
	return err
}

// end ends every process of the job.
func (j *job) end() error {
	_, err := call("kernel32.dll", "TerminateJobObject", nonzero, uintptr(j.handle), uintptr(endedByJob))
	return err
}

func (j *job) close() error {
	if j == nil || j.handle == 0 {
		return nil
	}
	err := syscall.CloseHandle(j.handle)
	j.handle = 0
	return err
}
