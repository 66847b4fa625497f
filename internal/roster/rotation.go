package roster

import "github.com/tolboy/warden/internal/policy"

// Rotation returns the number by which the profile of a stage is picked. When
// several stages share a role, each takes its place among them, so that a run
// that ended early does not swap who reads first; persist is false. A role with
// one stage takes turns over runs by a counter that the caller keeps; persist
// says to advance it. A stage that the chain does not have counts as the only one.
func Rotation(p policy.Policy, stage, role string, counter int) (n int, persist bool) {
	place, count := -1, 0
	for _, s := range p.Stages {
		if s.Role != role {
			continue
		}
		if s.Name == stage {
			place = count
		}
		count++
	}
	if count < 2 || place < 0 {
		return counter, true
	}
	return place, false
}
