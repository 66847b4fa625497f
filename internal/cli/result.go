package cli

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/ci"
	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/strict"
)

// result is the one JSON object that a command prints. OK decides the exit
// status.
type result interface{ succeeded() bool }

// object is a result whose keys only this command has.
type object map[string]any

func (o object) succeeded() bool { ok, _ := o["ok"].(bool); return ok }

// print writes the object and sets the exit status.
func (a *app) print(r result) error {
	if err := a.encode(r); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	a.status = exitOK
	if !r.succeeded() {
		a.status = exitRefused
	}
	return nil
}

// refused is a failure with a closed code, exit status 1, or 2 where the code says
// that the command line is at fault.
type refused struct {
	Code    string
	Message string
	Hint    string
}

func (e *refused) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + " (" + e.Hint + ")"
}

// fail turns an error into the object on stdout, the lines on stderr and the
// exit status.
func (a *app) fail(err error) int {
	out := object{"ok": false, "code": "warden_error", "message": err.Error()}
	status := exitRefused
	var usage *usageError
	var faults strict.Faults
	var no *refused
	var missing *proc.NotFoundError
	switch {
	case errors.As(err, &usage):
		out["code"], status = "usage", exitUsage
	case errors.As(err, &faults):
		out["code"], out["faults"], status = "config_invalid", faults, exitUsage
	case errors.As(err, &no):
		out["code"] = no.Code
		if commandLine(no.Code) {
			status = exitUsage
		}
	case errors.As(err, &missing) && missing.Inside:
		out["code"] = "program_in_tree"
	case errors.Is(err, durable.ErrLink), errors.Is(err, draft.ErrLink):
		out["code"] = "link_refused"
	case errors.Is(err, ledger.ErrAltered):
		out["code"] = outcome.LedgerAltered
	case strings.HasPrefix(err.Error(), "unknown command"):
		out["code"], status = "usage", exitUsage
	}
	a.complain(err)
	_ = a.encode(out) // the status still says what happened
	return status
}

// encode writes one object as one line. In a job, the runner reads what we print:
// nothing that others wrote may be a command to it.
func (a *app) encode(v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	text := escapeControls(b.String())
	if a.inJob() {
		text = ci.GuardJSON(text)
	}
	_, err := a.stdout.Write(text)
	return err
}

// escapeControls spells the control characters that JSON lets stand (DEL and the
// second set), which only occur inside its texts.
func escapeControls(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		if r >= 0x7f && r <= 0x9f {
			out = fmt.Appendf(out, `\u%04x`, r)
			continue
		}
		out = utf8.AppendRune(out, r)
	}
	return out
}

// complain tells a person what went wrong.
func (a *app) complain(err error) {
	if !a.inJob() {
		fmt.Fprintln(a.stderr, "warden:", plain.Terminal(err.Error()))
		return
	}
	log, opened := ci.Open(a.stderr, rand.Reader)
	if opened != nil {
		return // the object on stdout says it too
	}
	fmt.Fprintln(log, "warden:", err)
	_ = log.Close()
}

func (a *app) inJob() bool { return a.env("GITHUB_ACTIONS") == "true" }
