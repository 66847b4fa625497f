package roster

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
)

// RI-14: a reader of the writer's vendor is a peer only where policy and task both
// say so, only for the pair that is named, and is never called independent.
func TestPeer(t *testing.T) {
	t.Parallel()
	model := func(p policy.Profile, m string) policy.Profile { p.Model = m; return p }
	small, large := model(who("small", "implementer", "v"), "v-small"), model(who("large", "reviewer", "v"), "v-large")
	pair := &policy.Peer{Implementer: "small", Reviewer: "large"}
	wrote := "the vendor v wrote a part of the candidate"
	tests := []struct {
		name     string
		peer     *policy.Peer
		allowed  bool
		required bool
		writers  []string
		authors  []string
		profiles []policy.Profile
		want     answer
	}{
		{"RI-14_both_say_so", pair, true, true, []string{"v"}, []string{"small"}, []policy.Profile{small, large}, answer{"large", SameVendorPeer, nil, outcome.OK}},
		{"RI-14_labelled_where_nothing_is_required", pair, true, false, []string{"v"}, []string{"small"}, []policy.Profile{small, large}, answer{"large", SameVendorPeer, nil, outcome.OK}},
		{"RI-14_policy_alone", pair, false, true, []string{"v"}, []string{"small"}, []policy.Profile{small, large},
			answer{"", None, []Rejection{{"large", PeerNotAllowed, wrote + ", and the task does not say review_assurance: same_vendor_peer"}}, outcome.RoleUnresolved}},
		{"RI-14_task_alone", nil, true, true, []string{"v"}, []string{"small"}, []policy.Profile{small, large},
			answer{"", None, []Rejection{{"large", SameVendorAsWriter, wrote}}, outcome.RoleUnresolved}},
		{"RI-14_policy_alone_is_a_coauthor", pair, false, false, []string{"v"}, []string{"small"}, []policy.Profile{small, large}, answer{"large", Coauthor, nil, outcome.OK}},
		{"RI-14_another_reader", &policy.Peer{Implementer: "small", Reviewer: "other"}, true, true, []string{"v"}, []string{"small"}, []policy.Profile{small, large},
			answer{"", None, []Rejection{{"large", SameVendorAsWriter, wrote}}, outcome.RoleUnresolved}},
		{"RI-14_another_writer_of_the_vendor", pair, true, true, []string{"v"}, []string{"small", "third"}, []policy.Profile{small, large, who("third", "implementer", "v")},
			answer{"", None, []Rejection{{"large", PeerPairInvalid, "third wrote a part of the candidate too"}}, outcome.RoleUnresolved}},
		{"RI-14_profile_that_is_gone", pair, true, true, []string{"v"}, []string{"small", "gone"}, []policy.Profile{small, large},
			answer{"", None, []Rejection{{"large", PeerPairInvalid, "gone wrote a part of the candidate too"}}, outcome.RoleUnresolved}},
		{"RI-14_writer_not_known_by_profile", pair, true, true, []string{"v"}, nil, []policy.Profile{small, large},
			answer{"", None, []Rejection{{"large", PeerPairInvalid, "it is not known by which profile v wrote"}}, outcome.RoleUnresolved}},
		{"RI-14_same_model", pair, true, true, []string{"v"}, []string{"small"}, []policy.Profile{model(small, "V-Large"), large},
			answer{"", None, []Rejection{{"large", PeerPairInvalid, "both profiles are of the model v-large"}}, outcome.RoleUnresolved}},
		{"RI-14_model_not_declared", pair, true, true, []string{"v"}, []string{"small"}, []policy.Profile{model(small, ""), large},
			answer{"", None, []Rejection{{"large", PeerPairInvalid, "both profiles must declare a model"}}, outcome.RoleUnresolved}},
		{"RI-14_pair_of_two_vendors", pair, true, true, []string{"v"}, []string{"small"}, []policy.Profile{model(who("small", "implementer", "w"), "w-1"), large},
			answer{"", None, []Rejection{{"large", PeerPairInvalid, "small is of the vendor w"}}, outcome.RoleUnresolved}},
		{"RI-14_unknown_writer_beside_the_pair", pair, true, false, []string{"v", ""}, []string{"small"}, []policy.Profile{small, large}, answer{"large", Unproven, nil, outcome.OK}},
		{"RI-14_writer_of_another_vendor", pair, true, true, []string{"w"}, []string{"x"}, []policy.Profile{small, large, who("x", "implementer", "w")}, answer{"large", Independent, nil, outcome.OK}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := readers(tt.required, "large")
			r.Peer = tt.peer
			got := resolve(Request{Role: "reviewer", Home: home(r, tt.profiles...), Writers: tt.writers, Authors: tt.authors, PeerAllowed: tt.allowed})
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}
