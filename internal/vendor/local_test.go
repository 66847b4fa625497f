package vendor

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/redact"
	"github.com/tolboy/warden/internal/usage"
)

const serverKey = "local-canary-7f31c09e5a"

// server answers as it is told, and counts how often it was asked.
func server(t *testing.T, answer http.HandlerFunc) (policy.Profile, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return policy.Profile{Name: "near", Role: "reviewer", Vendor: "near-house", Runner: "local", Endpoint: s.URL + "/v1", Model: "m-1", ReadOnly: true,
		APIKeyEnv: []string{"NEAR_KEY"}, WallClock: time.Minute}, &asked
}

func status(code int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

// said is a whole answer with these words.
func said(words string, more ...string) string {
	content, _ := json.Marshal(words)
	return `{"id":"c-1","model":"m-1-0930","choices":[{"index":0,"message":{"role":"assistant","content":` + string(content) + `},"finish_reason":"stop"}]` + strings.Join(more, "") + `}`
}

func asks(t *testing.T, p policy.Profile, env ...string) Result {
	t.Helper()
	return call(t, Call{Profile: p, Prompt: []byte("read this"), Dir: t.TempDir(), Env: append([]string{"NEAR_KEY=" + serverKey}, env...)})
}

func TestLocal(t *testing.T) {
	t.Parallel()
	type request struct {
		Model    string
		Messages []struct{ Role, Content string }
		Stream   bool
	}
	var got request
	var path, auth string
	p, _ := server(t, func(w http.ResponseWriter, r *http.Request) {
		path, auth = r.Method+" "+r.URL.Path, r.Header.Get("Authorization")
		if err := json.NewDecoder(r.Body).Decode(&got); err != nil {
			t.Error(err)
		}
		_, _ = io.WriteString(w, said("Here it is:\n```json\n"+reviewerAnswer+"\n```", `,"usage":{"prompt_tokens":120,"completion_tokens":30,"total_tokens":150,"cost":0.0025}`))
	})
	res := asks(t, p)
	wantCode(t, res, outcome.OK)
	want := request{Model: "m-1", Messages: []struct{ Role, Content string }{{"user", "read this"}}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if path != "POST /v1/chat/completions" || auth != "Bearer "+serverKey {
		t.Errorf("asked %q with %q", path, auth)
	}
	spent := usage.Call{CostUSD: usage.Known(0.0025), Input: usage.Known(120), Output: usage.Known(30), Total: usage.Known(150), Turns: usage.Known(1)}
	if diff := cmp.Diff(spent, res.Usage, cmp.AllowUnexported(usage.Amount{})); diff != "" {
		t.Errorf("usage (-want +got):\n%s", diff)
	}
	if res.Model != "m-1-0930" || res.SessionID != "c-1" || res.StopReason != "stop" || !res.ModelPassed || len(res.Artifact) == 0 {
		t.Errorf("result %+v", res)
	}
	if text := strings.Join(res.Argv, " "); text != "POST "+p.Endpoint+"/chat/completions model=m-1 <prompt>" {
		t.Errorf("shown as %q", text)
	}
	if err := New().Available(p, nil); err != nil {
		t.Errorf("a server that needs no program is not available: %v", err)
	}
}

// What a server says of a failure decides before the words in it do, and what the
// model says decides nothing.
func TestLocalFaults(t *testing.T) {
	t.Parallel()
	openAI := func(code int, kind, word, text string) http.HandlerFunc {
		return status(code, fmt.Sprintf(`{"error":{"type":%q,"code":%q,"message":%q}}`, kind, word, text))
	}
	tests := []struct {
		name   string
		answer http.HandlerFunc
		want   outcome.Code
		kind   string
		says   string
	}{
		{"QF-06_rate_limit", openAI(429, "requests", "rate_limit_exceeded", "Rate limit reached. Please try again in 2s."), outcome.RoleRateLimited, RateLimit, "Rate limit reached"},
		{"QF-04_spent_plan", openAI(429, "insufficient_quota", "insufficient_quota", "You exceeded your current quota, please check your plan and billing details."), outcome.RoleQuotaExhausted, SpentPlan, "exceeded"},
		{"payment_required", openAI(402, "", "", "Insufficient Balance"), outcome.RoleQuotaExhausted, SpentPlan, "Insufficient Balance"},
		{"429_without_an_object", status(429, "<html>busy: your usage limit page</html>"), outcome.RoleRateLimited, RateLimit, "429"},
		{"bad_key", openAI(401, "invalid_request_error", "invalid_api_key", "Incorrect API key provided."), outcome.RoleCredentialRejected, "", "401"},
		{"forbidden", status(403, ""), outcome.RoleCredentialRejected, "", "403"},
		{"server_error", openAI(500, "server_error", "server_error", "The server had an error."), outcome.RoleLocalHTTPError, "", "HTTP 500"},
		{"QF-02_page_that_talks_of_limits", status(500, "<html>rate limit, session limit, quota exceeded</html>"), outcome.RoleLocalHTTPError, "", "HTTP 500"},
		{"unknown_model", openAI(404, "not_found_error", "model_not_found", "no such model"), outcome.RoleLocalHTTPError, "", "no such model"},
		{"flat_error_object", status(400, `{"object":"error","message":"maximum context length is 4096","type":"BadRequestError","code":400}`), outcome.RoleLocalHTTPError, "", "maximum context length"},
		{"error_in_a_200", status(200, `{"error":{"code":429,"message":"upstream is busy"}}`), outcome.RoleRateLimited, RateLimit, "upstream is busy"},
		{"429_behind_a_500", status(500, `{"error":{"code":429,"message":"upstream is busy"}}`), outcome.RoleRateLimited, RateLimit, "upstream is busy"},
		{"not_json", status(200, "<html>welcome</html>"), outcome.RoleLocalUnreadable, "", "no JSON object"},
		{"no_choices", status(200, `{"choices":[]}`), outcome.RoleLocalUnreadable, "", "choices[0].message.content"},
		{"tool_call", status(200, `{"choices":[{"message":{"content":null,"tool_calls":[{}]},"finish_reason":"tool_calls"}]}`), outcome.RoleLocalUnreadable, "", "tool_calls"},
		{"too_long", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, said(strings.Repeat("x", maxReply)))
		}, outcome.RoleLocalUnreadable, "", "longer than"},
		{"broken_off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, said(reviewerAnswer))
		}, outcome.RoleLocalUnreadable, "", "broke off"},
		{"PR-14_prose", status(200, said("It looks fine to me.")), outcome.RoleArtifactUnparseable, "", "without a JSON object"},
		{"QF-03_prose_about_limits", status(200, said("429 too many requests, usage limit, session limit")), outcome.RoleArtifactUnparseable, "", "without a JSON object"},
		{"half_an_answer", status(200, strings.Replace(said(`{"role":"reviewer","findings":[{"status":"x"}`), `"stop"`, `"length"`, 1)), outcome.RoleArtifactUnparseable, "", "limit of tokens"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p, asked := server(t, tt.answer)
			got := asks(t, p)
			wantCode(t, got, tt.want)
			if !strings.Contains(got.Detail, tt.says) {
				t.Errorf("detail %q does not say %q", got.Detail, tt.says)
			}
			switch {
			case tt.kind == "" && got.Quota != nil:
				t.Errorf("quota %+v", got.Quota)
			case tt.kind != "" && (got.Quota == nil || got.Quota.Kind != tt.kind || got.Quota.DetectedBy != StructuredEvent):
				t.Errorf("quota %+v, want %s", got.Quota, tt.kind)
			}
			if got.Artifact != nil || asked.Load() != 1 || tt.want != outcome.OK && len(got.Stdout) > 0 && got.StdoutTail == "" {
				t.Errorf("artifact %s, asked %d times, tail %q", got.Artifact, asked.Load(), got.StdoutTail)
			}
		})
	}
}

