package contract

import (
	"strings"
	"time"
)

// Task is a valid .warden/tasks/<id>.yaml with everything resolved: explicit
// scope paths, final commands, and the project's defaults filled in.
type Task struct {
	ID             string
	Goal           string
	NonGoals       []string
	Risk           string
	Scope          []string // normalised paths, or Repository alone
	Baseline       []string // must be green before anyone writes
	Reproduce      []string // must be red before anyone writes; a part of Acceptance
	Acceptance     []string // baseline, then checks, then acceptance: what decides
	Authority      Authority
	Visual         Visual
	Assurance      string // what a review must be worth: Independent or SameVendorPeer
	MaxRoleRuns    int
	MaxCostUSD     float64       // 0 sets no ceiling
	StrictCost     bool          // no call is begun that could pass the ceiling
	MaxElapsed     time.Duration // of work, over all runs that continue each other; 0 sets no limit
	GateTTL        time.Duration // how long a person may permit what the run asks for; 0 for ever
	MaxFixAttempts int
	Timeout        time.Duration // shared by all commands of one gate run
	BaseRef        string
	Project        string
	Path           string // inside .warden, such as "tasks/t1.yaml"
}

// What a review must be worth. SameVendorPeer lets a pair of the operator's policy
// read each other although they share a vendor.
const (
	Independent    = "independent"
	SameVendorPeer = "same_vendor_peer"
)

// Authority is what the task may do. Land is always false: a task that asks for
// it does not load.
type Authority struct {
	WorkspaceWrite bool `json:"workspace_write"`
	Network        bool `json:"network"`
	Land           bool `json:"land"`
}

// InScope reports whether the task may change a path, given relative to the
// repository root with forward slashes. A scope path admits itself and what is
// below it, never a sibling that merely begins with the same letters. Nothing
// under .warden or .git is ever in scope.
func (t Task) InScope(path string) bool {
	if !plainPath(path) || reservedPath(path) {
		return false
	}
	for _, s := range t.Scope {
		if s == Repository || path == s || strings.HasPrefix(path, s+"/") {
			return true
		}
	}
	return false
}
