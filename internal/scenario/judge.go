package scenario

import (
	"fmt"
	"time"
)

// MaxHold bounds what one scenario may wait for, its pauses and its waits for
// elements together: it is all that Limit ever adds.
const MaxHold = 15 * time.Minute

// Read parses one scenario and judges it: what it returns without a fault can be
// run, and proves something.
func Read(text string) (Scenario, Faults) {
	s, faults := Parse(text)
	if len(faults) > 0 {
		return Scenario{}, faults
	}
	if faults = s.Faults(); len(faults) > 0 {
		return Scenario{}, faults
	}
	return s, nil
}

// Faults are what makes a scenario worthless that can be read: it asserts nothing,
// it knows its elements by their copy alone, or it waits for too long.
func (s Scenario) Faults() Faults {
	var faults Faults
	report := func(message, hint string) {
		faults = append(faults, Fault{Text: s.Text, Message: message, Hint: hint})
	}
	asserts, waits, named, lasting := false, true, 0, 0
	for _, step := range s.Steps {
		asserts = asserts || step.Act.Asserts()
		waits = waits && step.Act == Wait
		if step.Target.By != "" {
			named++
		}
		if step.Target.By != "" && step.Target.By != ByText {
			lasting++
		}
	}
	switch {
	case waits:
		report("the scenario only waits, and a pause proves nothing", "say what must then be seen: wait 8 -> testid=panel visible")
	case !asserts:
		report("the scenario asserts nothing: nothing that it says could fail because of the page", "add what must then be seen: -> testid=saved visible")
	}
	if named > 0 && lasting == 0 {
		report("every element of the scenario is named by its text, which is free to change later",
			"name one by testid=, role= or css=: testid=save click -> text=Saved visible")
	}
	if hold := s.Hold(); hold > MaxHold {
		report(fmt.Sprintf("the scenario waits for %s, the limit is %s", hold, MaxHold), "make two scenarios of it")
	}
	return faults
}
