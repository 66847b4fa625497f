package fakemodel

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func post(t *testing.T, url, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(data)
}

// One conversation of each wire format: a tool call first, the last word once the
// tool's result is in.
func TestConversation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ path, first, second, tool string }{
		"responses": {"/v1/responses",
			`{"model":"m","stream":true,"tools":[{"type":"custom","name":"apply_patch"}],"input":[{"role":"user","content":[{"type":"input_text","text":"do it"}]}]}`,
			`{"model":"m","stream":true,"tools":[{"type":"custom","name":"apply_patch"}],"input":[{"type":"custom_tool_call_output","output":"ok"}]}`, "custom_tool_call"},
		"chat": {"/v1/chat/completions",
			`{"model":"m","stream":true,"tools":[{"type":"function","function":{"name":"write"}}],"messages":[{"role":"user","content":"do it"}]}`,
			`{"model":"m","tools":[{"type":"function","function":{"name":"write"}}],"messages":[{"role":"tool","content":"ok"}]}`, `"tool_calls"`},
		"messages": {"/v1/messages",
			`{"model":"m","stream":true,"tools":[{"name":"Write"}],"messages":[{"role":"user","content":"do it"}]}`,
			`{"model":"m","tools":[{"name":"Write"}],"messages":[{"role":"user","content":[{"type":"tool_result","content":"ok"}]}]}`, "tool_use"},
		"gemini": {"/v1beta/models/m:streamGenerateContent",
			`{"tools":[{"functionDeclarations":[{"name":"write_file"}]}],"contents":[{"role":"user","parts":[{"text":"do it"}]}]}`,
			`{"tools":[{"functionDeclarations":[{"name":"write_file"}]}],"contents":[{"role":"user","parts":[{"functionResponse":{"name":"write_file"}}]}]}`, "functionCall"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := New(Script(Turn{Edit: &Edit{Path: "/r/hello.txt", Content: "hello\n"}}, Turn{Text: "the last word"}))
			t.Cleanup(s.Close)
			for range 2 { // who tries again gets the same turn
				status, body := post(t, s.URL()+c.path, c.first)
				if status != http.StatusOK || !strings.Contains(body, c.tool) || !strings.Contains(body, "hello.txt") {
					t.Errorf("status %d:\n%s", status, body)
				}
			}
			if status, body := post(t, s.URL()+c.path, c.second); status != http.StatusOK || !strings.Contains(body, "the last word") {
				t.Errorf("status %d:\n%s", status, body)
			}
			turns := s.Turns()
			if len(turns) != 3 || turns[0].API != name || turns[0].Model != "m" || turns[0].Prompt != "do it" || turns[2].Results != 1 {
				t.Errorf("seen %+v", turns)
			}
		})
	}
}

func TestSideCalls(t *testing.T) {
	t.Parallel()
	s := New(Script(Turn{Text: "work"}))
	t.Cleanup(s.Close)
	if status, body := post(t, s.URL()+"/v1/chat/completions", `{"model":"m","messages":[{"role":"user","content":"title?"}]}`); status != http.StatusOK || !strings.Contains(body, "title") {
		t.Errorf("status %d: %s", status, body)
	}
	if len(s.Turns()) != 0 || len(s.Requests()) != 1 {
		t.Errorf("turns %d of %d requests", len(s.Turns()), len(s.Requests()))
	}
}

func TestFaults(t *testing.T) {
	t.Parallel()
	status := map[Fault]int{RateLimited: 429, SpentPlan: 429, BadKey: 401, ServerError: 500}
	for _, path := range []string{"/v1/responses", "/v1/chat/completions", "/v1/messages", "/v1beta/models/m:streamGenerateContent"} {
		for fault, want := range status {
			s := New(func(Request) Turn { return Turn{Fault: fault} })
			if fault == SpentPlan && path == "/v1/messages" {
				want = 400
			}
			got, body := post(t, s.URL()+path, `{"model":"m"}`)
			if got != want || !strings.Contains(body, `"error"`) {
				t.Errorf("%s %s: status %d, want %d: %s", path, fault, got, want, body)
			}
			s.Close()
		}
	}
}

// A hanging answer ends with its server, so that no test waits for it.
func TestHangEndsWithTheServer(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{})
	s := New(func(Request) Turn { close(asked); return Turn{Fault: Hang} })
	done := make(chan error, 1)
	go func() {
		res, err := http.Post(s.URL()+"/v1/responses", "application/json", strings.NewReader(`{}`))
		if err == nil {
			_, err = io.ReadAll(res.Body)
			res.Body.Close()
		}
		done <- err
	}()
	<-asked
	s.Close()
	<-done // an empty reply or a closed connection: both are an end
}
