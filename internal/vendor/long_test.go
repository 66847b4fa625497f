package vendor

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/proc"
)

// noise is what the CLIs print while they work, a kibibyte a line, and what they
// print that is no event.
var noise = map[string]string{
	"codex":     `{"type":"item.completed","item":{"id":"item_9","type":"command_execution","aggregated_output":"%s","exit_code":0}}`,
	"claude":    `{"type":"user","message":{"content":[{"type":"tool_result","content":"%s"}]}}`,
	"gemini":    `{"type":"message","role":"user","content":"%s"}`,
	"opencode":  `{"type":"tool_use","sessionID":"ses_1","part":{"state":{"output":"%s"}}}`,
	"grok":      `{"type":"thought","data":"%s"}`,
	genericName: `reading the repository: %s`,
}

// longWork is more noise than is kept of both ends of a stream.
func longWork(dialect string) string {
	line := fmt.Sprintf(noise[dialect], strings.Repeat("x", 1<<10)) + "\n"
	return strings.Repeat(line, (maxOutput+maxAnswer)/(1<<10)+500)
}

// printing is a program that prints the texts, from files.
func printing(t *testing.T, stdout, stderr string, exit int) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"out": stdout, "err": stderr} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return script(t, fmt.Sprintf("cat '%[1]s/err' >&2; cat '%[1]s/out'; exit %[2]d", dir, exit))
}

// A vendor may work for hours before it answers. The answer, and what it cost, are
// read from a stream of which only the ends are kept.
func TestLongStream(t *testing.T) {
	t.Parallel()
	answer := strings.Replace(reviewerAnswer, `"summary":"`, `"summary":"`+strings.Repeat("Word for word. ", 7000), 1)
	if len(answer) < 100<<10 {
		t.Fatalf("the answer has %d bytes; its line should be longer than those that proc hands on by itself", len(answer))
	}
	for _, c := range dialectCases(answer) {
		t.Run("PR-12_"+strings.TrimPrefix(c.name, "PR-12_"), func(t *testing.T) {
			t.Parallel()
			parts := strings.SplitAfter(strings.TrimSuffix(c.stdout, "\n"), "\n")
			if c.dialect == genericName {
				parts = []string{c.stdout}
			}
			work := longWork(c.dialect)
			long := work + strings.Join(parts, "")
			if len(parts) > 1 { // a stream: the work goes on between all of its events
				long = parts[0] + strings.Join(parts[1:], work)
			}
			got := call(t, Call{Profile: stubProfile(), Dir: t.TempDir(), Env: printing(t, long, "", 0)})
			wantCode(t, got, outcome.OK)
			if got.Code == outcome.OK {
				c.check(t, got, answer)
			}
			if !got.Truncated || len(got.Stdout) > maxOutput+maxAnswer+1 {
				t.Errorf("truncated %t, %d bytes kept", got.Truncated, len(got.Stdout))
			}
		})
	}
}

