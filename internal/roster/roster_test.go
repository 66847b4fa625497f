package roster

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/workflow"
)

// who makes a verified profile.
func who(name, role, vendor string) policy.Profile {
	return policy.Profile{Name: name, Role: role, Vendor: vendor, Runner: "direct", Command: vendor, ReadOnly: role != "implementer",
		Verification: policy.Verification{VerifiedOn: "2026-01-01"}}
}

func home(roster policy.Roster, profiles ...policy.Profile) policy.Home {
	h := policy.Home{Profiles: map[string]policy.Profile{}, Policy: policy.Policy{Present: true, Roles: map[string]policy.Roster{roster.Role: roster}}}
	for _, p := range profiles {
		h.Profiles[p.Name] = p
	}
	return h
}

func readers(independent bool, names ...string) policy.Roster {
	return policy.Roster{Role: "reviewer", Profiles: names, Strategy: "first", Independent: independent}
}

type answer struct {
	Profile, Independence string
	Rejected              []Rejection
	Code                  outcome.Code
}

func resolve(r Request) answer {
	c, code := Resolve(r)
	return answer{c.Profile.Name, c.Independence, c.Rejected, code}
}

func TestResolve(t *testing.T) {
	t.Parallel()
	rv, rw := who("rv", "reviewer", "v"), who("rw", "reviewer", "w")
	wrote := func(vendor string) string { return "the vendor " + vendor + " wrote a part of the candidate" }
	both := home(readers(true, "rv", "rw"), rv, rw)
	tests := []struct {
		name string
		in   Request
		want answer
	}{
		{"RI-01_author_is_passed_over", Request{Role: "reviewer", Home: both, Writers: []string{"v"}},
			answer{"rw", Independent, []Rejection{{"rv", SameVendorAsWriter, wrote("v")}}, outcome.OK}},
		{"RI-01_nobody_left", Request{Role: "reviewer", Home: home(readers(true, "rv"), rv), Writers: []string{"v"}},
			answer{"", None, []Rejection{{"rv", SameVendorAsWriter, wrote("v")}}, outcome.RoleUnresolved}},
		{"RI-01_other_spelling", Request{Role: "reviewer", Home: both, Writers: []string{" V"}},
			answer{"rw", Independent, []Rejection{{"rv", SameVendorAsWriter, wrote("v")}}, outcome.OK}},
		{"RI-01_not_required", Request{Role: "reviewer", Home: home(readers(false, "rv"), rv), Writers: []string{"v"}},
			answer{"rv", Coauthor, nil, outcome.OK}},
		{"RI-02_pin_does_not_switch_the_rule_off", Request{Role: "reviewer", Home: both, Writers: []string{"v"}, Pinned: "rv"},
			answer{"", None, []Rejection{{"rv", SameVendorAsWriter, wrote("v")}}, outcome.RoleUnresolved}},
		{"RI-02_pin_that_may", Request{Role: "reviewer", Home: both, Writers: []string{"v"}, Pinned: "rw"}, answer{"rw", Independent, nil, outcome.OK}},
		{"RI-02_pin_from_elsewhere", Request{Role: "reviewer", Home: both, Pinned: "rx"},
			answer{"", None, []Rejection{{"rx", NotInRoster, "the policy does not name it for the role reviewer"}}, outcome.RoleUnresolved}},
		{"RI-04_whole_writer_set", Request{Role: "reviewer", Home: both, Writers: []string{"v", "w"}},
			answer{"", None, []Rejection{{"rv", SameVendorAsWriter, wrote("v")}, {"rw", SameVendorAsWriter, wrote("w")}}, outcome.RoleUnresolved}},
		{"RI-04_first_writer_counts", Request{Role: "reviewer", Home: both, Writers: []string{"v", "b"}},
			answer{"rw", Independent, []Rejection{{"rv", SameVendorAsWriter, wrote("v")}}, outcome.OK}},
		{"RI-04_labelled", Request{Role: "reviewer", Home: home(readers(false, "rv"), rv), Writers: []string{"b", "v"}}, answer{"rv", Coauthor, nil, outcome.OK}},
		{"RI-06_unknown_writer", Request{Role: "reviewer", Home: home(readers(true, "rv"), rv), Writers: []string{"b", ""}},
			answer{"", None, []Rejection{{"rv", WriterVendorUnknown, "it is not known who wrote a part of the candidate"}}, outcome.RoleUnresolved}},
		{"RI-06_unknown_writer_is_unproven", Request{Role: "reviewer", Home: home(readers(false, "rv"), rv), Writers: []string{"b", ""}}, answer{"rv", Unproven, nil, outcome.OK}},
		{"RI-06_no_writer_is_unproven", Request{Role: "reviewer", Home: both}, answer{"rv", Unproven, nil, outcome.OK}},
		{"QF-10_spent_profile", Request{Role: "reviewer", Home: both, Exclude: map[string]bool{"rv": true}},
			answer{"rw", Unproven, []Rejection{{"rv", QuotaExhausted, "the plan of v was reported spent by a call of this process"}}, outcome.OK}},
		{"QF-10_spent_vendor_in_any_role", Request{Role: "reviewer", Home: home(readers(true, "rv"), rv), Exclude: map[string]bool{VendorKey("V"): true}},
			answer{"", None, []Rejection{{"rv", QuotaExhausted, "the plan of v was reported spent by a call of this process"}}, outcome.RoleQuotaExhausted}},
		{"QF-10_new_process", Request{Role: "reviewer", Home: both, Exclude: map[string]bool{}}, answer{"rv", Unproven, nil, outcome.OK}},
		{"PR-16_unfit_is_passed_over", Request{Role: "reviewer", Home: both, Unfit: map[string]string{"rv": "no prompt"}},
			answer{"rw", Unproven, []Rejection{{"rv", CallImpossible, "no prompt"}}, outcome.OK}},
		{"PR-16_unfit_beside_the_chosen_is_named", Request{Role: "reviewer", Home: both, Unfit: map[string]string{"rw": "no prompt"}},
			answer{"rv", Unproven, []Rejection{{"rw", CallImpossible, "no prompt"}}, outcome.OK}},
		{"PR-16_nobody_is_fit", Request{Role: "reviewer", Home: home(readers(true, "rv"), rv), Unfit: map[string]string{"rv": "no prompt"}},
			answer{"", None, []Rejection{{"rv", CallImpossible, "no prompt"}}, outcome.RoleUnresolved}},
		{"PR-16_pin_of_an_unfit", Request{Role: "reviewer", Home: both, Pinned: "rv", Unfit: map[string]string{"rv": "no prompt"}},
			answer{"", None, []Rejection{{"rv", CallImpossible, "no prompt"}}, outcome.RoleUnresolved}},
		{"no_roster", Request{Role: "architect", Home: both}, answer{"", None, nil, outcome.RoleNotConfigured}},
		{"CF-03_broken_policy", Request{Role: "reviewer", Home: policy.Home{Policy: policy.Policy{Present: true, Err: errors.New("x")}}}, answer{"", None, nil, outcome.PolicyInvalid}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, resolve(tt.in)); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

// CF-13: every check has its own reason, the first that fails is told, and what
// it says names what was looked at.
func TestReasonsAreDistinct(t *testing.T) {
	t.Parallel()
	good := who("good", "reviewer", "g")
	edit := func(change func(*policy.Profile)) policy.Profile {
		p := who("p", "reviewer", "v")
		change(&p)
		return p
	}
	eyes := who("p", "visual_qa", "v")
	eyes.Vision.Delivery = "workspace_file"
	eyes.Verification.VerifiedOn = ""
	missing := func(p policy.Profile) error {
		if p.Name == "p" {
			return fmt.Errorf("look for %q in PATH: not found", p.Command)
		}
		return nil
	}
	tests := []struct {
		name    string
		role    string
		profile *policy.Profile
		problem string
		reason  string
		detail  string
	}{
		{"CF-13_not_found", "reviewer", nil, "", ProfileNotFound, "no file profiles/p.yaml was read"},
		{"CF-13_invalid", "reviewer", nil, "p.yaml:1: x", ProfileInvalid, "p.yaml:1: x"},
		{"CF-13_role", "reviewer", ptr(edit(func(p *policy.Profile) { p.Role = "implementer" })), "", RoleMismatch, "the profile is for the role implementer"},
		{"CF-13_writing_judge", "reviewer", ptr(edit(func(p *policy.Profile) { p.ReadOnly = false })), "", JudgeNotReadOnly, "the profile has read_only: false"},
		{"CF-13_vision", "visual_qa", &eyes, "", VisionUnverified, "the profile has no capabilities.vision, or no verification.verified_on"},
		{"CF-13_unverified", "reviewer", ptr(edit(func(p *policy.Profile) { p.Verification.VerifiedOn = "" })), "", ProfileUnverified, "the profile has no verification.verified_on"},
		{"CF-13_spent", "reviewer", ptr(edit(func(p *policy.Profile) { p.Vendor = "spent" })), "", QuotaExhausted, "the plan of spent was reported spent by a call of this process"},
		{"CF-13_same_vendor", "reviewer", ptr(edit(func(p *policy.Profile) { p.Vendor = "writer" })), "", SameVendorAsWriter, "the vendor writer wrote a part of the candidate"},
		{"CF-13_binary_missing", "reviewer", ptr(edit(func(*policy.Profile) {})), "", ExecutableNotFound, `look for "v" in PATH: not found`},
	}
	seen := map[string]string{}
	for _, tt := range tests {
		if other, ok := seen[tt.reason]; ok {
			t.Errorf("%s and %s share the reason %s", tt.name, other, tt.reason)
		}
		seen[tt.reason] = tt.name
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			other := good
			other.Role = tt.role
			other.Vision.Delivery = "workspace_file"
			h := home(policy.Roster{Role: tt.role, Profiles: []string{"p", "good"}, Strategy: "first", Independent: true}, other)
			if tt.profile != nil {
				h.Profiles["p"] = *tt.profile
			}
			if tt.problem != "" {
				h.Problems = map[string]string{"p": tt.problem}
			}
			got := resolve(Request{Role: tt.role, Home: h, Writers: []string{"writer"}, Exclude: map[string]bool{VendorKey("spent"): true}, Available: missing})
			want := answer{"good", Independent, []Rejection{{"p", tt.reason, tt.detail}}, outcome.OK}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("answer (-want +got):\n%s", diff)
			}
		})
	}
}

