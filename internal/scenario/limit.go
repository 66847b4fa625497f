package scenario

import "time"

// PollLimit is how long one wait-for looks for its element.
const PollLimit = 15 * time.Second

// Hold is the time that the scenario asks for beside what the page itself takes:
// its pauses, and PollLimit for each element that it waits for.
func (s Scenario) Hold() time.Duration {
	var sum time.Duration
	for _, step := range s.Steps {
		switch step.Act {
		case Wait:
			sum += step.Hold
		case WaitFor:
			sum += PollLimit
		}
	}
	return sum
}

// Limit is the time that a list of scenarios may take: base, and what they ask
// for themselves, of which MaxHold at most. It is the sum whether or not some of
// them run side by side: a limit is not an estimate.
func Limit(base time.Duration, list []Scenario) time.Duration {
	var sum time.Duration
	for _, s := range list {
		if sum += s.Hold(); sum >= MaxHold {
			return base + MaxHold
		}
	}
	return base + sum
}
