package vendor

// gemini reads `gemini -o stream-json` (and -o json, whose errors come on
// stderr). The answer is what the assistant wrote after its last tool result, in
// pieces.
func gemini() dialect {
	return dialect{
		name: "gemini",
		recognise: func(o object) bool {
			switch o.kind() {
			case "init":
				return o.has("session_id") && o.has("model")
			case "result":
				return o.has("stats") || o.text("status") == "error"
			case "":
				return o.has("session_id") && (o.has("response") || o.has("stats"))
			}
			return false
		},
		read: readGemini,
	}
}

func readGemini(e *Envelope) (event func(object), end func()) {
	answer := &pieces{}
	event = func(o object) {
		switch o.kind() {
		case "init":
			e.SessionID, e.Model = o.text("session_id"), o.text("model")
		case "tool_use", "tool_result":
			answer.reset()
		case "message":
			if o.text("role") != "assistant" {
				return
			}
			if !o.isTrue("delta") {
				answer.reset()
			}
			answer.add(o.text("content"))
		case "error":
			text := o.text("message")
			e.fail(Failure{Text: text, Status: statusIn(text)})
		case "result":
			geminiStats(o.sub("stats"), e)
			e.StopReason = o.text("status")
			if e.StopReason != "success" {
				e.fail(geminiFailure(o.sub("error")))
			}
		case "":
			if id := o.text("session_id"); id != "" {
				e.SessionID = id
			}
			geminiStats(o.sub("stats"), e)
			if text := o.text("response"); text != "" {
				answer.reset()
				answer.add(text)
			}
			if o.has("error") {
				e.fail(geminiFailure(o.sub("error")))
			}
		}
	}
	return event, func() { answer.tell(e) }
}

func geminiFailure(o object) Failure {
	text := o.text("message", "type")
	status := o.status("code")
	if status == 0 {
		status = statusIn(text)
	}
	return Failure{Text: text, Status: status, Final: true}
}

func geminiStats(stats object, e *Envelope) {
	if stats == nil {
		return
	}
	e.Usage.Input = first(stats.amount("input_tokens"), e.Usage.Input)
	e.Usage.Output = first(stats.amount("output_tokens"), e.Usage.Output)
	e.Usage.Total = first(stats.amount("total_tokens"), e.Usage.Total)
	if m := reportedModel(stats.sub("models")); m != "" {
		e.Model = m
	}
}
