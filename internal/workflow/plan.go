package workflow

// Facts are what the conditions of a chain are judged by.
type Facts struct {
	Risk             string
	ReviewRequired   bool
	VisualQARequired bool
	AgentEvidence    bool                   // the visual_qa role takes its own pictures, so that no browser stage does
	Configured       func(role string) bool // does the policy name profiles for the role
}

// Step is a stage of one run, with the reason why it does not run, if any.
type Step struct {
	Stage
	Skip string `json:"skip,omitempty"`
}

// Resolve applies the conditions once, before anything is spent, so that the
// chain that was announced is the chain that runs.
func Resolve(stages []Stage, f Facts) []Step {
	steps := make([]Step, 0, len(stages))
	for _, s := range stages {
		step := Step{Stage: s}
		for _, c := range s.When {
			if !f.holds(c) {
				step.Skip = "condition_not_met:" + string(c)
				break
			}
		}
		if step.Skip == "" && s.Run == RunBrowser && f.AgentEvidence {
			step.Skip = "evidence_by_agent"
		}
		if step.Skip == "" && s.Run == RunRole && !f.Configured(s.Role) {
			step.Skip = "role_not_configured"
		}
		steps = append(steps, step)
	}
	return steps
}

func (f Facts) holds(c Condition) bool {
	switch c {
	case Always:
		return true
	case ReviewRequired:
		return f.ReviewRequired
	case VisualQARequired:
		return f.VisualQARequired
	case RiskLow, RiskMedium, RiskHigh:
		return string(c) == "risk_"+f.Risk
	}
	return false
}

// Known reports whether c belongs to the closed set.
func (c Condition) Known() bool {
	switch c {
	case Always, ReviewRequired, VisualQARequired, RiskLow, RiskMedium, RiskHigh:
		return true
	}
	return false
}