func ptr(p policy.Profile) *policy.Profile { return &p }

// A profile that a cheap check refuses is never looked for on the machine.
func TestAvailabilityIsAskedLast(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	h := home(readers(true, "rv", "rw"), who("rv", "reviewer", "v"), who("rw", "reviewer", "w"))
	resolve(Request{Role: "reviewer", Home: h, Writers: []string{"v"}, Available: func(p policy.Profile) error { asked[p.Name]++; return nil }})
	if diff := cmp.Diff(map[string]int{"rw": 1}, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestImplementerIsNotComparedWithItself(t *testing.T) {
	t.Parallel()
	h := home(policy.Roster{Role: "implementer", Profiles: []string{"c"}, Strategy: "first", Independent: true}, who("c", "implementer", "v"))
	want := answer{"c", None, nil, outcome.OK}
	if diff := cmp.Diff(want, resolve(Request{Role: "implementer", Home: h, Writers: []string{"v"}})); diff != "" {
		t.Errorf("answer (-want +got):\n%s", diff)
	}
}

func TestRotationPicksAmongThoseWhoMay(t *testing.T) {
	t.Parallel()
	roster := policy.Roster{Role: "reviewer", Profiles: []string{"a", "b", "c"}, Strategy: "rotate"}
	h := home(roster, who("a", "reviewer", "1"), who("b", "reviewer", "2"), who("c", "reviewer", "3"))
	for rotation, want := range map[int]string{0: "a", 1: "b", 2: "c", 3: "a", 7: "b", -1: "c"} {
		if got := resolve(Request{Role: "reviewer", Home: h, Rotation: rotation}); got.Profile != want {
			t.Errorf("rotation %d: %s, want %s", rotation, got.Profile, want)
		}
	}
	if got := resolve(Request{Role: "reviewer", Home: h, Rotation: 1, Exclude: map[string]bool{"a": true}}); got.Profile != "c" {
		t.Errorf("rotation 1 without a: %s, want c", got.Profile)
	}
	roster.Strategy = "first"
	h.Policy.Roles["reviewer"] = roster
	if got := resolve(Request{Role: "reviewer", Home: h, Rotation: 2}); got.Profile != "a" {
		t.Errorf("first: %s, want a", got.Profile)
	}
}

// RI-08: a counter that runs of other outcomes moved does not swap who reads
// first and who second.
func TestRotation(t *testing.T) {
	t.Parallel()
	two := policy.Policy{Stages: []workflow.Stage{{Name: "implement", Role: "implementer"}, {Name: "review", Role: "reviewer"}, {Name: "gates"}, {Name: "review-second", Role: "reviewer"}}}
	one := policy.Policy{Stages: workflow.BuiltIn()}
	tests := []struct {
		name        string
		p           policy.Policy
		stage, role string
		counter     int
		want        int
		persist     bool
	}{
		{"RI-08_first_of_two", two, "review", "reviewer", 2, 0, false},
		{"RI-08_second_of_two", two, "review-second", "reviewer", 2, 1, false},
		{"RI-08_first_of_two_later", two, "review", "reviewer", 7, 0, false},
		{"RI-08_only_stage_takes_turns", one, "review", "reviewer", 3, 3, true},
		{"RI-08_other_role_of_the_same_chain", two, "implement", "implementer", 5, 5, true},
		{"outside_the_chain", two, "", "reviewer", 4, 4, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			n, persist := Rotation(tt.p, tt.stage, tt.role, tt.counter)
			if n != tt.want || persist != tt.persist {
				t.Errorf("Rotation = %d, %v; want %d, %v", n, persist, tt.want, tt.persist)
			}
		})
	}
}

// An unfit profile keeps its place, so that whose turn it is stays the same for
// everybody else.
func TestUnfitKeepsItsPlace(t *testing.T) {
	t.Parallel()
	r := readers(false, "ra", "rb", "rc")
	r.Strategy = "rotate"
	h := home(r, who("ra", "reviewer", "a"), who("rb", "reviewer", "b"), who("rc", "reviewer", "c"))
	for turn, want := range []string{"ra", "rc", "rc", "ra"} {
		got := resolve(Request{Role: "reviewer", Home: h, Rotation: turn, Unfit: map[string]string{"rb": "no prompt"}})
		if got.Profile != want {
			t.Errorf("turn %d went to %s, want %s", turn, got.Profile, want)
		}
	}
}

// PL-01: who drafts the work does not do it.
func TestWritingPlanner_PL01(t *testing.T) {
	t.Parallel()
	p := who("p", "planner", "v")
	p.ReadOnly = false
	h := policy.Home{Policy: policy.Policy{Roles: map[string]policy.Roster{"planner": {Role: "planner", Profiles: []string{"p"}}}}, Profiles: map[string]policy.Profile{"p": p}}
	got, code := Resolve(Request{Role: "planner", Home: h})
	if code != outcome.RoleUnresolved || len(got.Rejected) != 1 || got.Rejected[0].Reason != JudgeNotReadOnly {
		t.Errorf("resolved to %+v, %s", got, code)
	}
}
