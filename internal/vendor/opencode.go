package vendor

// opencode reads `opencode run --format json`. The answer is the text after the
// last step began; tokens and the cost (its own estimate) are sums over steps.
func opencode() dialect {
	return dialect{
		name:      "opencode",
		recognise: func(o object) bool { return o.has("sessionID") && o.kind() != "" },
		read:      readOpencode,
	}
}

func readOpencode(e *Envelope) (event func(object), end func()) {
	answer, steps := &pieces{}, 0
	event = func(o object) {
		if e.SessionID == "" {
			e.SessionID = o.text("sessionID")
		}
		part := o.sub("part")
		switch o.kind() {
		case "step_start":
			answer.reset()
		case "text":
			if len(answer.text) > 0 {
				answer.add("\n")
			}
			answer.add(part.text("text"))
		case "step_finish":
			steps++
			tokens := part.sub("tokens")
			e.Usage.CostUSD = plus(e.Usage.CostUSD, part.amount("cost"))
			e.Usage.Input = plus(e.Usage.Input, tokens.amount("input"))
			e.Usage.Output = plus(e.Usage.Output, tokens.amount("output"))
			e.Usage.Total = plus(e.Usage.Total, tokens.amount("total"))
			e.StopReason = part.text("reason")
		case "error":
			e.fail(opencodeFailure(o.sub("error")))
		}
	}
	return event, func() {
		e.Usage.Turns = known(steps)
		answer.tell(e)
	}
}

// opencodeFailure keeps the provider's own words and its body, where the code
// that tells a spent plan from a rate limit stands.
func opencodeFailure(o object) Failure {
	data := o.sub("data")
	text := data.text("message")
	if text == "" {
		text = o.text("message", "name")
	}
	return Failure{Text: text, Kind: o.text("name") + "\n" + data.text("responseBody"), Status: data.status("statusCode"), Final: true}
}
