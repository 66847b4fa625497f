package vendor

import "strings"

// codex reads `codex exec --json`. The answer is the last agent message, not the
// last event. An item of type error is a warning and "Reconnecting..." a retry;
// the end is turn.failed.
func codex() dialect {
	return dialect{
		name: "codex",
		recognise: func(found []object) bool {
			return anyOf(found, func(o object) bool {
				k := o.kind()
				return strings.HasPrefix(k, "thread.") || strings.HasPrefix(k, "turn.") || strings.HasPrefix(k, "item.")
			})
		},
		read: readCodex,
	}
}

func readCodex(found []object, e *Envelope) {
	var lone []Failure
	for _, o := range found {
		switch o.kind() {
		case "thread.started":
			e.SessionID = o.text("thread_id")
		case "item.completed":
			item := o.sub("item")
			if item.kind() == "agent_message" {
				if text := item.text("text"); text != "" {
					e.Answers = append([]string{text}, e.Answers...)
				}
			}
		case "turn.completed":
			u := o.sub("usage")
			e.Usage.Input = plus(e.Usage.Input, u.amount("input_tokens"))
			e.Usage.Output = plus(e.Usage.Output, u.amount("output_tokens"))
			e.Usage.Total = plus(e.Usage.Total, u.amount("total_tokens"))
			e.StopReason = "turn.completed"
			lone = nil
		case "turn.failed":
			e.StopReason = "turn.failed"
			text := o.sub("error").text("message")
			e.Failures = append(e.Failures, Failure{Text: text, Status: statusIn(text), Final: true})
		case "error":
			text := o.text("message")
			if strings.HasPrefix(text, "Reconnecting") {
				e.Failures = append(e.Failures, Failure{Text: text, Status: statusIn(text)})
				continue
			}
			lone = append(lone, Failure{Text: text, Status: statusIn(text), Final: true})
		}
	}
	e.Failures = append(e.Failures, lone...)
}
