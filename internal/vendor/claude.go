package vendor

import (
	"bytes"
	"encoding/json"
)

// claude reads `claude -p` with json or stream-json. Every API failure carries
// "subtype":"success", so is_error decides.
func claude() dialect {
	return dialect{
		name: "claude",
		recognise: func(o object) bool {
			switch o.kind() {
			case "result":
				return o.has("is_error") || o.has("subtype")
			case "system":
				return o.text("subtype") == "init"
			}
			return false
		},
		read: readClaude,
	}
}

func readClaude(e *Envelope) (event func(object), end func()) {
	return func(o object) {
		switch o.kind() {
		case "system":
			if o.text("subtype") == "init" {
				e.Model, e.SessionID = o.text("model"), o.text("session_id")
			}
		case "rate_limit_event":
			info := o.sub("rate_limit_info")
			if info.text("status") == "rejected" {
				text := "rate_limit_event rejected " + info.text("rateLimitType")
				e.fail(Failure{Text: text, Status: 429, Plan: true})
			}
		case "result":
			readClaudeResult(o, e)
		}
	}, func() {}
}

func readClaudeResult(o object, e *Envelope) {
	u := o.sub("usage")
	e.Usage.CostUSD = o.amount("total_cost_usd")
	e.Usage.Turns = o.amount("num_turns")
	e.Usage.Input = u.amount("input_tokens")
	e.Usage.Output = u.amount("output_tokens")
	e.Usage.Total = u.amount("total_tokens")
	e.StopReason = o.text("stop_reason", "terminal_reason", "subtype")
	if id := o.text("session_id"); id != "" {
		e.SessionID = id
	}
	if m := reportedModel(o.sub("modelUsage")); m != "" {
		e.Model = m
	}
	subtype := o.text("subtype")
	if !o.isTrue("is_error") && (subtype == "" || subtype == "success") {
		if raw := bytes.TrimSpace(o["structured_output"]); len(raw) > 0 && raw[0] == '{' {
			e.Structured = json.RawMessage(raw)
		}
		if text := o.text("result"); text != "" {
			e.answer(text)
		}
		return
	}
	status := o.status("api_error_status")
	texts := []string{o.text("result")}
	for _, raw := range o.list("errors") {
		var s string
		if json.Unmarshal(raw, &s) == nil {
			texts = append(texts, s)
		}
	}
	said := false
	for _, text := range texts {
		if text != "" {
			said = true
			e.fail(Failure{Text: text, Status: status, Final: true})
		}
	}
	if !said {
		e.fail(Failure{Text: subtype, Status: status, Final: true})
	}
	if subtype == "error_max_turns" {
		e.TurnLimit = subtype
	}
}

// reportedModel names the model of a per-model usage table when it has one row.
func reportedModel(table object) string {
	if len(table) != 1 {
		return ""
	}
	for name := range table {
		return name
	}
	return ""
}
