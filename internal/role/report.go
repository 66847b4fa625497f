package role

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/usage"
)

// Report is role-<role>.json: the ledger's record of the dispatch with what only
// the stage report holds.
type Report struct {
	SchemaVersion int    `json:"schema_version"`
	WorkflowRunID string `json:"workflow_run_id"`
	RunID         string `json:"run_id"` // of the stage
	TaskID        string `json:"task_id"`
	ledger.RoleRun
	DiffBase      string                `json:"diff_base_commit"`
	WallClock     float64               `json:"wall_clock_minutes,omitempty"`
	Command       []string              `json:"command,omitempty"` // of the last call; the prompt stands as <prompt>
	Delivery      string                `json:"prompt_delivery,omitempty"`
	Backfilled    []string              `json:"prompt_backfilled,omitempty"`
	ModelPassed   *bool                 `json:"model_passed_to_vendor,omitempty"`
	ModelMismatch *bool                 `json:"model_mismatch,omitempty"`
	Confinement   *Confined             `json:"confinement,omitempty"`
	MissingFields []string              `json:"missing_fields,omitempty"`
	ReceivedKeys  []string              `json:"received_keys,omitempty"`
	SchemaErrors  []string              `json:"schema_errors,omitempty"`
	Switched      []ledger.RoleFailover `json:"failovers,omitempty"`
}

// Confined says what held the call.
type Confined struct {
	Asked   string `json:"asked"`
	Backend string `json:"backend"`
}

// finish writes the report, on every way out, and returns the result.
func (s *dispatch) finish(cause error) (Result, error) {
	s.record.Usage = s.result.Usage
	s.result.Duration = time.Since(s.began)
	s.record.DurationMillis = usage.Known(float64(s.result.Duration.Milliseconds()))
	name := "role-" + s.req.Role
	if s.req.DryRun {
		name += "-dryrun"
	}
	rel := s.req.EvidenceDir + "/" + name + ".json"
	s.record.Report = rel
	data, err := json.MarshalIndent(s.report(), "", "  ")
	if err != nil {
		return s.close(), errors.Join(cause, fmt.Errorf("encode the report of %s: %w", s.req.Role, err))
	}
	s.result.ReportFile, err = s.write(rel, append(data, '\n'))
	return s.close(), errors.Join(cause, err)
}

// close moves what the record says into the result.
func (s *dispatch) close() Result {
	r := s.result
	r.OK, r.Code, r.Detail = s.record.OK, s.record.Code, s.record.Detail
	r.Profile, r.Vendor, r.Model = s.record.Profile, s.record.Vendor, s.record.Model
	if s.record.ModelReported != "" {
		r.Model = s.record.ModelReported
	}
	r.Attempts, r.Exhausted, r.Record, r.Files = s.record.Calls, s.record.Exhausted, s.record, s.files
	return r
}

func (s *dispatch) report() Report {
	r := Report{
		SchemaVersion: 1, WorkflowRunID: s.req.RunID, RunID: s.req.EvidenceDir, TaskID: s.req.Task.ID, RoleRun: s.record,
		DiffBase: s.req.Base, Command: s.argv, Backfilled: s.backfilled, Switched: s.result.Switched,
		MissingFields: s.last.missing, ReceivedKeys: s.last.received,
	}
	for _, v := range s.last.errors {
		r.SchemaErrors = append(r.SchemaErrors, v.Pointer+": "+v.Message)
	}
	p, ok := s.Home.Profiles[s.record.Profile]
	if !ok {
		return r
	}
	r.WallClock, r.Delivery = p.WallClock.Minutes(), orWord(p.PromptDelivery, "argv")
	if p.Runner == "local" {
		r.Delivery = "request"
	} else {
		r.Confinement = s.confined(p)
	}
	if p.Model != "" && len(s.record.Calls) > 0 {
		passed := s.passed
		r.ModelPassed = &passed
		if s.record.ModelReported != "" {
			differs := !sameModel(p.Model, s.record.ModelReported)
			r.ModelMismatch = &differs
		}
	}
	return r
}

// confined says what held the process of a call.
func (s *dispatch) confined(p policy.Profile) *Confined {
	if p.Runner == "orca" {
		return &Confined{Asked: "none", Backend: "none"}
	}
	backend := "none"
	if spec, err := s.Confine.spec(p, s.req.Root); err == nil && spec != nil {
		backend = string(spec.Backend)
	}
	return &Confined{Asked: orWord(p.Sandbox, "warden"), Backend: backend}
}

// sameModel compares the declared name with the reported one. Vendors report a
// dated or decorated form of what was asked for, or drop the provider's prefix;
// an alias such as "opus" stands as a word of the full name.
func sameModel(declared, reported string) bool {
	d, r := bareModel(declared), bareModel(reported)
	if d == r {
		return true
	}
	rest, isPrefix := strings.CutPrefix(r, d+"-")
	if isPrefix && len(rest) == 8 && strings.Trim(rest, "0123456789") == "" {
		return true
	}
	if strings.ContainsAny(d, "-0123456789") {
		return false
	}
	for _, word := range strings.Split(r, "-") {
		if word == d {
			return true
		}
	}
	return false
}

func bareModel(name string) string {
	name = strings.ToLower(strings.TrimSpace(name))
	if i := strings.IndexByte(name, '['); i > 0 {
		name = name[:i]
	}
	return name[strings.LastIndexByte(name, '/')+1:]
}

// claimed are the files that a writer says it changed; a claim, never a proof.
func claimed(artifact json.RawMessage) []string {
	var o struct {
		Files []string `json:"files_changed"`
	}
	if json.Unmarshal(artifact, &o) != nil {
		return nil
	}
	if len(o.Files) > 1000 {
		o.Files = o.Files[:1000]
	}
	return o.Files
}
