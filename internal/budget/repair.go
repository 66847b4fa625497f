package budget

import "github.com/tolboy/warden/internal/workflow"

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
