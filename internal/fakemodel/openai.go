package fakemodel

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// What every answer says it used. Codex and Gemini print these as they are.
const (
	inputTokens  = 1000
	cachedTokens = 400
	outputTokens = 50
)

func arguments(a answer) string {
	data, err := json.Marshal(a.args)
	if err != nil {
		return "{}"
	}
	return string(data)
}

// callID names the tool call of a turn; the same turn gets the same name.
func callID(r Request) string { return fmt.Sprintf("call_%d", r.Results+1) }

func writeResponses(w http.ResponseWriter, r Request, a answer) {
	item := map[string]any{"type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
		"content": []any{map[string]any{"type": "output_text", "text": a.text, "annotations": []any{}}}}
	switch {
	case a.custom != "":
		item = map[string]any{"type": "custom_tool_call", "id": "ctc_1", "call_id": callID(r), "name": a.tool, "input": a.custom, "status": "completed"}
	case a.tool != "":
		item = map[string]any{"type": "function_call", "id": "fc_1", "call_id": callID(r), "name": a.tool, "arguments": arguments(a), "status": "completed"}
	}
	id := fmt.Sprintf("resp_%d", r.Results+1)
	usage := map[string]any{
		"input_tokens": inputTokens, "input_tokens_details": map[string]any{"cached_tokens": cachedTokens},
		"output_tokens": outputTokens, "output_tokens_details": map[string]any{"reasoning_tokens": 0}, "total_tokens": inputTokens + outputTokens,
	}
	done := map[string]any{"id": id, "object": "response", "status": "completed", "model": r.Model, "output": []any{item}, "usage": usage}
	if !r.Stream {
		writeJSON(w, http.StatusOK, done)
		return
	}
	s := startStream(w)
	s.send("response.created", map[string]any{"type": "response.created", "response": map[string]any{"id": id, "object": "response", "status": "in_progress", "model": r.Model, "output": []any{}}})
	s.send("response.output_item.added", map[string]any{"type": "response.output_item.added", "output_index": 0, "item": item})
	s.send("response.output_item.done", map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item})
	s.send("response.completed", map[string]any{"type": "response.completed", "response": done})
}

func writeChat(w http.ResponseWriter, r Request, a answer) {
	message := map[string]any{"role": "assistant", "content": a.text}
	reason := "stop"
	if a.tool != "" {
		reason = "tool_calls"
		input := arguments(a)
		if a.custom != "" {
			input = a.custom
		}
		message = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
			"index": 0, "id": callID(r), "type": "function", "function": map[string]any{"name": a.tool, "arguments": input},
		}}}
	}
	usage := map[string]any{"prompt_tokens": inputTokens, "completion_tokens": outputTokens, "total_tokens": inputTokens + outputTokens,
		"prompt_tokens_details": map[string]any{"cached_tokens": cachedTokens}}
	frame := func(object string) map[string]any {
		return map[string]any{"id": "chatcmpl_1", "object": object, "created": 1, "model": r.Model}
	}
	if !r.Stream {
		done := frame("chat.completion")
		done["choices"] = []any{map[string]any{"index": 0, "message": message, "finish_reason": reason}}
		done["usage"] = usage
		writeJSON(w, http.StatusOK, done)
		return
	}
	s := startStream(w)
	for _, choice := range []map[string]any{
		{"index": 0, "delta": message, "finish_reason": nil},
		{"index": 0, "delta": map[string]any{}, "finish_reason": reason},
	} {
		chunk := frame("chat.completion.chunk")
		chunk["choices"] = []any{choice}
		s.send("", chunk)
	}
	last := frame("chat.completion.chunk")
	last["choices"], last["usage"] = []any{}, usage
	s.send("", last)
	if _, err := io.WriteString(w, "data: [DONE]\n\n"); err != nil {
		return // the client went away
	}
}
