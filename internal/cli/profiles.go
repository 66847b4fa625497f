package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/doctor"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/setup"
)

func (a *app) profiles() *cobra.Command {
	var verify string
	cmd := &cobra.Command{
		Use:   "profiles",
		Short: "Show which profiles load and which may be chosen; --verify proves one",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			h, err := a.loadHome()
			if err != nil {
				return err
			}
			if verify != "" {
				return a.verifyProfile(cmd.Context(), h, verify)
			}
			fault := a.faults(h, sandbox.Report{})
			return a.print(profileList(h, func(p policy.Profile) (outcome.Code, string) { return fault("", p) }))
		},
	}
	cmd.Flags().StringVar(&verify, "verify", "", "run this profile's probe, and stamp the profile when it passes")
	return cmd
}

func profileList(h policy.Home, fault func(policy.Profile) (outcome.Code, string)) object {
	rows := []object{}
	for _, name := range sortedKeys(h.Profiles) {
		p := h.Profiles[name]
		row := object{"profile": p.Name, "role": p.Role, "vendor": p.Vendor, "model": p.Model, "command": p.Command, "runner": p.Runner,
			"read_only": p.ReadOnly, "sandbox": p.Sandbox, "verified": p.Verified(), "eligible": p.Verified()}
		if !p.Verified() {
			row["blocked_because"] = "its probe has never been run and passed"
			row["probe"] = p.Verification.Probe
			row["verify_with"] = "warden profiles --verify " + p.Name
		} else if code, detail := fault(p); code == outcome.RolePromptUndeliverable {
			row["eligible"], row["blocked_because"] = false, detail
		}
		rows = append(rows, row)
	}
	return object{"ok": h.Policy.Present && h.Policy.Err == nil && len(h.Profiles) > 0, "home": h.Dir, "policy_present": h.Policy.Present,
		"profiles": rows, "problems": doctor.Problems(h, fault), "dangling_policy_references": dangling(h), "hint": "warden setup writes what is missing"}
}

// dangling lists the profiles that the policy names and nobody has.
func dangling(h policy.Home) []string {
	out := []string{}
	for _, role := range sortedKeys(h.Policy.Roles) {
		for _, name := range h.Policy.Roles[role].Profiles {
			if _, ok := h.Profiles[name]; !ok {
				out = append(out, role+" -> "+name)
			}
		}
	}
	slices.Sort(out)
	return out
}

func (a *app) verifyProfile(ctx context.Context, h policy.Home, name string) error {
	p, ok := h.Profiles[name]
	if !ok {
		return a.print(object{"ok": false, "code": "profile_not_found", "profile": name, "known_profiles": sortedKeys(h.Profiles), "problems": h.Problems})
	}
	v, err := setup.Verify(ctx, setup.VerifyRequest{Home: h.Dir, Profile: p, Environ: a.environ, Now: a.now()})
	if err != nil {
		return err
	}
	a.narrate("probe %s  %s", p.Name, v.Code)
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
