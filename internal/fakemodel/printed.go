package fakemodel

import (
	"bytes"
	"encoding/json"
)

// Use is what a CLI printed of its use: tokens, and US dollars. Codex and Gemini
// print no price.
type Use struct{ Input, Output, CostUSD float64 }

// Printed adds up the numbers in the events that a CLI printed. It is the tests'
// own reading, apart from the product's.
func Printed(cli string, stdout []byte) Use {
	type tokens struct {
		In  float64 `json:"input_tokens"`
		Out float64 `json:"output_tokens"`
	}
	var u Use
	add := func(in, out, cost float64) { u.Input, u.Output, u.CostUSD = u.Input+in, u.Output+out, u.CostUSD+cost }
	for line := range bytes.Lines(stdout) {
		var e struct {
			Type         string
			Usage, Stats tokens
			Part         struct {
				Tokens struct{ Input, Output float64 }
				Cost   float64
			}
		}
		if json.Unmarshal(line, &e) != nil {
			continue // a line of prose among the events
		}
		switch cli + " " + e.Type {
		case "codex turn.completed":
			add(e.Usage.In, e.Usage.Out, 0)
		case "gemini result":
			add(e.Stats.In, e.Stats.Out, 0)
		case "opencode step_finish":
			add(e.Part.Tokens.Input, e.Part.Tokens.Output, e.Part.Cost)
		}
	}
	return u
}
