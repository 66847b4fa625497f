package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("write the result: %w", err)
	}
	a.status = exitOK
	if !r.succeeded() {
		a.status = exitRefused
	}
	return nil
}

// refused is a failure with a closed code, exit status 1.
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
	switch {
	case errors.As(err, &usage):
		out["code"], status = "usage", exitUsage
	case errors.As(err, &faults):
		out["code"], out["faults"], status = "config_invalid", faults, exitUsage
	case errors.As(err, &no):
		out["code"] = no.Code
	case strings.HasPrefix(err.Error(), "unknown command"):
		out["code"], status = "usage", exitUsage
	}
	fmt.Fprintln(a.stderr, "warden:", err)
	enc := json.NewEncoder(a.stdout)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(out) // the status still says what happened
	return status
}
