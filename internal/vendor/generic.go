package vendor

import (
	"encoding/json"
	"strings"

	"github.com/tolboy/warden/internal/usage"
)

const genericName = "generic"

// generic reads what no dialect knows: a lone artifact, an envelope of unknown
// make, prose with JSON in it.
func generic() dialect {
	return dialect{
		name:      genericName,
		recognise: func(object) bool { return true },
		read:      readGeneric,
	}
}

func readGeneric(e *Envelope) (event func(object), end func()) {
	return func(o object) {
		u := o.sub("usage")
		e.Usage.CostUSD = first(o.amount("total_cost_usd", "totalCostUsd", "cost_usd"), e.Usage.CostUSD)
		e.Usage.Turns = first(o.amount("num_turns", "numTurns"), e.Usage.Turns)
		e.Usage.Input = first(u.amount("input_tokens", "inputTokens", "prompt_tokens"), e.Usage.Input)
		e.Usage.Output = first(u.amount("output_tokens", "outputTokens", "completion_tokens"), e.Usage.Output)
		e.Usage.Total = first(u.amount("total_tokens", "totalTokens"), e.Usage.Total)
		if id := o.text("session_id", "sessionId"); id != "" {
			e.SessionID = id
		}
		if reason := o.text("stop_reason", "stopReason"); reason != "" {
			e.StopReason = reason
		}
		if m := reportedModel(o.sub("modelUsage")); m != "" {
			e.Model = m
		}
		for _, f := range failureOf(o) {
			e.fail(f)
		}
	}, func() {}
}

// failureOf reads an error of unknown make. An object that carries a role and a
// status is an artifact: its words are the model's and prove nothing.
func failureOf(o object) []Failure {
	if o.text("role") != "" && o.text("status") != "" {
		return nil
	}
	kind := o.kind()
	flagged := o.isTrue("is_error")
	shaped := flagged || o.has("error") || strings.Contains(kind, "error") || strings.HasSuffix(kind, "failed")
	if !shaped {
		return nil
	}
	texts, kinds, status := errorTexts(o, 0)
	if flagged {
		if text := o.text("result"); text != "" {
			texts = append(texts, text)
		}
	}
	if status == 0 {
		status = o.status("api_error_status")
	}
	joined := strings.Join(texts, "\n")
	if joined == "" {
		joined = kind
	}
	if status == 0 {
		status = statusIn(joined + "\n" + strings.Join(kinds, "\n"))
	}
	return []Failure{{Text: joined, Kind: strings.Join(kinds, "\n"), Status: status, Final: flagged || strings.HasSuffix(kind, "failed")}}
}

// errorTexts gathers the words of an error and of the errors inside it, and apart
// from them its codes and types.
func errorTexts(o object, depth int) (texts, kinds []string, status int) {
	for _, key := range []string{"message", "msg", "detail", "description", "text"} {
		if s := o.text(key); s != "" {
			texts = append(texts, s)
		}
	}
	for _, key := range []string{"code", "type", "subtype", "name", "status"} {
		if s := o.text(key); s != "" {
			kinds = append(kinds, s)
		}
	}
	status = o.status("status", "code", "statusCode", "http_status")
	var s string
	if json.Unmarshal(o["error"], &s) == nil && s != "" {
		texts = append(texts, s)
	}
	if inner := o.sub("error"); inner != nil && depth < 4 {
		more, words, code := errorTexts(inner, depth+1)
		texts, kinds = append(texts, more...), append(kinds, words...)
		if code != 0 {
			status = code
		}
	}
	return texts, kinds, status
}

// known is a count that was seen; none seen is unknown, not zero.
func known(n int) usage.Amount {
	if n == 0 {
		return usage.Amount{}
	}
	return usage.Known(float64(n))
}
