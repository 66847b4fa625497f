// Package roster chooses the profile that fills a role. It is pure: what it
// needs to know of the machine comes in as a function, and the same question
// gets the same answer.
package roster

import (
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
)

// Reasons for which a profile is passed over. Each names one check.
const (
	ProfileNotFound     = "profile_not_found"
	ProfileInvalid      = "profile_invalid"
	RoleMismatch        = "role_mismatch"
	JudgeNotReadOnly    = "judge_not_read_only"
	VisionUnverified    = "vision_capability_unverified"
	ProfileUnverified   = "profile_unverified"
	QuotaExhausted      = "quota_exhausted_this_run"
	SameVendorAsWriter  = "same_vendor_as_writer"
	WriterVendorUnknown = "writer_vendor_unknown"
	PeerPairInvalid     = "peer_pair_invalid"
	PeerNotAllowed      = "peer_not_allowed_by_task"
	ExecutableNotFound  = "executable_not_found"
	NotInRoster         = "not_in_roster"
	CallImpossible      = "call_impossible"
)

// What is known of a reader's independence from who wrote the candidate.
const (
	Independent    = "independent"      // every writer is known, and none has its vendor
	SameVendorPeer = "same_vendor_peer" // the writer is the one peer whom policy and task let it read
	Coauthor       = "coauthor"         // a writer has its vendor, and the policy allows that
	Unproven       = "unproven"         // a writer is not known
	None           = "none"             // the role does not read somebody's work
)

// Request asks who fills a role.
type Request struct {
	Role    string
	Home    policy.Home
	Writers []string // vendors of everybody who wrote the candidate; "" is one not known
	// Authors are the profiles by which those vendors wrote, as far as they are
	// known. A peer may read only its own pair.
	Authors []string
	// Acquires says that the role takes the pictures itself that it judges.
	Acquires bool
	// PeerAllowed says that the task lets a peer of the writer's vendor read.
	PeerAllowed bool
	// Rotation picks among those who may: see Rotation.
	Rotation int
	// Exclude holds names of profiles, and VendorKey of vendors, whose plan was
	// seen to be spent in this process. It must never be stored: a plan renews.
	Exclude   map[string]bool
	Available func(policy.Profile) error // nil when it can be started; called last
	Pinned    string                     // the only profile to consider, or ""
	// Unfit holds, by profile, why a call of it could not be made. Such a profile
	// keeps its place in the rotation, and the next one takes its turn.
	Unfit map[string]string
}

// Rejection is a profile that was passed over, the first check it failed, and
// what that check looked at.
type Rejection struct {
	Profile string `json:"profile"`
	Reason  string `json:"reason"`
	Detail  string `json:"detail,omitempty"`
}

// Choice is the profile that fills the role, and why others do not.
type Choice struct {
	Profile      policy.Profile
	Rejected     []Rejection
	Independence string
}

// VendorKey is the key of Request.Exclude under which a whole vendor stands.
func VendorKey(vendor string) string { return "vendor:" + normal(vendor) }

// Resolve answers a request. The code is OK with a choice. Without one it is
// PolicyInvalid, RoleNotConfigured, RoleQuotaExhausted when a spent plan stood
// in the way of somebody, or else RoleUnresolved; Rejected then names everybody.
// A pinned profile passes the same checks as any other.
func Resolve(r Request) (Choice, outcome.Code) {
	if r.Home.Policy.Err != nil {
		return Choice{Independence: None}, outcome.PolicyInvalid
	}
	rost, ok := r.Home.Policy.Roles[r.Role]
	if !ok {
		return Choice{Independence: None}, outcome.RoleNotConfigured
	}
	candidates := rost.Profiles
	c := Choice{Independence: None}
	if r.Pinned != "" {
		if !slices.Contains(candidates, r.Pinned) {
			c.Rejected = append(c.Rejected, Rejection{r.Pinned, NotInRoster, "the policy does not name it for the role " + r.Role})
		}
		candidates = slices.DeleteFunc(slices.Clone(candidates), func(n string) bool { return n != r.Pinned })
	}
	var eligible []policy.Profile
	spent := false
	for _, name := range candidates {
		p, no := r.consider(rost, name)
		if no != nil {
			spent = spent || no.Reason == QuotaExhausted
			c.Rejected = append(c.Rejected, *no)
			continue
		}
		eligible = append(eligible, p)
	}
	p, ok := r.take(rost, eligible, &c)
	switch {
	case ok:
		c.Profile, c.Independence = p, r.independence(rost, p)
		return c, outcome.OK
	case spent:
		return c, outcome.RoleQuotaExhausted
	}
	return c, outcome.RoleUnresolved
}

