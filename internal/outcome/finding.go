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
	Line       int      `json:"line,omitempty"`
	Message    string   `json:"message"`
	Expected   string   `json:"expected"`
	Actual     string   `json:"actual"`
	Scenario   string   `json:"scenario,omitempty"`
	Suggestion string   `json:"suggestion,omitempty"`
	Confidence string   `json:"confidence"`
}

// ProductDefect is the category of a finding that names none: something that a
// change of the candidate can cure. Every other category, such as contract_gap or
// access_required, is for a person.
const ProductDefect = "product_defect"

// Mendable returns the blocking findings that a change of the candidate can
// close, in their order.
func Mendable(findings []Finding) []Finding {
	var out []Finding
	for _, f := range Blocking(findings) {
		if f.Category == "" || f.Category == ProductDefect {
			out = append(out, f)
		}
	}
	return out
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
