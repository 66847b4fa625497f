package outcome

// Severity ranks a finding. Only P1 blocks. A missing severity counts as P3.
type Severity string

// P1 is a wrong or unsafe outcome, P2 a bounded defect, P3 cosmetic.
const (
	P1 Severity = "P1"
	P2 Severity = "P2"
	P3 Severity = "P3"
)

// Finding is one objection of a judging role. Its text is untrusted.
type Finding struct {
	ID         string   `json:"id,omitempty"`
	Severity   Severity `json:"severity"`
	Category   string   `json:"category,omitempty"`
	Path       string   `json:"path"`
	Field      string   `json:"field,omitempty"` // of a contract that is not written yet
	Line       int      `json:"line,omitempty"`
	Message    string   `json:"message"`
	Expected   string   `json:"expected"`
	Actual     string   `json:"actual"`
	Scenario   string   `json:"scenario,omitempty"`
	Viewport   string   `json:"viewport,omitempty"` // of what was seen, such as "390x844"
	Suggestion string   `json:"suggestion,omitempty"`
	Confidence string   `json:"confidence"`
	// EvidenceRefs name what shows the finding, such as "main.go:12" or a command.
	EvidenceRefs []string `json:"evidence_refs,omitempty"`
	// Supersedes are ids of earlier findings of the same stage that this one
	// replaces: the objection is the same and is told better.
	Supersedes []string `json:"supersedes,omitempty"`
	// ScopeRelation says where the repair would lie; "" is InScope.
	ScopeRelation string `json:"scope_relation,omitempty"`
	// ProposedAcceptance are commands, and ProposedScope paths, that the reader of a
	// ContractGap would have added to the task. Only a person adds them.
	ProposedAcceptance []string `json:"proposed_acceptance,omitempty"`
	ProposedScope      []string `json:"proposed_scope,omitempty"`
}

// How a finding relates to the paths that the task may change. OutsideScope is a
// fault that no writer who keeps to the scope can mend; PreExisting is one that the
// base has too.
const (
	InScope      = "in_scope"
	OutsideScope = "outside_scope"
	PreExisting  = "pre_existing"
)

// ScopeRelations are those that a finding may claim.
func ScopeRelations() []string { return []string{InScope, OutsideScope, PreExisting} }

// The categories of findings say who can act. ProductDefect is also that of a
// finding that names none: something that a change of the candidate can cure.
// Every other one is for a person.
const (
	ProductDefect       = "product_defect"
	ContractGap         = "contract_gap"
	EvidenceGap         = "investigation_evidence_gap"
	AccessRequired      = "access_required"
	ToolingFailure      = "tooling_failure"
	PlanSpent           = "quota_exhausted"
	ProviderUnavailable = "provider_unavailable"
	ReviewDisagreement  = "review_disagreement"
)

// Categories are those that a finding may claim.
func Categories() []string {
	return []string{ProductDefect, ContractGap, EvidenceGap, AccessRequired, ToolingFailure, PlanSpent, ProviderUnavailable, ReviewDisagreement}
}

// The categories of what a reader of drafts objects to: which part of the contract
// would let it pass without the goal. PlanOther is also that of a finding that names
// none of them.
const (
	AcceptanceGap = "acceptance_gap"
	ScopeGap      = "scope_gap"
	AccessGap     = "access_gap"
	VisualGap     = "visual_gap"
	RiskMismatch  = "risk_mismatch"
	Ambiguity     = "ambiguity"
	PlanOther     = "other"
)

// PlanCategories are those that a finding about a draft may claim.
func PlanCategories() []string {
	return []string{AcceptanceGap, ScopeGap, AccessGap, VisualGap, RiskMismatch, Ambiguity, PlanOther}
}

// Mendable returns the blocking findings that a change of the candidate can
// close, in their order.
func Mendable(findings []Finding) []Finding {
	var out []Finding
	for _, f := range Blocking(findings) {
		if mendable(f) {
			out = append(out, f)
		}
	}
	return out
}

// ForPeople returns the other blocking findings, which no repair can close, in
// their order.
func ForPeople(findings []Finding) []Finding {
	var out []Finding
	for _, f := range Blocking(findings) {
		if !mendable(f) {
			out = append(out, f)
		}
	}
	return out
}

func mendable(f Finding) bool {
	return (f.Category == "" || f.Category == ProductDefect) && f.ScopeRelation != OutsideScope
}

// Blocking returns the findings that close the gate, in their order.
func Blocking(findings []Finding) []Finding {
	var out []Finding
	for _, f := range findings {
		if f.Severity == P1 {
			out = append(out, f)
		}
	}
	return out
}
