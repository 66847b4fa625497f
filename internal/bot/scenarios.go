package bot

import (
	"fmt"
	"slices"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/publish"
)

// scenarios takes in what a browser stage saw, in place of what it had seen before.
func scenarios(v *publish.View, p *ledger.VisualRun) {
	v.Scenarios = slices.DeleteFunc(v.Scenarios, func(s publish.Scenario) bool { return s.Stage == p.Stage })
	for _, s := range p.Scenarios {
		v.Scenarios = append(v.Scenarios, publish.Scenario{Stage: p.Stage, Text: s.Scenario, Viewport: s.Viewport, Passed: s.OK, Why: s.Why,
			Pictures: named(s.Pictures), Differences: named(s.Differences)})
	}
}

func named(paths []string) []publish.Picture {
	var out []publish.Picture
	for _, p := range paths {
		out = append(out, publish.Picture{Name: p})
	}
	return out
}

// pin gives every picture its address at the commit that the ledger was just published
// as. Where the project keeps its pictures, their number is said instead.
func (b *Bot) pin(v *publish.View) {
	held := 0
	for i := range v.Scenarios {
		for _, list := range [][]publish.Picture{v.Scenarios[i].Differences, v.Scenarios[i].Pictures} {
			if b.Picture == nil {
				held += len(list)
				continue
			}
			for k := range list {
				list[k].URL = b.Picture(v.RunID, list[k].Name)
			}
		}
	}
	if held > 0 {
		v.Withheld = append(v.Withheld, fmt.Sprintf("%d picture(s) of the browser (forge.publish.screenshots: false)", held))
	}
}
