package cli

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
)

// worker names this process as the owner of what it runs.
func (a *app) worker() ledger.Owner {
	pid := os.Getpid()
	return ledger.Owner{Kind: "cli", ID: a.env("USER"), Host: hostID(), PID: pid, Started: a.now().UTC(), Place: here(), Birth: birth(pid)}
}

// here is where the numbers of processes that we see have a meaning.
func here() *ledger.Place {
	name, _ := os.Hostname()
	id, _ := os.ReadFile("/etc/machine-id")
	space, _ := os.Readlink("/proc/self/ns/pid")
	return &ledger.Place{Machine: short(cmp.Or(strings.TrimSpace(string(id)), name)), Boot: short(bootID()), Space: space}
}

func bootID() string {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(boot))
}

func short(text string) string {
	if text == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:8])
}

// working tells whether the process that owns a run of the command line still works
// on it, nil when that cannot be told from here. Only a clear no may end a run.
func working(o ledger.Owner, at *ledger.Place) *bool {
	no, yes := false, true
	switch p := o.Place; {
	case o.Kind != "cli" || o.PID <= 0:
		return nil
	case p == nil:
		return alive(hostID())(o) // it was written by a version that kept less
	case p.Machine != at.Machine:
		return nil
	case p.Boot != at.Boot:
		return &no
	case p.Space != at.Space:
		return nil
	case !running(o.PID):
		return &no
	case o.Birth != "" && birth(o.PID) != "" && birth(o.PID) != o.Birth:
		return &no // the number was used again
	}
	return &yes
}