// Why a call failed is found by its structure wherever in a long stream it stands.
func TestLongStreamOfAFailedCall(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		dialect, line, stderr string
		want                  outcome.Code
	}{
		"QF_codex spent plan":    {"codex", `{"type":"turn.failed","error":{"message":"You've hit your usage limit."}}`, "", outcome.RoleQuotaExhausted},
		"QF_codex rate limit":    {"codex", `{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}`, "", outcome.RoleRateLimited},
		"QF_claude spent plan":   {"claude", `{"type":"system","subtype":"init","session_id":"s1"}` + "\n" + `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"five_hour"}}`, "", outcome.RoleQuotaExhausted},
		"QF_gemini rate limit":   {"gemini", `{"type":"result","status":"error","error":{"code":429,"message":"RESOURCE_EXHAUSTED"}}`, "", outcome.RoleRateLimited},
		"QF_opencode spent":      {"opencode", `{"type":"error","sessionID":"ses_1","error":{"name":"APIError","data":{"message":"no","statusCode":429,"responseBody":"insufficient_quota"}}}`, "", outcome.RoleQuotaExhausted},
		"QF_grok rate limit":     {"grok", `{"type":"error","message":"API error (status 429)"}`, "", outcome.RoleRateLimited},
		"QF_on stderr":           {"codex", `{"type":"turn.started"}`, `{"error":{"code":"insufficient_quota","message":"no"}}`, outcome.RoleQuotaExhausted},
		"BU-02_turns, a line":    {genericName, "Max turns reached", "", outcome.RoleTurnsExhausted},
		"PR-12_none of them":     {"codex", `{"type":"turn.started"}`, "", outcome.RoleCommandFailed},
		"QF_what a tool printed": {"codex", `{"type":"item.completed","item":{"type":"command_execution","aggregated_output":"usage limit, 429 Too Many Requests"}}`, "", outcome.RoleCommandFailed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			work, beside := longWork(c.dialect), ""
			if c.stderr != "" {
				quiet := longWork(genericName)
				beside = quiet + c.stderr + "\n" + quiet
			}
			got := call(t, Call{Profile: stubProfile(), Dir: t.TempDir(), Env: printing(t, work+c.line+"\n"+work, beside, 1)})
			wantCode(t, got, c.want)
			if quota := c.want == outcome.RoleQuotaExhausted || c.want == outcome.RoleRateLimited; quota && (got.Quota == nil || got.Quota.DetectedBy != StructuredEvent) {
				t.Errorf("quota %+v", got.Quota)
			}
		})
	}
}

// However much is said, what is kept of it while it is read has a bound.
func TestReadingIsBounded(t *testing.T) {
	t.Parallel()
	const many = 2_000
	words := strings.Repeat("word ", 200)
	r := newReading()
	for n := range many {
		r.line(stdoutName, []byte(fmt.Sprintf(`{"type":"item.completed","item":{"type":"agent_message","text":"%d %s"}}`, n, words)))
		r.line(stdoutName, []byte(fmt.Sprintf(`{"type":"error","message":"Reconnecting... %d/5"}`, n)))
		r.line(stdoutName, []byte(`{"type":"text","data":"`+words+`"}`))
		r.line(stderrName, []byte(`{"type":"error","message":"`+words+`"}`))
		if n == many/2 {
			r.line(stdoutName, []byte(`{"type":"turn.failed","error":{"message":"the one that ended it"}}`))
		}
	}
	e := r.envelope(proc.Output{}, proc.Output{})
	if len(e.Answers) != maxAnswers || bytesOf(e.Answers) > maxTexts || !strings.HasPrefix(e.Answers[0], fmt.Sprint(many-1)) {
		t.Errorf("%d answers of %d bytes, the first %.20q", len(e.Answers), bytesOf(e.Answers), e.Answers[0])
	}
	if len(e.Failures) != maxFailures || lastWords(e) != "the one that ended it" {
		t.Errorf("%d failures, %q", len(e.Failures), lastWords(e))
	}
	large := strings.Repeat("w", maxAnswer+1)
	for range 8 {
		e.newest(large)
	}
	if n := bytesOf(e.Answers); n != maxTexts {
		t.Errorf("%d bytes of answers", n)
	}
	for _, n := range r.rows {
		if n.name == "grok" {
			n.end()
			if len(n.e.Answers) != 1 || len(n.e.Answers[0]) != maxAnswer {
				t.Errorf("%d answers in pieces", len(n.e.Answers))
			}
		}
	}
}

// What is kept of the two ends holds nothing twice.
func TestWhole(t *testing.T) {
	t.Parallel()
	text := "0123456789"
	for keep := 1; keep <= len(text); keep++ {
		o := proc.Output{Bytes: []byte(text[:keep]), Tail: []byte(text[7:]), Truncated: keep < len(text), Total: int64(len(text))}
		want := text
		if keep < 7 {
			want = text[:keep] + "\n" + text[7:]
		}
		if got := string(whole(o)); got != want {
			t.Errorf("of %d bytes at the beginning: %q, want %q", keep, got, want)
		}
	}
}
