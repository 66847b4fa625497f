package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"unsafe"

	"github.com/tolboy/warden/internal/sandbox"
)

// System calls of Landlock, the same on every architecture.
const (
	sysCreateRuleset = 444
	sysAddRule       = 445
	sysRestrictSelf  = 446

	rulePathBeneath = 1
)

// Rights over files, in the order in which the kernel learned them.
const (
	fsExecute = 1 << iota
	fsWriteFile
	fsReadFile
	fsReadDir
	fsRemoveDir
	fsRemoveFile
	fsMakeChar
	fsMakeDir
	fsMakeReg
	fsMakeSock
	fsMakeFifo
	fsMakeBlock
	fsMakeSym
	fsRefer    // version 2
	fsTruncate // version 3
	fsIoctlDev // version 5
)

const (
	netBindTCP    = 1 << 0 // version 4
	netConnectTCP = 1 << 1

	scopeAbstractSocket = 1 << 0 // version 6
	scopeSignal         = 1 << 1
)

const (
	rightsRead    = fsExecute | fsReadFile | fsReadDir
	rightsWrite   = rightsRead | fsWriteFile | fsRemoveDir | fsRemoveFile | fsMakeDir | fsMakeReg | fsMakeSock | fsMakeFifo | fsMakeSym | fsRefer | fsTruncate
	rightsDevice  = fsReadFile | fsReadDir | fsWriteFile | fsIoctlDev
	rightsOfFiles = fsExecute | fsReadFile | fsWriteFile | fsTruncate | fsIoctlDev
)

// ruleset is the kernel's landlock_ruleset_attr. A kernel takes a longer one than
// it knows as long as the rest is zero.
type ruleset struct {
	fs, net, scoped uint64
}

// handled is everything that a version of Landlock can deny: what is not handled
// is allowed.
func handled(abi int, network bool) ruleset {
	r := ruleset{fs: fsIoctlDev - 1}
	if abi >= 5 {
		r.fs |= fsIoctlDev
	}
	if !network && abi >= sandbox.ABITCP {
		r.net = netBindTCP | netConnectTCP
	}
	if abi >= sandbox.ABIScope {
		r.scoped = scopeAbstractSocket | scopeSignal
	}
	return r
}

// restrict holds the calling thread, and whatever it becomes or starts, to rules.
func restrict(rules sandbox.Rules) error {
	attr := handled(rules.ABI, rules.Network)
	fd, _, e := syscall.Syscall(sysCreateRuleset, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if e != 0 {
		return os.NewSyscallError("landlock_create_ruleset", e)
	}
	defer syscall.Close(int(fd))
	for _, grant := range []struct {
		paths  []string
		rights uint64
		must   bool
	}{{rules.Read, rightsRead, false}, {rules.Devices, rightsDevice, false}, {rules.Write, rightsWrite, true}} {
		for _, path := range grant.paths {
			err := allow(int(fd), path, grant.rights&attr.fs)
			if errors.Is(err, fs.ErrNotExist) && !grant.must {
				continue
			}
			if err != nil {
				return fmt.Errorf("allow %s: %w", path, err)
			}
		}
	}
	const setNoNewPrivs = 38
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0); e != 0 {
		return os.NewSyscallError("prctl", e)
	}
	if _, _, e := syscall.RawSyscall(sysRestrictSelf, fd, 0, 0); e != 0 {
		return os.NewSyscallError("landlock_restrict_self", e)
	}
	return nil
}

// allow grants rights on path and what lies below it.
func allow(set int, path string, rights uint64) error {
	const oPath = 0x200000
	fd, err := syscall.Open(path, oPath|syscall.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFDIR {
		rights &= rightsOfFiles
	}
	// The kernel's struct is packed: eight bytes of rights, four of descriptor.
	beneath := struct {
		rights uint64
		fd     int32
	}{rights, int32(fd)}
	if _, _, e := syscall.Syscall6(sysAddRule, uintptr(set), rulePathBeneath, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0); e != 0 {
		return os.NewSyscallError("landlock_add_rule", e)
	}
	return nil
}
