package gate

import (
	"time"

	"github.com/tolboy/warden/internal/git"
	"github.com/tolboy/warden/internal/outcome"
)

// Verdict is what a check came to. Message is one or two sentences for a person;
// it can quote commands and paths, which are foreign text.
type Verdict struct {
	OK      bool         `json:"ok"`
	Code    outcome.Code `json:"code"`
	Message string       `json:"message,omitempty"`
}

// Fixable reports whether a repair of the candidate can change the verdict. What
// the operator, the machine or a broken contract caused is not the writer's.
func (v Verdict) Fixable() bool {
	switch v.Code {
	case outcome.BlastRadiusBeforeCommand, outcome.BlastRadiusAfterCommand,
		outcome.GateTimeout, outcome.CommandTimeout, outcome.CommandFailed:
		return !v.OK
	}
	return false
}

// Violation is a path that the candidate may not change, and why.
type Violation struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// Command is one command that ran. Output holds the first bytes of a stream; the
// tail is set when that is not all of it.
type Command struct {
	Index           int    `json:"index"` // from 1
	Command         string `json:"command"`
	ExitCode        int    `json:"exit_code"`
	Signal          string `json:"signal,omitempty"`
	TimedOut        bool   `json:"timed_out"`
	DurationMillis  int64  `json:"duration_ms"`
	Stdout          string `json:"stdout"`
	Stderr          string `json:"stderr"`
	StdoutTail      string `json:"stdout_tail,omitempty"`
	StderrTail      string `json:"stderr_tail,omitempty"`
	StdoutTruncated bool   `json:"stdout_truncated"`
	StderrTruncated bool   `json:"stderr_truncated"`
	// Escaped says that a byte which is no UTF-8 is written as \xNN.
	Escaped bool `json:"escaped,omitempty"`
}

// LineEnds counts how the lines of a changed file end.
type LineEnds struct {
	Path string `json:"path"`
	LF   int    `json:"lf"`
	CRLF int    `json:"crlf"`
}

// Report is the evidence of one gate run. It is complete on every ending, those
// with an error included.
type Report struct {
	Verdict
	SchemaVersion        int         `json:"schema_version"`
	Phase                string      `json:"phase"` // "gates" or "baseline"
	TaskID               string      `json:"task_id"`
	Project              string      `json:"project"`
	ContractSHA256       string      `json:"contract_sha256"`
	BaseRef              string      `json:"base_ref"`
	MergeBase            string      `json:"merge_base"`
	ScopePaths           []string    `json:"scope_paths"`
	ChangedPaths         []string    `json:"changed_paths"`
	Violations           []Violation `json:"violations"`
	ConfigurationChanged []string    `json:"configuration_changed,omitempty"`
	SourceChanged        []string    `json:"source_changed,omitempty"` // by a baseline command
	UnpublishablePaths   []string    `json:"unpublishable_paths,omitempty"`
	LimitMillis          int64       `json:"limit_ms"` // shared by all commands
	Commands             []Command   `json:"commands"`
	CommandsDeclared     int         `json:"commands_declared"`
	LineEnds             []LineEnds  `json:"line_ends,omitempty"`
	WorktreeFingerprint  string      `json:"worktree_fingerprint"`
	CandidateFingerprint string      `json:"candidate_fingerprint"`
	ConfinedBy           string      `json:"confined_by"`
	Network              bool        `json:"network"` // false only says that the sandbox was told so
	DoesNotCover         string      `json:"does_not_cover"`
	FinishedAt           time.Time   `json:"finished_at"`

	// After is the tree at the last boundary, for the caller's own use.
	After git.Snapshot `json:"-"`
}

const (
	doesNotCover = "files that git ignores, and what the commands did outside the worktree"
	// Of a network that was denied, Landlock closes a part.
	partlyClosed = "; UDP and sockets with a path, which landlock does not close"
)
