package runner

import (
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
)

func TestEscalated(t *testing.T) {
	t.Parallel()
	ladder := policy.Escalation{After: 2, Rungs: []policy.Peer{{Implementer: "w1", Reviewer: "r1"}, {Implementer: "w2", Reviewer: "r2"}}}
	for _, tt := range []struct {
		blocked int
		role    string
		rule    policy.Escalation
		want    string
		code    outcome.Code
	}{
		{0, "implementer", ladder, "", outcome.OK},
		{1, "reviewer", ladder, "", outcome.OK},
		{2, "implementer", ladder, "w1", outcome.OK},
		{3, "reviewer", ladder, "r1", outcome.OK},
		{4, "implementer", ladder, "w2", outcome.OK},
		{5, "architect", ladder, "", outcome.OK},
		{6, "implementer", ladder, "", outcome.QualityExhausted},
		{60, "reviewer", ladder, "", outcome.QualityExhausted},
		{60, "reviewer", policy.Escalation{}, "", outcome.OK},
	} {
		r := &roles{blocked: tt.blocked, order: Order{Home: policy.Home{Policy: policy.Policy{Escalation: tt.rule}}}}
		if got, code := r.escalated(tt.role); got != tt.want || code != tt.code {
			t.Errorf("after %d blocking reviews the %s is %q, %s; want %q, %s", tt.blocked, tt.role, got, code, tt.want, tt.code)
		}
	}
}
