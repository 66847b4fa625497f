package vendor

import (
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
)

const reviewerAnswer = `{"role":"reviewer","task_id":"t1","status":"completed","verdict":"pass","summary":"fine","findings":[]}`

func TestCall(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name  string
		reply reply
		code  outcome.Code
		kind  string // of quota
		by    string
	}{
		{"QF-01_usage_limit_event_on_stdout", reply{stdout: `{"type":"error","message":"You have hit your usage limit"}`, exit: 1}, outcome.RoleQuotaExhausted, SpentPlan, StructuredEvent},
		{"QF-01_bad_flag", reply{stderr: "error: unexpected argument '--jsn' found", exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"QF-02_findings_that_talk_of_limits", reply{stdout: `{"role":"reviewer","task_id":"t1","status":"completed","verdict":"fail","summary":"the client ignores 429 and the usage limit","findings":[{"severity":"P1","message":"rate limit reached is not handled: session limit"}]}`, exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"QF-02_prose_on_stdout", reply{stdout: "I looked at the usage limit code and at 429 Too Many Requests.", exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"QF-02_codex_message_that_talks_of_limits", reply{stdout: `{"type":"thread.started","thread_id":"x"}` + "\n" + `{"type":"item.completed","item":{"type":"agent_message","text":"You've hit your usage limit"}}`, exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"QF-02_answer_with_a_key_named_error", reply{stdout: `{"role":"reviewer","task_id":"t1","status":"completed","error":"usage limit reached","summary":"s"}`, exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"QF-02_prose_that_announces_a_wait", reply{stdout: "The CLI prints: Retrying after 99999999ms, usage limit\n" + reviewerAnswer}, outcome.OK, "", ""},
		{"QF-03_envelope_that_is_no_error", reply{stdout: `{"type":"result","subtype":"success","is_error":false,"result":"The session limit is handled in limits.go."}`}, outcome.RoleArtifactUnparseable, "", ""},
		{"QF-03_envelope_that_is_no_error_exit_1", reply{stdout: `{"type":"result","subtype":"success","is_error":false,"result":"session limit"}`, exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"QF-04_session_limit_in_an_error_envelope", reply{stdout: `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your session limit · resets 11:25am (UTC)"}`, exit: 1}, outcome.RoleQuotaExhausted, SpentPlan, StructuredEvent},
		{"QF-04_the_same_with_exit_0", reply{stdout: `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your session limit"}`}, outcome.RoleQuotaExhausted, SpentPlan, StructuredEvent},
		{"QF-06_transient_429", reply{stdout: `{"type":"error","error":{"name":"APIError","message":"Rate limit reached for m. Please try again in 2s.","code":429}}`, exit: 1}, outcome.RoleRateLimited, RateLimit, StructuredEvent},
		{"QF-06_status_429_alone", reply{stdout: `{"type":"result","is_error":true,"subtype":"success","api_error_status":429,"result":"API Error: Request rejected (429) · This request would exceed your limit"}`, exit: 1}, outcome.RoleRateLimited, RateLimit, StructuredEvent},
		{"QF-06_stderr", reply{stderr: "error: 429 Too Many Requests", exit: 1}, outcome.RoleRateLimited, RateLimit, StderrText},
		{"QF-18_stderr", reply{stderr: "Error: max turns reached", exit: 1}, outcome.RoleTurnsExhausted, "", ""},
		{"QF-18_other_spelling", reply{stdout: "Reached maximum number of turns (3)", exit: 1}, outcome.RoleTurnsExhausted, "", ""},
		{"QF-18_error_envelope", reply{stdout: `{"type":"result","subtype":"error_max_turns","is_error":true,"errors":["Reached maximum number of turns (3)"],"total_cost_usd":0.2}`, exit: 1}, outcome.RoleTurnsExhausted, "", ""},
		{"QF-18_exit_0", reply{stderr: "Error: max turns reached"}, outcome.RoleTurnsExhausted, "", ""},
		{"QF-18_gemini_exit_53", reply{stdout: `{"type":"init","session_id":"s","model":"m"}`, exit: 53}, outcome.RoleTurnsExhausted, "", ""},
		{"QF-18_crash", reply{stderr: "panic: runtime error", exit: 2}, outcome.RoleCommandFailed, "", ""},
		{"QF-18_silence", reply{exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"QF-18_model_prose", reply{stdout: strings.Repeat("The loop ends once max turns reached is printed by the agent. ", 4), exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"credential_401", reply{stdout: `{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"Incorrect API key provided.","statusCode":401}}}`, exit: 1}, outcome.RoleCredentialRejected, "", ""},
		{"credential_403", reply{stdout: `{"type":"result","is_error":true,"subtype":"success","api_error_status":403,"result":"Failed to authenticate. API Error: 403"}`, exit: 1}, outcome.RoleCredentialRejected, "", ""},
		{"credential_gemini_exit", reply{stdout: `{"type":"init","session_id":"s","model":"m"}`, exit: 145}, outcome.RoleCredentialRejected, "", ""},
		{"credential_missing", reply{stderr: "ERROR: Missing environment variable: `FAKE_KEY`.", exit: 1}, outcome.RoleCredentialRejected, "", ""},
		{"server_error", reply{stdout: `{"type":"turn.failed","error":{"message":"unexpected status 500 Internal Server Error"}}`, exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"turn_failed_with_exit_0", reply{stdout: `{"type":"item.completed","item":{"type":"agent_message","text":` + quoteJSON(reviewerAnswer) + `}}` + "\n" + `{"type":"turn.failed","error":{"message":"stream disconnected"}}`}, outcome.RoleCommandFailed, "", ""},
		{"cancelled_permission_with_exit_0", reply{stdout: `{"text":"","stopReason":"cancelled","sessionId":"s"}`}, outcome.RoleArtifactUnparseable, "", ""},
		{"killed_for_its_time_with_a_full_success_envelope", reply{stdout: `{"type":"result","subtype":"success","is_error":false,"result":` + quoteJSON(reviewerAnswer) + `}`, timedOut: true}, outcome.RoleTimeout, "", ""},
		{"interrupted", reply{stdout: reviewerAnswer, canceled: true, exit: -1}, outcome.Interrupted, "", ""},
		{"codex_warning_and_reconnects_are_not_the_end", reply{stdout: `{"type":"item.completed","item":{"type":"error","message":"Model metadata not found"}}` + "\n" +
			`{"type":"error","message":"Reconnecting... 1/5 (unexpected status 429 Too Many Requests)"}` + "\n" +
			`{"type":"item.completed","item":{"type":"agent_message","text":` + quoteJSON(reviewerAnswer) + `}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":1}}`}, outcome.OK, "", ""},
		{"codex_error_that_the_turn_outlived", reply{stdout: `{"type":"error","message":"stream disconnected, usage limit unknown"}` + "\n" +
			`{"type":"item.completed","item":{"type":"agent_message","text":` + quoteJSON(reviewerAnswer) + `}}` + "\n" + `{"type":"turn.completed","usage":{"input_tokens":1}}`}, outcome.OK, "", ""},
		{"codex_retries_for_a_rate_limit_then_a_500", reply{stdout: `{"type":"thread.started","thread_id":"x"}` + "\n" + `{"type":"error","message":"Reconnecting... 1/5 (unexpected status 429 Too Many Requests)"}` + "\n" +
			`{"type":"turn.failed","error":{"message":"We’re currently experiencing high demand, which may cause temporary errors."}}`, exit: 1}, outcome.RoleCommandFailed, "", ""},
		{"opencode_answer_before_the_last_step", reply{stdout: `{"type":"text","sessionID":"s","part":{"text":` + quoteJSON(reviewerAnswer) + `}}` + "\n" + `{"type":"step_start","sessionID":"s","part":{}}` + "\n" +
			`{"type":"text","sessionID":"s","part":{"text":"I am not sure any more."}}`}, outcome.RoleArtifactUnparseable, "", ""},
		{"gemini_answer_before_a_tool", reply{stdout: `{"type":"init","session_id":"s","model":"m"}` + "\n" + `{"type":"message","role":"assistant","content":` + quoteJSON(reviewerAnswer) + `,"delta":true}` + "\n" +
			`{"type":"tool_result","status":"success"}` + "\n" + `{"type":"message","role":"assistant","content":"never mind","delta":true}`}, outcome.RoleArtifactUnparseable, "", ""},
		{"a_key_twice_is_no_answer", reply{stdout: `{"role":"reviewer","status":"aborted","status":"completed","verdict":"pass","findings":[]}`}, outcome.RoleArtifactUnparseable, "", ""},
		{"codex_typographic_apostrophe", reply{stdout: `{"type":"turn.failed","error":{"message":"You’ve hit your usage limit. Upgrade to Pro"}}`, exit: 1}, outcome.RoleQuotaExhausted, SpentPlan, StructuredEvent},
		{"codex_final_words_outrank_retries", reply{stdout: `{"type":"error","message":"Reconnecting... 5/5 (unexpected status 401 Unauthorized)"}` + "\n" + `{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: "}}`, exit: 1}, outcome.RoleCredentialRejected, "", ""},
		{"claude_rejected_window", reply{stdout: `{"type":"system","subtype":"init","model":"m"}` + "\n" + `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"five_hour"}}` + "\n" + `{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"API Error (429)"}`, exit: 1}, outcome.RoleQuotaExhausted, SpentPlan, StructuredEvent},
		{"opencode_insufficient_quota_in_the_body", reply{stdout: `{"type":"error","sessionID":"s","error":{"name":"APIError","data":{"message":"You exceeded your current quota","statusCode":429,"responseBody":"{\"error\":{\"code\":\"insufficient_quota\"}}"}}}`, exit: 1}, outcome.RoleQuotaExhausted, SpentPlan, StructuredEvent},
		{"gemini_quota_sentence_is_a_rate_limit", reply{stdout: `{"type":"init","session_id":"s","model":"m"}` + "\n" + `{"type":"result","status":"error","error":{"type":"unknown","message":"[API Error: {\"error\":{\"code\":429,\"message\":\"You exceeded your current quota\"}}]"}}`, exit: 173}, outcome.RoleRateLimited, RateLimit, StructuredEvent},
		{"gemini_daily_quota", reply{stdout: `{"type":"init","session_id":"s","model":"m"}`, stderr: "TerminalQuotaError: You have exhausted your daily quota on this model.", exit: 173}, outcome.RoleQuotaExhausted, SpentPlan, StderrText},
		{"gemini_announces_a_wait_beyond_the_limit", reply{stderr: "Attempt 1 failed: You have exhausted your capacity on this model. Your quota will reset after 2h.. Retrying after 7425209ms...", canceled: true, exit: -1}, outcome.RoleQuotaExhausted, SpentPlan, StderrText},
		{"an_announced_wait_without_a_word_of_a_plan", reply{stderr: "Retrying after 7425209ms...", canceled: true, exit: -1}, outcome.RoleRateLimited, RateLimit, StderrText},
		{"an_announced_wait_within_the_limit", reply{stdout: reviewerAnswer, stderr: "Retrying after 2000ms..."}, outcome.OK, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := settleReply(t, stubProfile(), c.reply)
			wantCode(t, got, c.code)
			switch {
			case c.kind == "" && got.Quota != nil:
				t.Errorf("quota %+v, want none", *got.Quota)
			case c.kind != "" && got.Quota == nil:
				t.Error("no quota was seen")
			case c.kind != "":
				if got.Quota.Kind != c.kind || got.Quota.DetectedBy != c.by || got.Quota.Signature == "" {
					t.Errorf("quota %+v, want %s by %s", *got.Quota, c.kind, c.by)
				}
			}
			if (got.Code == outcome.OK) != (got.Artifact != nil) {
				t.Errorf("code %s with artifact %s", got.Code, got.Artifact)
			}
		})
	}
}

func TestQuotaWords(t *testing.T) {
	t.Parallel()
	p := stubProfile()
	p.QuotaSignatures = []string{"No capacity available", "you've run dry"}
	event := func(text string) reply {
		return reply{stdout: `{"type":"error","message":` + quoteJSON(text) + `}`, exit: 1}
	}
	for _, c := range []struct {
		name  string
		reply reply
		code  outcome.Code
	}{
		{"QF-08_taught_phrase", event("no capacity available for this account"), outcome.RoleQuotaExhausted},
		{"QF-08_taught_phrase_with_another_apostrophe", event("You’ve run dry."), outcome.RoleQuotaExhausted},
		{"QF-08_built_in_phrase", event("Out of credits."), outcome.RoleQuotaExhausted},
		{"QF-08_unknown_phrase", event("the moon is in the wrong phase"), outcome.RoleCommandFailed},
		{"QF-08_disk_quota_table", reply{stderr: "reading the disk quota table of /home", exit: 1}, outcome.RoleCommandFailed},
		{"QF-08_disk_quota_exceeded", reply{stderr: "write: Disk quota exceeded", exit: 1}, outcome.RoleCommandFailed},
		{"QF-08_bare_word", reply{stderr: "quota: unknown command", exit: 1}, outcome.RoleCommandFailed},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			wantCode(t, settleReply(t, p, c.reply), c.code)
		})
	}
}

func TestQuotaMessage(t *testing.T) {
	t.Parallel()
	t.Run("QF-09_retry_time_stays_words", func(t *testing.T) {
		t.Parallel()
		const words = "You've hit your usage limit. Try again at 9:21 PM."
		got := settleReply(t, stubProfile(), reply{stdout: `{"type":"error","message":` + quoteJSON(words) + `}`, exit: 1})
		if got.Quota == nil || got.Quota.Message != words || got.Quota.Wait != 0 {
			t.Errorf("quota %+v, want the words and no instant", got.Quota)
		}
	})
	t.Run("QF-09_rate_limit_pause_in_plain_seconds", func(t *testing.T) {
		t.Parallel()
		for text, want := range map[string]int64{
			"Rate limit reached. Please try again in 2s.": 2000, "rate limit; retry after 1.5 seconds": 1500, "rate limit, retry after 250ms": 250,
			"rate limit, try again at 9:21 PM": 0, "rate limit, retry after 99999 seconds": 0, "rate limit": 0,
		} {
			got := settleReply(t, stubProfile(), reply{stdout: `{"type":"error","message":` + quoteJSON(text) + `}`, exit: 1})
			if got.Quota == nil || got.Quota.Wait.Milliseconds() != want {
				t.Errorf("%q: quota %+v, want a pause of %d ms", text, got.Quota, want)
			}
		}
	})
	t.Run("long_words_are_cut", func(t *testing.T) {
		t.Parallel()
		got := settleReply(t, stubProfile(), reply{stdout: `{"type":"error","message":` + quoteJSON("usage limit "+strings.Repeat("ä", 1000)) + `}`, exit: 1})
		if n := len(got.Quota.Message); n > maxMessage || n < maxMessage-4 {
			t.Errorf("message has %d bytes", n)
		}
	})
}

// The report of a failure shows both streams: either may hold the reason.
func TestFailureTails(t *testing.T) {
	t.Parallel()
	t.Run("PR-10_both_streams", func(t *testing.T) {
		t.Parallel()
		got := settleReply(t, stubProfile(), reply{stdout: "the reason: no such model", stderr: "deprecation noise", exit: 1})
		if !strings.Contains(got.StdoutTail, "the reason") || !strings.Contains(got.StderrTail, "noise") {
			t.Errorf("tails %q and %q", got.StdoutTail, got.StderrTail)
		}
	})
	t.Run("PR-14_prose_is_no_answer", func(t *testing.T) {
		t.Parallel()
		got := settleReply(t, stubProfile(), reply{stdout: "Looks good to me! I would approve this change."})
		wantCode(t, got, outcome.RoleArtifactUnparseable)
		if got.Artifact != nil || !strings.Contains(got.StdoutTail, "Looks good") {
			t.Errorf("artifact %s, tail %q", got.Artifact, got.StdoutTail)
		}
	})
}