// What nobody reported is unknown, and a reported zero is zero.
func TestLocalCounts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		more string
		want usage.Call
	}{
		"silent":   {"", usage.Call{Turns: usage.Known(1)}},
		"free":     {`,"usage":{"prompt_tokens":3,"completion_tokens":0,"cost":0}`, usage.Call{CostUSD: usage.Known(0), Input: usage.Known(3), Output: usage.Known(0), Turns: usage.Known(1)}},
		"nonsense": {`,"usage":{"prompt_tokens":-3,"completion_tokens":"many","cost":null}`, usage.Call{Turns: usage.Known(1)}},
	} {
		p, _ := server(t, status(200, said(reviewerAnswer, tt.more)))
		if diff := cmp.Diff(tt.want, asks(t, p).Usage, cmp.AllowUnexported(usage.Amount{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestLocalTime(t *testing.T) {
	t.Parallel()
	hang := func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client goes
		_, _ = io.WriteString(w, `{"choices":[`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}
	p, _ := server(t, hang)
	got := call(t, Call{Profile: p, Dir: t.TempDir(), Env: []string{"NEAR_KEY=" + serverKey}, Limit: 200 * time.Millisecond})
	wantCode(t, got, outcome.RoleTimeout)
	if !got.TimedOut || got.Duration > 20*time.Second {
		t.Errorf("timed out %t after %s", got.TimedOut, got.Duration)
	}
	p, _ = server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		status(429, `{"error":{"message":"slow down"}}`)(w, nil)
	})
	if got := asks(t, p); got.Quota == nil || got.Quota.Wait != 7*time.Second {
		t.Errorf("quota %+v, want a pause of 7 s", got.Quota)
	}
	for header, want := range map[string]time.Duration{"": 0, "900": 15 * time.Minute, "901": 0, "-1": 0, "99999999999": 0, "Wed, 21 Oct 2026 07:28:00 GMT": 0} {
		if got := retryAfter(header); got != want {
			t.Errorf("Retry-After %q is %s, want %s", header, got, want)
		}
	}
}

// SE-03: the key goes to its server in one header, and is nowhere else, also when
// the server sends it back.
func TestLocalKey(t *testing.T) {
	t.Parallel()
	reflects := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(code)
			_, _ = io.WriteString(w, `{"error":{"message":"you sent `+r.Header.Get("Authorization")+`"},"id":"`+strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")+`"}`)
		}
	}
	for _, code := range []int{200, 401, 429, 500} {
		t.Run(fmt.Sprintf("SE-03_reflected_in_a_%d", code), func(t *testing.T) {
			t.Parallel()
			p, _ := server(t, reflects(code))
			got := asks(t, p)
			all := fmt.Sprintf("%+v %s %+v", got, got.Stdout, got.Quota)
			if strings.Contains(all, serverKey) {
				t.Errorf("the key is in %s", all)
			}
			if !strings.Contains(string(got.Stdout), redact.Mark) || !strings.Contains(got.Detail, redact.Mark) && code != 401 {
				t.Errorf("no mark where the key was: %s", all)
			}
		})
	}
	t.Run("SE-03_redirect", func(t *testing.T) {
		t.Parallel()
		var led atomic.Int32
		other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { led.Add(1) }))
		t.Cleanup(other.Close)
		for _, code := range []int{301, 307, 308} {
			p, _ := server(t, func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL, code) })
			got := asks(t, p)
			wantCode(t, got, outcome.RoleLocalHTTPError)
		}
		if led.Load() != 0 {
			t.Error("a redirect was followed")
		}
	})
	t.Run("missing", func(t *testing.T) {
		t.Parallel()
		p, asked := server(t, status(200, said(reviewerAnswer)))
		for name, env := range map[string]string{"unset": "A=b", "empty": "NEAR_KEY=", "blank": "NEAR_KEY=  ", "broken": "NEAR_KEY=abc\ndefghijk", "short": "NEAR_KEY=abc"} {
			got := call(t, Call{Profile: p, Dir: t.TempDir(), Env: []string{env}})
			wantCode(t, got, outcome.RoleLocalKeyMissing)
			if strings.Contains(got.Detail, "abc") {
				t.Errorf("%s: the detail holds the value: %s", name, got.Detail)
			}
		}
		if asked.Load() != 0 {
			t.Error("the server was asked without a key")
		}
		p.APIKeyEnv = nil
		wantCode(t, call(t, Call{Profile: p, Dir: t.TempDir()}), outcome.OK)
	})
}

func TestLocalUnreachable(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	p, _ := server(t, status(200, ""))
	p.Endpoint = gone.URL
	got := asks(t, p)
	wantCode(t, got, outcome.RoleLocalUnreachable)
	if got.ExitCode != 0 || strings.Contains(got.Detail, serverKey) {
		t.Errorf("result %+v", got)
	}
}

func TestCompletions(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"http://h/v1":                         "http://h/v1/chat/completions",
		"http://h/v1/":                        "http://h/v1/chat/completions",
		"http://h:1":                          "http://h:1/chat/completions",
		"https://h/v1/chat/completions":       "https://h/v1/chat/completions",
		"https://h/d/m?api-version=2026-01-0": "https://h/d/m/chat/completions?api-version=2026-01-0",
	} {
		if got, err := completions(in); err != nil || got != want {
			t.Errorf("%s gives %s, %v; want %s", in, got, err, want)
		}
	}
}

// Whatever a server sends, the reading is total, and only whole JSON is an answer.
func FuzzLocalAnswer(f *testing.F) {
	f.Add(200, []byte(said(reviewerAnswer)), "")
	f.Add(200, []byte(`{"choices":[{"message":{"content":"{}"}}]}`), "")
	f.Add(429, []byte(`{"error":{"error":{"error":"x"}}}`), "5")
	f.Add(500, []byte("\xff"), "x")
	f.Fuzz(func(t *testing.T, code int, body []byte, header string) {
		var out Result
		end := answered(served{status: code, body: body, wait: retryAfter(header)}, []string{"sig"}, &out)
		if end.code == "" || (end.code == outcome.OK) != (out.Artifact != nil) {
			t.Fatalf("code %q with artifact %q", end.code, out.Artifact)
		}
		if end.code == outcome.OK && (code < 200 || code > 299) {
			t.Fatalf("HTTP %d is an answer", code)
		}
	})
}
