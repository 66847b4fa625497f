package vendor

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/usage"
)

func quoteJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""`
	}
	return string(b)
}

func lines(l ...string) string { return strings.Join(l, "\n") + "\n" }

// One success of each dialect, as the CLI prints it.
// dialectCase is one way in which one CLI prints an answer.
type dialectCase struct {
	name    string
	stdout  string
	dialect string
	usage   usage.Call
	model   string
	session string
	stop    string
}

// dialectCases are the ways in which a text is printed as the answer.
func dialectCases(text string) []dialectCase {
	answer := quoteJSON(text)
	k := usage.Known
	return []dialectCase{
		{"PR-12_codex_last_message_not_last_event", lines(
			`{"type":"thread.started","thread_id":"01a2"}`, `{"type":"turn.started"}`,
			`{"type":"item.completed","item":{"id":"item_0","type":"agent_message","text":"I will look first. {\"status\":\"draft\"}"}}`,
			`{"type":"item.completed","item":{"id":"item_1","type":"command_execution","command":"ls","aggregated_output":"{\"status\":\"from a tool\"}","exit_code":0}}`,
			`{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":`+answer+`}}`,
			`{"type":"turn.completed","usage":{"input_tokens":2003,"cached_input_tokens":800,"output_tokens":100}}`),
			"codex", usage.Call{Input: k(2003), Output: k(100)}, "", "01a2", "turn.completed"},
		{"claude_stream", lines(
			`{"type":"system","subtype":"init","session_id":"s1","model":"claude-opus-4-8[1m]"}`,
			`{"type":"assistant","message":{"content":[{"type":"text","text":"{\"status\":\"draft\"}"}]}}`,
			`{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":`+answer+`,"stop_reason":"end_turn","session_id":"s1","total_cost_usd":0.013515,"usage":{"input_tokens":2073,"cache_read_input_tokens":800,"output_tokens":100},"modelUsage":{"claude-opus-4-8[1m]":{"costUSD":0.013515}}}`),
			"claude", usage.Call{CostUSD: k(0.013515), Input: k(2073), Output: k(100), Turns: k(2)}, "claude-opus-4-8[1m]", "s1", "end_turn"},
		{"claude_structured_output", lines(
			`{"type":"result","subtype":"success","is_error":false,"num_turns":1,"result":"done","structured_output":` + text + `,"session_id":"s1","total_cost_usd":0}`),
			"claude", usage.Call{CostUSD: k(0), Turns: k(1)}, "", "s1", "success"},
		{"gemini_deltas_after_the_last_tool_result", lines(
			`{"type":"init","session_id":"g1","model":"gemini-2.5-pro"}`,
			`{"type":"message","role":"user","content":"{\"status\":\"asked\"}"}`,
			`{"type":"message","role":"assistant","content":"{\"status\":\"early\"}","delta":true}`,
			`{"type":"tool_use","tool_name":"read_file"}`, `{"type":"tool_result","status":"success"}`,
			`{"type":"message","role":"assistant","content":`+quoteJSON(text[:40])+`,"delta":true}`,
			`{"type":"message","role":"assistant","content":`+quoteJSON(text[40:])+`,"delta":true}`,
			`{"type":"result","status":"success","stats":{"total_tokens":2397,"input_tokens":2297,"output_tokens":100,"cached":800}}`),
			"gemini", usage.Call{Input: k(2297), Output: k(100), Total: k(2397)}, "gemini-2.5-pro", "g1", "success"},
		{"gemini_json", `{"session_id":"g1","response":` + answer + `,"stats":{"models":{"gemini-2.5-pro":{}}}}`,
			"gemini", usage.Call{}, "gemini-2.5-pro", "g1", ""},
		{"opencode_sums_over_steps", lines(
			`{"type":"step_start","sessionID":"ses_1","part":{}}`,
			`{"type":"text","sessionID":"ses_1","part":{"type":"text","text":"{\"status\":\"early\"}"}}`,
			`{"type":"step_finish","sessionID":"ses_1","part":{"reason":"tool-calls","tokens":{"total":1225,"input":775,"output":50,"cache":{"read":400}},"cost":0.000875}}`,
			`{"type":"step_start","sessionID":"ses_1","part":{}}`,
			`{"type":"text","sessionID":"ses_1","part":{"type":"text","text":`+answer+`}}`,
			`{"type":"step_finish","sessionID":"ses_1","part":{"reason":"stop","tokens":{"total":25,"input":20,"output":5},"cost":0.000125}}`),
			"opencode", usage.Call{CostUSD: k(0.001), Input: k(795), Output: k(55), Total: k(1250), Turns: k(2)}, "", "ses_1", "stop"},
		{"grok_json", `{"text":` + answer + `,"stopReason":"end_turn","sessionId":"x1","usage":{"input_tokens":1213,"output_tokens":100,"total_tokens":2113},"num_turns":2,"total_cost_usd":0.0024691356,"modelUsage":{"grok-4.6":{}}}`,
			"grok", usage.Call{CostUSD: k(0.0024691356), Input: k(1213), Output: k(100), Total: k(2113), Turns: k(2)}, "grok-4.6", "x1", "end_turn"},
		{"grok_streaming_without_a_cost", lines(
			`{"type":"tool_call","toolName":"read_file","rawInput":{}}`, `{"type":"text","data":`+quoteJSON(text[:9])+`}`, `{"type":"text","data":`+quoteJSON(text[9:])+`}`,
			`{"type":"end","stopReason":"end_turn","sessionId":"x1","usage":{"input_tokens":7,"output_tokens":3},"num_turns":1}`),
			"grok", usage.Call{Input: k(7), Output: k(3), Turns: k(1)}, "", "x1", "end_turn"},
		{"generic_artifact_alone", text, "generic", usage.Call{}, "", "", ""},
		{"generic_camel_case_envelope", `{"totalCostUsd":0.5,"numTurns":3,"sessionId":"z","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3},"output":` + answer + `}`,
			"generic", usage.Call{CostUSD: k(0.5), Turns: k(3), Input: k(1), Output: k(2), Total: k(3)}, "", "z", ""},
		{"generic_prose_with_a_fenced_object", "Here you are:\n```json\n" + text + "\n```\n", "generic", usage.Call{}, "", "", ""},
		{"generic_negative_cost_is_unknown", `{"total_cost_usd":-1,"result":` + answer + `}`, "generic", usage.Call{}, "", "", ""},
	}
}

