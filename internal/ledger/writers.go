package ledger

import "slices"

// Writers returns the vendors that wrote in a run, in their order: every call of a
// role that may write counts, the interrupted ones too, since what they left may
// be in the candidate.
func Writers(h History) []string {
	vendors, _ := writers(h)
	return vendors
}

// Authors returns the profiles by which they wrote.
func Authors(h History) []string {
	_, profiles := writers(h)
	return profiles
}

func writers(h History) (vendors, profiles []string) {
	add := func(vendor, profile string) {
		if vendor != "" && !slices.Contains(vendors, vendor) {
			vendors = append(vendors, vendor)
		}
		if profile != "" && !slices.Contains(profiles, profile) {
			profiles = append(profiles, profile)
		}
	}
	reading := map[string]bool{} // roles that were seen to be read-only
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			continue
		}
		if r, ok := p.(*RoleRun); ok {
			reading[r.Role] = r.ReadOnly
			if r.ReadOnly {
				continue
			}
			for _, c := range r.Calls {
				add(c.Vendor, c.Profile)
			}
		}
	}
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			continue
		}
		if c, ok := p.(*VendorCallStarted); ok && !reading[c.Role] && c.Role != "reviewer" && c.Role != "visual_qa" {
			add(c.Vendor, c.Profile)
		}
	}
	return vendors, profiles
}
