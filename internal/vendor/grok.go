package vendor

import (
	"bytes"
	"encoding/json"
)

// grok reads xAI's Grok Build: one object for json, or text, usage and end
// events for streaming-json. A permission it cannot ask for ends the run with
// exit 0, an empty text and the stop reason "cancelled".
func grok() dialect {
	return dialect{
		name: "grok",
		recognise: func(o object) bool {
			return o.has("stopReason") && (o.has("sessionId") || o.kind() == "end" || o.has("text")) || o.kind() == "text" && o.has("data")
		},
		read: readGrok,
	}
}

func readGrok(e *Envelope) (event func(object), end func()) {
	answer := &pieces{}
	event = func(o object) {
		switch o.kind() {
		case "tool_call", "tool_call_update":
			answer.reset()
		case "text":
			answer.add(o.text("data"))
		case "error":
			text := o.text("message")
			e.fail(Failure{Text: text, Status: statusIn(text), Final: true})
		case "usage":
			readGrokUsage(o.sub("usage"), e)
		case "", "end":
			if text := o.text("text"); text != "" {
				answer.reset()
				answer.add(text)
			}
			if raw := bytes.TrimSpace(o["structuredOutput"]); len(raw) > 0 && raw[0] == '{' {
				e.Structured = json.RawMessage(raw)
			}
			readGrokEnd(o, e)
		}
	}
	return event, func() { answer.tell(e) }
}

func readGrokEnd(o object, e *Envelope) {
	readGrokUsage(o.sub("usage"), e)
	e.Usage.CostUSD = first(o.amount("total_cost_usd"), e.Usage.CostUSD)
	e.Usage.Turns = first(o.amount("num_turns"), e.Usage.Turns)
	if id := o.text("sessionId"); id != "" {
		e.SessionID = id
	}
	if reason := o.text("stopReason"); reason != "" {
		e.StopReason = reason
	}
	if m := reportedModel(o.sub("modelUsage")); m != "" {
		e.Model = m
	}
}

func readGrokUsage(u object, e *Envelope) {
	e.Usage.Input = first(u.amount("input_tokens"), e.Usage.Input)
	e.Usage.Output = first(u.amount("output_tokens"), e.Usage.Output)
	e.Usage.Total = first(u.amount("total_tokens"), e.Usage.Total)
}
