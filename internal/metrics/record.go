package metrics

import (
	"cmp"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
)

// counted are the types of event that carry a number. Of the others only the
// place in the chain is looked at.
func counted(typ string) bool {
	switch typ {
	case ledger.TypeRunReserved, ledger.TypeVendorCallStarted, ledger.TypeInterrupted, ledger.TypeRoleRun, ledger.TypeRoleFailover,
		ledger.TypeBaselineGate, ledger.TypeMachineGate, ledger.TypeFixRound, ledger.TypeReadyForHuman, ledger.TypeStopped,
		ledger.TypeDecisionPending, ledger.TypeHumanDecision, ledger.TypeDecisionVoid:
		return true
	}
	return false
}

// The parts of events that are counted. Numbers are pointers: what an event does
// not say is not zero.
type (
	reserved struct {
		Preparation bool `json:"preparation"`
	}
	roleRun struct {
		Role           string       `json:"role"`
		OK             bool         `json:"ok"`
		Code           outcome.Code `json:"code"`
		Profile        string       `json:"profile"`
		Vendor         string       `json:"vendor"`
		Runner         string       `json:"runner"`
		Model          string       `json:"model"`
		ModelReported  string       `json:"model_reported"`
		Calls          []vendorCall `json:"vendor_attempts"`
		FailedOverFrom string       `json:"failed_over_from"`
		Usage          usageTotal   `json:"usage"`
		Duration       *float64     `json:"duration_millis"`
		ReusedFrom     string       `json:"reused_from"`
		DryRun         bool         `json:"dry_run"`
	}
	usageTotal struct {
		Calls int `json:"calls"`
		reported
	}
	reported struct {
		Cost   *float64 `json:"cost_usd"`
		Input  *float64 `json:"input_tokens"`
		Output *float64 `json:"output_tokens"`
		Total  *float64 `json:"total_tokens"`
	}
	vendorCall struct {
		CallID        string       `json:"call_id"`
		Profile       string       `json:"profile"`
		Vendor        string       `json:"vendor"`
		Runner        string       `json:"runner"`
		Model         string       `json:"model"`
		ModelReported string       `json:"model_reported"`
		Code          outcome.Code `json:"code"`
		Duration      *float64     `json:"duration_millis"`
		Usage         reported     `json:"usage"`
	}
	started struct { // of vendor_call_started and interrupted
		CallID  string `json:"call_id"`
		Role    string `json:"role"`
		Profile string `json:"profile"`
		Vendor  string `json:"vendor"`
		Model   string `json:"model"`
	}
	gateRun struct {
		OK         bool   `json:"ok"`
		ReusedFrom string `json:"reused_from"`
	}
	ending struct {
		OK   bool         `json:"ok"`
		Code outcome.Code `json:"reason"`
	}
	answer struct {
		Decision string   `json:"decision"`
		Source   string   `json:"source"`
		Wait     *float64 `json:"wait_millis"`
	}
)

// call is one call of a vendor, as it is counted.
type call struct {
	role string
	vendorCall
}

// attempts returns every call of a dispatch. A record without ids is from before
// calls were listed one by one: it still counts each call that it tells of, and
// gives its totals to one of them only.
func (r *roleRun) attempts() []vendorCall {
	if r.DryRun || r.ReusedFrom != "" {
		return nil
	}
	calls := r.Calls
	if len(calls) == 0 && r.Usage.Calls > 0 {
		calls = []vendorCall{{Profile: r.Profile, Vendor: r.Vendor, Runner: r.Runner, Model: r.Model, ModelReported: r.ModelReported, Code: r.Code}}
	}
	if len(calls) != 1 || calls[0].CallID != "" {
		return calls
	}
	last := calls[0]
	last.Usage = last.Usage.or(r.Usage.reported)
	last.Duration = cmp.Or(last.Duration, r.Duration)
	if r.FailedOverFrom == "" || r.FailedOverFrom == last.Profile {
		return []vendorCall{last}
	}
	return []vendorCall{{Profile: r.FailedOverFrom, Code: outcome.RoleQuotaExhausted}, last}
}

func (r reported) or(other reported) reported {
	return reported{cmp.Or(r.Cost, other.Cost), cmp.Or(r.Input, other.Input), cmp.Or(r.Output, other.Output), cmp.Or(r.Total, other.Total)}
}

// tokens is the total as it was reported, or the sum of its parts where both are.
func (r reported) tokens() *float64 {
	if r.Total != nil || r.Input == nil || r.Output == nil {
		return r.Total
	}
	sum := *r.Input + *r.Output
	return &sum
}