// take picks whose turn it is among those who may, and passes over the unfit.
func (r Request) take(rost policy.Roster, eligible []policy.Profile, c *Choice) (chosen policy.Profile, ok bool) {
	n, turn := len(eligible), 0
	if rost.Strategy == "rotate" && n > 0 {
		turn = ((r.Rotation % n) + n) % n
	}
	for i := range eligible {
		p := eligible[(turn+i)%n]
		if why, unfit := r.Unfit[p.Name]; unfit {
			c.Rejected = append(c.Rejected, Rejection{p.Name, CallImpossible, why})
		} else if !ok {
			chosen, ok = p, true
		}
	}
	return chosen, ok
}

// consider runs the checks of one profile in their fixed order.
func (r Request) consider(rost policy.Roster, name string) (policy.Profile, *Rejection) {
	no := func(reason, detail string) (policy.Profile, *Rejection) {
		return policy.Profile{}, &Rejection{Profile: name, Reason: reason, Detail: detail}
	}
	p, ok := r.Home.Profiles[name]
	problem, bad := r.Home.Problems[name]
	switch {
	case !ok && bad:
		return no(ProfileInvalid, problem)
	case !ok:
		return no(ProfileNotFound, "no file profiles/"+name+".yaml was read")
	case p.Role != r.Role:
		return no(RoleMismatch, "the profile is for the role "+p.Role)
	case policy.Reads(r.Role) && !p.ReadOnly:
		return no(JudgeNotReadOnly, "the profile has read_only: false")
	case r.Role == "visual_qa" && !p.SeesVerified():
		return no(VisionUnverified, "the profile has no capabilities.vision, or no verification.verified_on")
	case r.Acquires && !p.Vision.Acquires:
		return no(VisionUnverified, "the task leaves the pictures to the role, and the profile has no capabilities.vision.acquires")
	case !p.Verified():
		return no(ProfileUnverified, "the profile has no verification.verified_on")
	case r.Exclude[p.Name] || r.Exclude[VendorKey(p.Vendor)]:
		return no(QuotaExhausted, "the plan of "+p.Vendor+" was reported spent by a call of this process")
	}
	if reason, detail := r.dependent(rost, p); reason != "" {
		return no(reason, detail)
	}
	if r.Available != nil {
		if err := r.Available(p); err != nil {
			return no(ExecutableNotFound, err.Error())
		}
	}
	return p, nil
}

// dependent applies the rule of independent vendors. It holds against everybody
// who wrote, and an unknown writer could be anybody.
func (r Request) dependent(rost policy.Roster, p policy.Profile) (reason, detail string) {
	if !rost.Independent || !reads(r.Role) {
		return "", ""
	}
	for _, w := range r.Writers {
		switch normal(w) {
		case "":
			return WriterVendorUnknown, "it is not known who wrote a part of the candidate"
		case normal(p.Vendor):
			if reason, detail := r.peer(rost, p); reason != "" {
				return reason, detail
			}
		}
	}
	return "", ""
}

// independence labels a reader. A peer is labelled so also where no independence
// is required.
func (r Request) independence(rost policy.Roster, p policy.Profile) string {
	vendor := p.Vendor
	if !reads(r.Role) {
		return None
	}
	unknown, peer := len(r.Writers) == 0, false
	for _, w := range r.Writers {
		if normal(w) == normal(vendor) {
			if reason, _ := r.peer(rost, p); reason != "" {
				return Coauthor
			}
			peer = true
		}
		unknown = unknown || normal(w) == ""
	}
	if peer && !unknown {
		return SameVendorPeer
	}
	if unknown {
		return Unproven
	}
	return Independent
}

// reads reports whether a role looks at somebody's work.
func reads(role string) bool { return role != "implementer" && role != "planner" }

// normal makes two spellings of one vendor equal.
func normal(vendor string) string { return strings.ToLower(strings.TrimSpace(vendor)) }
