package ledger

// Allowed returns the substitutions that people allowed before a run or with an
// answer to it, the newest first. A run that continues it has them too: a person
// who let a profile take a role is not asked about the same again.
func Allowed(h History) []Switch {
	var out []Switch
	var end Ending
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			continue
		}
		switch v := p.(type) {
		case *RunReserved:
			out = append(out, v.CarriedFailovers...)
			if v.AuthorizedFailover != nil {
				out = append([]Switch{*v.AuthorizedFailover}, out...)
			}
		case *Ending:
			end = *v
		case *HumanDecision:
			if v.Decision == "switch" && end.Failover != nil {
				out = append([]Switch{{Role: end.Failover.Role, Profile: end.Failover.ToProfile}}, out...)
			}
		}
	}
	return out
}

// Trees returns the fingerprints of the trees that were seen in a run. A run that
// starts from one of them knows who wrote what is in it, unless that run did not:
// then there are none.
func Trees(h History) []string {
	var out []string
	for _, l := range h.Lines {
		p, err := l.Payload()
		if err != nil {
			continue
		}
		switch v := p.(type) {
		case *RoleRun:
			out = append(out, v.Candidate)
		case *GateRun:
			out = append(out, v.Candidate)
		case *VisualRun:
			out = append(out, v.Candidate)
		case *Ending:
			if v.Unexplained {
				return nil
			}
			if v.Candidate != nil {
				out = append(out, v.Candidate.Fingerprint)
			}
		}
	}
	return out
}
