package fakemodel

import (
	"fmt"
	"net/http"
)

func writeMessages(w http.ResponseWriter, r Request, a answer) {
	block := map[string]any{"type": "text", "text": a.text}
	reason := "end_turn"
	if a.tool != "" {
		block = map[string]any{"type": "tool_use", "id": "toolu_" + callID(r), "name": a.tool, "input": a.args}
		reason = "tool_use"
	}
	usage := map[string]any{"input_tokens": inputTokens - cachedTokens, "cache_read_input_tokens": cachedTokens, "cache_creation_input_tokens": 0, "output_tokens": outputTokens}
	message := map[string]any{"id": fmt.Sprintf("msg_%d", r.Results+1), "type": "message", "role": "assistant", "model": r.Model, "usage": usage}
	if !r.Stream {
		message["content"], message["stop_reason"], message["stop_sequence"] = []any{block}, reason, nil
		writeJSON(w, http.StatusOK, message)
		return
	}
	message["content"], message["stop_reason"], message["stop_sequence"] = []any{}, nil, nil
	s := startStream(w)
	s.send("message_start", map[string]any{"type": "message_start", "message": message})
	start, delta := map[string]any{"type": "text", "text": ""}, map[string]any{"type": "text_delta", "text": a.text}
	if a.tool != "" {
		start = map[string]any{"type": "tool_use", "id": block["id"], "name": a.tool, "input": map[string]any{}}
		delta = map[string]any{"type": "input_json_delta", "partial_json": arguments(a)}
	}
	s.send("content_block_start", map[string]any{"type": "content_block_start", "index": 0, "content_block": start})
	s.send("content_block_delta", map[string]any{"type": "content_block_delta", "index": 0, "delta": delta})
	s.send("content_block_stop", map[string]any{"type": "content_block_stop", "index": 0})
	s.send("message_delta", map[string]any{"type": "message_delta", "delta": map[string]any{"stop_reason": reason, "stop_sequence": nil}, "usage": map[string]any{"output_tokens": outputTokens}})
	s.send("message_stop", map[string]any{"type": "message_stop"})
}
