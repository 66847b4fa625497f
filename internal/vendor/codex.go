package vendor

import "strings"

// codex reads `codex exec --json`. The answer is the last agent message, not the
// last event. An item of type error is a warning and "Reconnecting..." a retry;
// the end is turn.failed.
func codex() dialect {
	return dialect{
		name: "codex",
		recognise: func(o object) bool {
			k := o.kind()
			return strings.HasPrefix(k, "thread.") || strings.HasPrefix(k, "turn.") || strings.HasPrefix(k, "item.")
		},
		read: readCodex,
	}
}

func readCodex(e *Envelope) (event func(object), end func()) {
	var lone []Failure
	event = func(o object) {
		switch o.kind() {
		case "thread.started":
			e.SessionID = o.text("thread_id")
		case "item.completed":
			item := o.sub("item")
			if item.kind() == "agent_message" {
				if text := item.text("text"); text != "" {
					e.newest(text)
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
			e.fail(Failure{Text: text, Status: statusIn(text), Final: true})
		case "error":
			text := o.text("message")
			if strings.HasPrefix(text, "Reconnecting") {
				e.fail(Failure{Text: text, Status: statusIn(text)})
				return
			}
			lone = bounded(lone, Failure{Text: text, Status: statusIn(text), Final: true})
		}
	}
	return event, func() {
		for _, f := range lone {
			e.fail(f)
		}
	}
}
