package vendor

// gemini reads `gemini -o stream-json` (and -o json, whose errors come on
// stderr). The answer is what the assistant wrote after its last tool result, in
// pieces.
func gemini() dialect {
	return dialect{
		name: "gemini",
		recognise: func(found []object) bool {
			return anyOf(found, func(o object) bool {
				switch o.kind() {
				case "init":
					return o.has("session_id") && o.has("model")
				case "result":
					return o.has("stats") || o.text("status") == "error"
				case "":
					return o.has("session_id") && (o.has("response") || o.has("stats"))
				}
				return false
			})
		},
		read: readGemini,
	}
}

func readGemini(found []object, e *Envelope) {
	answer := ""
	for _, o := range found {
		switch o.kind() {
		case "init":
			e.SessionID, e.Model = o.text("session_id"), o.text("model")
		case "tool_use", "tool_result":
			answer = ""
		case "message":
			if o.text("role") != "assistant" {
				continue
			}
			if !o.isTrue("delta") {
				answer = ""
			}
			answer += o.text("content")
		case "error":
			text := o.text("message")
			e.Failures = append(e.Failures, Failure{Text: text, Status: statusIn(text)})
		case "result":
			geminiStats(o.sub("stats"), e)
			e.StopReason = o.text("status")
			if e.StopReason != "success" {
				e.Failures = append(e.Failures, geminiFailure(o.sub("error")))
			}
		case "":
			if id := o.text("session_id"); id != "" {
				e.SessionID = id
			}
			geminiStats(o.sub("stats"), e)
			if text := o.text("response"); text != "" {
				answer = text
			}
			if o.has("error") {
				e.Failures = append(e.Failures, geminiFailure(o.sub("error")))
			}
		}
	}
	if answer != "" {
		e.Answers = append(e.Answers, answer)
	}
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