func TestDialects(t *testing.T) {
	t.Parallel()
	for _, c := range dialectCases(reviewerAnswer) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := settleReply(t, stubProfile(), reply{stdout: c.stdout})
			wantCode(t, got, outcome.OK)
			c.check(t, got, reviewerAnswer)
		})
	}
}

// check compares what was read with what was printed.
func (c dialectCase) check(t *testing.T, got Result, answer string) {
	t.Helper()
	if got.Dialect != c.dialect || got.Model != c.model || got.SessionID != c.session || got.StopReason != c.stop {
		t.Errorf("dialect %q model %q session %q stop %q", got.Dialect, got.Model, got.SessionID, got.StopReason)
	}
	if diff := cmp.Diff(c.usage, got.Usage, cmp.AllowUnexported(usage.Amount{})); diff != "" {
		t.Errorf("usage: %s", diff)
	}
	if diff := cmp.Diff(decode(t, []byte(answer)), decode(t, got.Artifact)); diff != "" {
		t.Errorf("artifact: %s", diff)
	}
}

func decode(t *testing.T, b []byte) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("decode %s: %v", b, err)
	}
	return v
}

// TestUsageThatIsNone: a server that states a price which no call can have has stated
// none.
func TestUsageThatIsNone(t *testing.T) {
	t.Parallel()
	o, ok := parseObject([]byte(`{"usage":{"prompt_tokens":1.7e308,"completion_tokens":-5,"cost":1e16}}`))
	if !ok {
		t.Fatal("no object")
	}
	if got := accountOf(o); got != (usage.Call{}) {
		t.Errorf("reported: %+v", got)
	}
}

// What a call cost is read whatever became of it.
func TestUsageOfAFailedCall(t *testing.T) {
	t.Parallel()
	envelope := `{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (3)"],"total_cost_usd":1.33,"num_turns":3,"usage":{"input_tokens":900,"output_tokens":80}}`
	for name, r := range map[string]reply{
		"BU-03_turn_ceiling": {stdout: envelope, exit: 1},
		"BU-03_timeout":      {stdout: envelope, timedOut: true},
		"BU-03_interrupted":  {stdout: envelope, canceled: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := settleReply(t, stubProfile(), r)
			if got.Code == outcome.OK {
				t.Fatal("the call passed")
			}
			want := usage.Call{CostUSD: usage.Known(1.33), Turns: usage.Known(3), Input: usage.Known(900), Output: usage.Known(80)}
			if diff := cmp.Diff(want, got.Usage, cmp.AllowUnexported(usage.Amount{})); diff != "" {
				t.Error(diff)
			}
		})
	}
	t.Run("BU-03_silence_is_unknown_not_free", func(t *testing.T) {
		t.Parallel()
		got := settleReply(t, stubProfile(), reply{exit: 1})
		if _, known := got.Usage.CostUSD.Get(); known {
			t.Error("a price was made up")
		}
	})
}
