package roster

import (
	"fmt"

	"github.com/tolboy/warden/internal/policy"
)

// peer reports why a profile may not read what its own vendor wrote, or nothing:
// policy and task both let exactly this pair do it, the pair is two models of one
// vendor, and nobody else of that vendor wrote.
func (r Request) peer(rost policy.Roster, p policy.Profile) (reason, detail string) {
	same := "the vendor " + p.Vendor + " wrote a part of the candidate"
	switch {
	case rost.Peer == nil || rost.Peer.Reviewer != p.Name:
		return SameVendorAsWriter, same
	case !r.PeerAllowed:
		return PeerNotAllowed, same + ", and the task does not say review_assurance: same_vendor_peer"
	}
	writer, there := r.Home.Profiles[rost.Peer.Implementer]
	switch {
	case !there:
		return PeerPairInvalid, fmt.Sprintf("there is no profile %q", rost.Peer.Implementer)
	case normal(writer.Vendor) != normal(p.Vendor):
		return PeerPairInvalid, fmt.Sprintf("%s is of the vendor %s", writer.Name, writer.Vendor)
	case writer.Model == "" || p.Model == "":
		return PeerPairInvalid, "both profiles must declare a model"
	case normal(writer.Model) == normal(p.Model):
		return PeerPairInvalid, "both profiles are of the model " + p.Model
	}
	wrote := false
	for _, name := range r.Authors {
		author, known := r.Home.Profiles[name]
		switch {
		case name == writer.Name:
			wrote = true
		case !known || normal(author.Vendor) == normal(p.Vendor):
			return PeerPairInvalid, fmt.Sprintf("%s wrote a part of the candidate too", name)
		}
	}
	if !wrote {
		return PeerPairInvalid, "it is not known by which profile " + p.Vendor + " wrote"
	}
	return "", ""
}
