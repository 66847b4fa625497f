package git

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
)

// ErrNothingToCommit is returned by Commit when the tree is that of its parent.
var ErrNothingToCommit = errors.New("nothing to commit: the tree is that of its parent")

// CommandError is a call of git that ended with a status other than zero.
// Stderr is the program's own text and may quote a remote server.
type CommandError struct {
	Name     string
	ExitCode int
	Stderr   string
}

// Error names the subcommand, the status and the line in which git said why.
func (e *CommandError) Error() string {
	return fmt.Sprintf("git %s: exit status %d%s", e.Name, e.ExitCode, complaint(e.Stderr))
}

// complaint keeps what matters of a long text, with control characters gone: the
// last line that git calls fatal, before advice that follows it, else the last one;
// and in front of it the first error, of which that may only be the consequence.
func complaint(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	said, cause := lines[len(lines)-1], ""
	for _, l := range lines {
		if strings.HasPrefix(l, "fatal: ") {
			said = l
		}
		if strings.HasPrefix(l, "error: ") && cause == "" {
			cause = l
		}
	}
	if cause != "" && cause != said && strings.HasPrefix(said, "fatal: ") {
		said = cause + "; " + said
	}
	line := strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, said)
	if line == "" {
		return ""
	}
	const most = 300
	if r := []rune(line); len(r) > most {
		line = string(r[:most]) + "…"
	}
	return ": " + line
}

// UnresolvableError is a name that leads to no commit in this repository.
type UnresolvableError struct {
	Rev     string
	Other   string // set when the two have no common ancestor
	Shallow bool   // part of the history was never fetched
	Empty   bool   // the repository has no commit at all
}

// Error names the revision and, in a shallow or empty repository, the remedy.
func (e *UnresolvableError) Error() string {
	text := fmt.Sprintf("resolve %q: no such commit in this repository", e.Rev)
	if e.Other != "" {
		text = fmt.Sprintf("find the merge base of %q and %q: they have no common ancestor here", e.Rev, e.Other)
	}
	if e.Empty {
		text += " (the repository has no commit yet: commit the project first)"
	}
	if e.Shallow {
		text += " (the clone is shallow: fetch its whole history, as with fetch-depth: 0)"
	}
	return text
}

// RefusedError is a tree that holds what Warden never commits.
type RefusedError struct{ Refused []Refusal }

// Error names the first refused path and how many more there are.
func (e *RefusedError) Error() string {
	if len(e.Refused) == 0 {
		return "tree refused"
	}
	text := fmt.Sprintf("refuse path %q: %s", e.Refused[0].Path, e.Refused[0].Why)
	if n := len(e.Refused) - 1; n > 0 {
		text += fmt.Sprintf(" (and %d more)", n)
	}
	return text
}
