package launcher

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/tolboy/warden/internal/sandbox"
)

// failure is why a process did not become the command.
type failure struct {
	Exec   bool   `json:"exec"` // the program itself could not be started
	Reason string `json:"reason"`
}

// enter restricts this process and becomes argv. It returns only if that failed.
func enter(rules sandbox.Rules, argv []string) int {
	runtime.LockOSThread() // restrictions are of a thread, and so is what it becomes
	fd := max(rules.Status, 3)
	syscall.CloseOnExec(fd)
	why := failure{Reason: "the program did not start"}
	if err := confine(rules); err != nil {
		why.Reason = err.Error()
	} else if err := syscall.Exec(argv[0], argv, environment(rules)); err != nil {
		why = failure{Exec: true, Reason: fmt.Sprintf("start %s: %v", argv[0], err)}
	}
	// Without a report the keeper would take this status for the command's.
	_ = json.NewEncoder(os.NewFile(uintptr(fd), "reason")).Encode(why)
	return statusFailed
}

// confine gives up everything that the rules do not grant.
func confine(rules sandbox.Rules) error {
	if err := os.Chdir(rules.Dir); err != nil {
		return fmt.Errorf("enter the working directory: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := restrict(rules); err != nil {
		return err
	}
	for _, l := range rules.Links {
		if err := link(l); err != nil {
			return err
		}
	}
	return nil
}

// link lets what is shared be found in the private home. It is made by the
// restricted process, so that what an earlier command put there leads nowhere.
// Something that is in the way and not empty stays.
func link(l sandbox.Mount) error {
	if err := os.MkdirAll(filepath.Dir(l.Target), 0o700); err != nil {
		return fmt.Errorf("share %s: %w", l.Source, err)
	}
	_ = syscall.Rmdir(l.Target) // an empty directory stands for what is shared
	if err := os.Symlink(l.Source, l.Target); err != nil && !errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("share %s: %w", l.Source, err)
	}
	return nil
}

// environment is the one of this process with the private places in it.
func environment(rules sandbox.Rules) []string {
	out := []string{"HOME=" + rules.Home, "TMPDIR=" + rules.Tmp}
	for _, kv := range os.Environ() {
		if !strings.HasPrefix(kv, "HOME=") && !strings.HasPrefix(kv, "TMPDIR=") {
			out = append(out, kv)
		}
	}
	return out
}
