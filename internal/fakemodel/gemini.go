package fakemodel

import "net/http"

func writeGemini(w http.ResponseWriter, r Request, a answer) {
	part := map[string]any{"text": a.text}
	if a.tool != "" {
		part = map[string]any{"functionCall": map[string]any{"id": callID(r), "name": a.tool, "args": a.args}}
	}
	body := map[string]any{
		"candidates": []any{map[string]any{
			"content": map[string]any{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0,
		}},
		"usageMetadata": map[string]any{
			"promptTokenCount": inputTokens, "candidatesTokenCount": outputTokens,
			"totalTokenCount": inputTokens + outputTokens, "cachedContentTokenCount": cachedTokens,
		},
		"modelVersion": r.Model, "responseId": callID(r),
	}
	if !r.Stream {
		writeJSON(w, http.StatusOK, body)
		return
	}
	startStream(w).send("", body)
}
