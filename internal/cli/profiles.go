package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/doctor"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/setup"
)

func (a *app) profiles() *cobra.Command {
	var verify string
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "Show which profiles load and which may be chosen; --verify proves one",
		Args:  atMost(0, ""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := a.loadHome()
			if err != nil {
				return err
			}
			if verify != "" {
				return a.verifyProfile(cmd.Context(), h, verify)
			}
			fault := a.faults(h, sandbox.Report{})
			return a.listProfiles(h, func(p policy.Profile) (outcome.Code, string) { return fault("", p) })
		},
	}
	cmd.Flags().StringVar(&verify, "verify", "", "run this profile's probe, and stamp the profile when it passes")
	return cmd
}

// listProfiles shows the home. It is fine when there is a policy that can be read
// and at least one profile; whether anybody may be chosen is in the rows.
func (a *app) listProfiles(h policy.Home, fault func(policy.Profile) (outcome.Code, string)) error {
	adviser := doctor.Adviser{Home: h, Program: a.program(), Available: a.startable}
	rows := []object{}
	var chosen []string
	for _, name := range sortedKeys(h.Profiles) {
		p := h.Profiles[name]
		row := object{"profile": p.Name, "role": p.Role, "vendor": p.Vendor, "model": p.Model, "command": p.Command, "runner": p.Runner,
			"read_only": p.ReadOnly, "sandbox": p.Sandbox, "verified": p.Verified(), "eligible": false}
		if tools, _ := policy.ToolsOf(p); len(tools.Allow) > 0 {
			row["tools_allow"], row["tools_enforced_by"] = tools.Allow, tools.EnforcedBy
		}
		if !p.Verified() {
			row["probe"], row["verify_with"] = p.Verification.Probe, adviser.Prove(p.Name)
		}
		if why := a.barred(p, fault); len(why) > 0 {
			row["blocked_because"] = strings.Join(why, "; ")
		} else {
			row["eligible"] = true
			chosen = append(chosen, p.Name)
		}
		rows = append(rows, row)
	}
	problems := doctor.Problems(h, fault)
	missing := append(adviser.Files(problems), adviser.Roster(chosen)...)
	out := object{"ok": h.Policy.Present && h.Policy.Err == nil && len(h.Profiles) > 0, "home": h.Dir, "policy_present": h.Policy.Present,
		"profiles": rows, "problems": problems, "dangling_policy_references": list(h.Dangling())}
	a.row("chosen", fmt.Sprintf("%d of %d profiles may be: %s", len(chosen), len(rows), strings.Join(chosen, ", ")))
	a.troubles(missing)
	if len(missing) > 0 {
		out["hint"] = missing[0].Next
	}
	return a.print(out)
}

// barred says why a profile may not be chosen, all of it.
func (a *app) barred(p policy.Profile, fault func(policy.Profile) (outcome.Code, string)) []string {
	var why []string
	if !p.Verified() {
		why = append(why, "its probe has never been run and passed")
	}
	if err := a.startable(p); err != nil {
		why = append(why, err.Error())
	}
	if code, detail := fault(p); code == outcome.RolePromptUndeliverable || code == outcome.RoleLocalKeyMissing || code == outcome.RoleOrcaNoCoordinator {
		why = append(why, detail)
	}
	return why
}

// startable reports why the program of a profile cannot be started.
func (a *app) startable(p policy.Profile) error { return doctor.Startable(p, a.environ) }

func (a *app) verifyProfile(ctx context.Context, h policy.Home, name string) error {
	p, ok := h.Profiles[name]
	if !ok {
		message := fmt.Sprintf("no profile %q was read from %s", name, h.Dir)
		if why, bad := h.Problems[name]; bad {
			message = why
		}
		a.narrate("warden: %s (%s profiles lists them)", plain.Terminal(plain.Line(message, 400)), a.program())
		return a.print(object{"ok": false, "code": "profile_not_found", "profile": name, "message": message, "known_profiles": sortedKeys(h.Profiles), "problems": h.Problems})
	}
	v, err := setup.Verify(ctx, setup.VerifyRequest{Home: h.Dir, Missing: a.startable(p), Profile: p, Environ: a.environ, Now: a.now()})
	if err != nil {
		return err
	}
	a.row("probe", p.Name+"  "+v.Code)
	a.row("", v.Message)
	return a.print(object{"ok": v.OK, "code": v.Code, "profile": p.Name, "vendor": p.Vendor, "role": p.Role, "probe": p.Verification.Probe,
		"exit_code": v.ExitCode, "timed_out": v.TimedOut, "probe_ok": v.ProbeOK, "transcript": v.Transcript, "stdout_tail": v.StdoutTail, "stderr_tail": v.StderrTail,
		"what_to_check": list(p.Verification.WhatToCheck), "already_verified": p.Verified(), "message": v.Message, "stamped": v.Stamped,
		"verified_on": v.VerifiedOn, "profile_file": profileFile(h, name)})
}

func profileFile(h policy.Home, name string) string {
	path := filepath.Join(h.Dir, "profiles", name+".yaml")
	if _, err := os.Stat(path); err != nil {
		return fmt.Sprintf("%s.yaml", name)
	}
	return path
}
