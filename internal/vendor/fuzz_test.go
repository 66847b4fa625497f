package vendor

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/usage"
)

// Whatever is accepted as an artifact reads back as itself and is no event.
func FuzzArtifact(f *testing.F) {
	for _, seed := range []string{reviewerAnswer, `{"result":` + quoteJSON(reviewerAnswer) + `}`, `{"a":1,"a":2}`, "{{{{", `x {"status":"a"} y {"b":[1e400,"ä"]}`,
		`{"type":"turn.completed"}`, `{"result":{"result":{"result":{"status":"x"}}}}`, "{\"status\":\"\xff\"}",
		strings.Repeat(`{"result":`, 9) + `{"x":1}` + strings.Repeat("}", 9)} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		got, ok := Artifact(text)
		if !ok {
			if got != nil {
				t.Fatalf("refused and returned %q", got)
			}
			return
		}
		if !utf8.Valid(got) || len(got) == 0 || got[0] != '{' {
			t.Fatalf("artifact %q is no object", got)
		}
		again, ok := Artifact(got)
		if !ok || !bytes.Equal(got, again) {
			t.Fatalf("artifact %q read back as %q, %t", got, again, ok)
		}
		o, ok := parseObject(got)
		if !ok || isEvent(o) {
			t.Fatalf("artifact %q is an event", got)
		}
	})
}

// Reading an envelope is total; it makes no number, answer or name up, and an
// envelope that reads as ended is never a success.
func FuzzEnvelope(f *testing.F) {
	answer := quoteJSON(reviewerAnswer)
	for _, seed := range []string{
		`{"type":"item.completed","item":{"type":"agent_message","text":` + answer + `}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":5}}`,
		`{"type":"result","subtype":"success","is_error":false,"result":` + answer + `,"total_cost_usd":1}`,
		`{"type":"init","session_id":"s","model":"m"}` + "\n" + `{"type":"message","role":"assistant","content":` + answer + `}`,
		`{"type":"text","sessionID":"s","part":{"text":` + answer + `}}`,
		`{"text":` + answer + `,"stopReason":"end_turn","sessionId":"x"}`, reviewerAnswer, "prose", `{"type":"error","message":"usage limit"}`,
	} {
		f.Add([]byte(seed), []byte(""))
		f.Add([]byte(""), []byte(seed))
	}
	f.Fuzz(func(t *testing.T, stdout, stderr []byte) {
		e := Read(stdout, stderr)
		if e.Dialect == "" {
			t.Fatal("no dialect")
		}
		for _, a := range []usage.Amount{e.Usage.CostUSD, e.Usage.Input, e.Usage.Output, e.Usage.Total, e.Usage.Turns} {
			if v, known := a.Get(); known && !(v >= 0) {
				t.Fatalf("amount %v", v)
			}
		}
		if len(bytes.TrimSpace(stdout)) == 0 && (e.Usage != usage.Call{} || e.Model != "" || e.SessionID != "" || e.Structured != nil) {
			t.Fatalf("an empty stdout says %+v", e)
		}
		if found, ok := artifact(e); ok && !json.Valid(found) {
			t.Fatalf("artifact %q", found)
		}
	})
}

// No free text on stdout is ever taken for an exhaustion, and what is found
// quotes words that were there.
func FuzzQuota(f *testing.F) {
	for _, seed := range []string{"usage limit", "You’ve hit your session limit", "disk quota exceeded", "429 Too Many Requests", "Retry after 5 seconds: rate limit"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !strings.Contains(text, "{") {
			e := Read([]byte(text), nil)
			if q := quota(e.Failures, nil, nil); q != nil {
				t.Fatalf("prose on stdout gave %+v", q)
			}
		}
		message := quoteJSON(text)
		e := Read([]byte(`{"type":"error","message":`+message+`}`), nil)
		q := quota(e.Failures, nil, nil)
		if q == nil {
			return
		}
		if q.Kind != SpentPlan && q.Kind != RateLimit || q.DetectedBy != StructuredEvent {
			t.Fatalf("quota %+v", q)
		}
		if len(q.Message) > maxMessage || !utf8.ValidString(q.Message) {
			t.Fatalf("message %q", q.Message)
		}
		if q.Signature != "status 429" && !strings.Contains(fold(strings.ToValidUTF8(text, "\uFFFD")), q.Signature) {
			t.Fatalf("signature %q does not stand in %q", q.Signature, text)
		}
		if q.Wait < 0 || q.Wait.Minutes() > 15 {
			t.Fatalf("pause %s", q.Wait)
		}
	})
}
