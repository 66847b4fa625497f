package budget

import "github.com/tolboy/warden/internal/workflow"

// Branch is what a repair of one stage costs, in vendor calls.
type Branch struct {
	Stage      string `json:"stage"`
	Repair     int    `json:"calls_needed_to_repair"`
	BeJudged   int    `json:"calls_to_repair_and_be_judged"`
	Finish     int    `json:"calls_to_repair_and_finish"`
	Required   int    `json:"calls_required_here"`
	Reachable  bool   `json:"reachable_under_cap"`
	Affordable bool   `json:"repair_allowed_under_cap"`
}

func (b Branch) required(r Reserve) int {
	if r == Partial {
		return b.BeJudged
	}
	return b.Finish
}

// Forecast is the arithmetic of a run before its first call.
type Forecast struct {
	Cap        int      `json:"requested_cap"`
	Minimum    int      `json:"minimum_success_calls"`
	Paying     []string `json:"paying_stages"`
	Sufficient bool     `json:"sufficient_for_success"`
	Reserve    Reserve  `json:"repair_reserve"`
	Branches   []Branch `json:"recovery_branches"`
}

// Plan computes the forecast of a chain.
func Plan(steps []workflow.Step, l Limits) Forecast {
	f := Forecast{Cap: l.Calls, Reserve: l.Reserve, Paying: []string{}, Branches: []Branch{}}
	for _, s := range steps {
		if pays(s) {
			f.Paying = append(f.Paying, s.Name)
		}
	}
	f.Minimum = len(f.Paying)
	f.Sufficient = l.Calls >= f.Minimum
	for i, s := range steps {
		if s.Skip != "" || (s.OnFail != workflow.RouteFix && s.OnFindings != workflow.RouteFix) {
			continue
		}
		b := Repair(steps, i)
		b.Required = b.required(l.Reserve)
		b.Reachable = l.Calls >= f.Minimum-after(steps, i)+b.Finish
		b.Affordable = l.Calls >= f.Minimum-after(steps, i)+b.Required
		f.Branches = append(f.Branches, b)
	}
	return f
}

// Repair prices a fix round for the stage at index i: the writer, the readings
// that the repair invalidates, and the complainer itself if it is a role.
func Repair(steps []workflow.Step, i int) Branch {
	b := Branch{Stage: steps[i].Name, Repair: 1}
	judged := false
	for j := 0; j < i; j++ {
		if pays(steps[j]) && steps[j].Recheck {
			b.Repair++
			judged = judged || judges(steps[j])
		}
	}
	if pays(steps[i]) {
		b.Repair++
		judged = judged || judges(steps[i])
	}
	b.Finish = b.Repair + after(steps, i)
	b.BeJudged = b.Repair
	for j := i + 1; j < len(steps) && !judged; j++ {
		if pays(steps[j]) {
			b.BeJudged++
			judged = judges(steps[j])
		}
	}
	return b
}

func after(steps []workflow.Step, i int) int {
	n := 0
	for _, s := range steps[i+1:] {
		if pays(s) {
			n++
		}
	}
	return n
}

func pays(s workflow.Step) bool { return s.Skip == "" && s.Run == workflow.RunRole }

func judges(s workflow.Step) bool { return pays(s) && s.OnFindings != workflow.RouteNone }
