package vendor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
)

// cockpit plays Orca's command: answers by the words that a command begins with.
// Several answers of one command are given in turn, and the last repeats.
type cockpit struct {
	answers map[string][]string
	asked   []string
	kept    []string
	hang    bool // looks into the mailbox until the context ends
}

const workerReady = `{"ok":true,"result":{"dispatchId":"ctx_1","state":"ready","launch":{"effective":{"agent":"claude","model":"m-1"}}}}`

// message is a look into the mailbox with one message.
func message(kind, dispatch, outcome, body string) string {
	payload, _ := json.Marshal(fmt.Sprintf(`{"taskId":"task_1","dispatchId":%q,"outcome":%q}`, dispatch, outcome))
	text, _ := json.Marshal(body)
	return fmt.Sprintf(`{"ok":true,"result":{"deliveryId":"dlv_1","messages":[{"id":"msg_1","type":%q,"payload":%s,"body":%s}]}}`, kind, payload, text)
}

func newCockpit() *cockpit {
	return &cockpit{answers: map[string][]string{
		"status":                        {`{"ok":true,"result":{}}`},
		"worktree show":                 {`{"ok":true,"result":{}}`},
		"orchestration run-create":      {`{"ok":true,"result":{"run":{"id":"run_1"}}}`},
		"orchestration task-create":     {`{"ok":true,"result":{"task":{"id":"task_1"}}}`},
		"orchestration worker-start":    {workerReady},
		"orchestration check":           {message("worker_done", "ctx_1", "succeeded", reviewerAnswer)},
		"orchestration dispatch-show":   {`{"ok":true,"result":{"dispatch":{"id":"ctx_1","status":"completed"}}}`},
		"orchestration worker-release":  {`{"ok":true,"result":{"state":"released"}}`},
		"orchestration worker-stop":     {`{"ok":true,"result":{}}`},
		"orchestration worker-abandon ": {},
	}}
}

func (k *cockpit) run(ctx context.Context, c proc.Command) (proc.Result, error) {
	line := strings.Join(c.Argv[1:], " ")
	k.asked = append(k.asked, line)
	if k.hang && strings.HasPrefix(line, "orchestration check") {
		<-ctx.Done()
		return proc.Result{Canceled: true, ExitCode: -1}, nil
	}
	for words, list := range k.answers {
		if !strings.HasPrefix(line, words) || len(list) == 0 {
			continue
		}
		text := list[0]
		if len(list) > 1 {
			k.answers[words] = list[1:]
		}
		return proc.Result{Stdout: proc.Output{Bytes: []byte(text)}}, nil
	}
	return proc.Result{ExitCode: 2, Stderr: proc.Output{Bytes: []byte("no such command")}}, nil
}

func (k *cockpit) did(words string) bool {
	return slices.ContainsFunc(k.asked, func(line string) bool { return strings.HasPrefix(line, words) })
}

func worker(t *testing.T, k *cockpit, change func(*Call)) Result {
	t.Helper()
	r := New()
	r.run = k.run
	c := Call{
		Profile: policy.Profile{Name: "host", Role: "reviewer", Vendor: "v", Runner: "orca", Command: "claude", Model: "m-1", Effort: "high", ReadOnly: true, PromptDelivery: "workspace_file", WallClock: time.Minute},
		Values:  map[string]string{"run_id": "r1"}, Prompt: []byte("do it"), PromptFile: "/tree/prompt.md", Dir: t.TempDir(),
		Env:  append(program(t, "orca"), "ORCA_TERMINAL_HANDLE=term_1", "GITHUB_TOKEN=g1"),
		Keep: func(name string, data []byte) error { k.kept = append(k.kept, name+" "+string(data)); return nil },
	}
	if change != nil {
		change(&c)
	}
	got, err := r.Call(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestOrca(t *testing.T) {
	t.Parallel()
	k := newCockpit()
	elsewhere := message("worker_done", "ctx_9", "succeeded", `{"role":"reviewer","status":"completed"}`)
	k.answers["orchestration check"] = []string{`{"ok":true,"result":{"messages":[],"timedOut":true}}`, elsewhere, message("worker_done", "ctx_1", "succeeded", reviewerAnswer)}
	got := worker(t, k, nil)
	wantCode(t, got, outcome.OK)
	if !strings.Contains(string(got.Artifact), `"summary":"fine"`) || got.SessionID != "ctx_1" || !got.ModelPassed || got.Model != "m-1" {
		t.Errorf("result %+v", got)
	}
	if _, known := got.Usage.CostUSD.Get(); known {
		t.Error("Orca names no price, and one is known")
	}
	start := k.asked[slices.IndexFunc(k.asked, func(l string) bool { return strings.HasPrefix(l, "orchestration worker-start") })]
	for _, want := range []string{"--task task_1", "--run run_1", "--worktree path:/", "--agent claude --model m-1 --effort high", "--json"} {
		if !strings.Contains(start, want) {
			t.Errorf("%q lacks %s", start, want)
		}
	}
	if !k.did("orchestration worker-release --dispatch ctx_1") || k.did("orchestration worker-stop") || !k.did("orchestration check --run run_1 --ack dlv_1") {
		t.Errorf("asked %q", k.asked)
	}
	// The identities are written down before the worker is started.
	if len(k.kept) != 2 || !strings.Contains(k.kept[0], `"task_id": "task_1"`) || strings.Contains(k.kept[0], "ctx_1") || !strings.Contains(k.kept[1], `"dispatch_id": "ctx_1"`) {
		t.Errorf("kept %q", k.kept)
	}
	if argv := strings.Join(got.Argv, " "); !strings.Contains(argv, "worker-start") || !strings.HasSuffix(argv, "<prompt>") {
		t.Errorf("shown as %q", argv)
	}
}

// Nothing but the word of this worker, which Orca bears out, is an answer; whatever
// happens, the worker is released or stopped, or it is said that it may be at work.
func TestOrcaEnds(t *testing.T) {
	t.Parallel()
	no := `{"ok":false,"error":{"code":"runtime_unavailable","message":"Orca is not running"}}`
	tests := []struct {
		name, words string
		answers     []string
		want        outcome.Code
		says        string
		ends        string // how the worker is let go, if one may be there
	}{
		{"not_running", "status", []string{no}, outcome.RoleOrcaUnavailable, "Orca is not running", ""},
		{"not_json", "status", []string{"usage: orca [options] screen reader"}, outcome.RoleOrcaUnavailable, "no JSON object", ""},
		{"unknown_worktree", "worktree show", []string{no}, outcome.RoleOrcaNoWorktree, "does not know the worktree", ""},
		{"no_run", "orchestration run-create", []string{no}, outcome.RoleOrcaStartFailed, "made no Run", ""},
		{"no_task", "orchestration task-create", []string{`{"ok":true,"result":{}}`}, outcome.RoleOrcaStartFailed, "made no Task", ""},
		{"start_failed", "orchestration worker-start", []string{`{"ok":true,"result":{"dispatchId":"ctx_1","state":"failed","lastError":"Agent startup blocked"}}`}, outcome.RoleOrcaStartFailed, "Agent startup blocked", "worker-stop"},
		{"start_unknown", "orchestration worker-start", []string{`{"ok":false,"error":{"message":"outcome unknown"},"result":{"dispatchId":"ctx_1","state":"outcome_unknown"}}`}, outcome.RoleOrcaLifecycle, "not known whether", "worker-stop"},
		{"start_without_a_word", "orchestration worker-start", []string{"{"}, outcome.RoleOrcaLifecycle, "not known whether", ""},
		{"reported_failure", "orchestration check", []string{message("worker_done", "ctx_1", "failed", "tests are red")}, outcome.RoleOrcaReported, "tests are red", "worker-stop"},
		{"escalation", "orchestration check", []string{message("escalation", "ctx_1", "", "no access")}, outcome.RoleOrcaReported, "no access", "worker-stop"},
		{"PR-14_prose", "orchestration check", []string{message("worker_done", "ctx_1", "succeeded", "all fine")}, outcome.RoleArtifactUnparseable, "all fine", "worker-release"},
		{"QF-03_talk_of_limits", "orchestration check", []string{message("worker_done", "ctx_1", "failed", "usage limit, 429")}, outcome.RoleOrcaReported, "usage limit", "worker-stop"},
		{"mailbox_broken", "orchestration check", []string{no}, outcome.RoleOrcaLifecycle, "does not say how", "worker-stop"},
		{"not_borne_out", "orchestration dispatch-show", []string{`{"ok":true,"result":{"dispatch":{"id":"ctx_1","status":"failed"}}}`}, outcome.RoleOrcaLifecycle, `calls its dispatch "failed"`, "worker-stop"},
		{"not_released", "orchestration worker-release", []string{no}, outcome.RoleOrcaLifecycle, "may be at work still", "worker-release"},
		{"not_stopped", "orchestration worker-stop", []string{no}, outcome.OK, "", "worker-release"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			k := newCockpit()
			k.answers[tt.words] = tt.answers
			got := worker(t, k, nil)
			wantCode(t, got, tt.want)
			if !strings.Contains(got.Detail, tt.says) || (got.Artifact != nil) != (tt.want == outcome.OK) || got.Quota != nil {
				t.Errorf("detail %q, artifact %s, quota %v", got.Detail, got.Artifact, got.Quota)
			}
			for _, verb := range []string{"worker-stop", "worker-release"} {
				if k.did("orchestration "+verb+" --dispatch ctx_1") != (verb == tt.ends) {
					t.Errorf("%s: asked %q", verb, k.asked)
				}
			}
		})
	}
}

// BU-15: time that runs out ends a hosted worker under the code of any other call,
// and the worker is stopped.
// HG-19: a question and the end in one delivery: the end counts, in whatever order they
// stand, and both are acknowledged, so that the question does not come again.
func TestOrcaQuestionAndEnd(t *testing.T) {
	t.Parallel()
	question, end := message("question", "ctx_1", "", "which port?"), message("worker_done", "ctx_1", "succeeded", reviewerAnswer)
	for name, order := range map[string][2]string{"HG-19 asked first": {question, end}, "HG-19 asked last": {end, question}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := newCockpit()
			k.answers["orchestration check"] = []string{both(t, order[0], order[1])}
			got := worker(t, k, nil)
			wantCode(t, got, outcome.OK)
			if got.Artifact == nil || !k.did("orchestration worker-release --dispatch ctx_1") || !k.did("orchestration check --run run_1 --ack dlv_1") {
				t.Errorf("artifact %s, asked %q", got.Artifact, k.asked)
			}
		})
	}
	k := newCockpit()
	k.answers["orchestration check"] = []string{question}
	got := worker(t, k, func(c *Call) { c.Limit = 50 * time.Millisecond })
	wantCode(t, got, outcome.RoleHumanInput)
	if !k.did("orchestration check --run run_1 --ack dlv_1") || k.did("orchestration worker-stop") || !strings.Contains(got.Detail, "is kept in Orca") {
		t.Errorf("HG-19: a question that nobody answered in time: %q, and asked %q", got.Detail, k.asked[:min(len(k.asked), 20)])
	}
	k = newCockpit()
	k.answers["orchestration check"] = []string{question, `{"ok":true,"result":{}}`, end}
	if got = worker(t, k, nil); got.Code != outcome.OK || got.Artifact == nil || !k.did("orchestration worker-release --dispatch ctx_1") {
		t.Errorf("HG-19: a question that was answered in Orca: %+v", got)
	}
}

// both makes one delivery of two.
func both(t *testing.T, first, second string) string {
	t.Helper()
	type reply struct {
		OK     bool `json:"ok"`
		Result struct {
			DeliveryID string            `json:"deliveryId"`
			Messages   []json.RawMessage `json:"messages"`
		} `json:"result"`
	}
	var a, b reply
	if err := errors.Join(json.Unmarshal([]byte(first), &a), json.Unmarshal([]byte(second), &b)); err != nil {
		t.Fatal(err)
	}
	a.Result.Messages = append(a.Result.Messages, b.Result.Messages...)
	text, err := json.Marshal(a)
	if err != nil || len(a.Result.Messages) != 2 || a.Result.DeliveryID == "" {
		t.Fatalf("%s, %v", text, err)
	}
	return string(text)
}

func TestOrcaTime(t *testing.T) {
	t.Parallel()
	k := newCockpit()
	k.hang = true
	got := worker(t, k, func(c *Call) { c.Limit = 200 * time.Millisecond })
	wantCode(t, got, outcome.RoleTimeout)
	if !got.TimedOut || !k.did("orchestration worker-stop --dispatch ctx_1") {
		t.Errorf("timed out %t, asked %q", got.TimedOut, k.asked)
	}
	ctx, cancel := context.WithCancel(t.Context())
	k = newCockpit()
	k.hang = true
	r := New()
	r.run = func(c context.Context, cmd proc.Command) (proc.Result, error) {
		if strings.Contains(strings.Join(cmd.Argv, " "), "orchestration check") {
			cancel()
		}
		return k.run(c, cmd)
	}
	got, err := r.Call(ctx, Call{Profile: policy.Profile{Name: "host", Role: "reviewer", Vendor: "v", Runner: "orca", Command: "claude", ReadOnly: true}, Dir: t.TempDir(), Env: append(program(t, "orca"), "ORCA_TERMINAL_HANDLE=term_1")})
	if err != nil {
		t.Fatal(err)
	}
	wantCode(t, got, outcome.Interrupted)
	if !k.did("orchestration worker-stop --dispatch ctx_1") {
		t.Errorf("asked %q", k.asked)
	}
}

// What a worker needs is found missing before anybody is asked.
func TestOrcaPlan(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		change func(*Call)
		want   outcome.Code
	}{
		"no_coordinator": {func(c *Call) { c.Env = program(t, "orca") }, outcome.RoleOrcaNoCoordinator},
		"no_program":     {func(c *Call) { c.Env = []string{"PATH=/nowhere", "ORCA_TERMINAL_HANDLE=t"} }, outcome.RoleOrcaUnavailable},
		"other_program":  {func(c *Call) { c.Env = append(c.Env, "ORCA_CLI_COMMAND=orca-none") }, outcome.RoleOrcaUnavailable},
	} {
		k := newCockpit()
		got := worker(t, k, tt.change)
		wantCode(t, got, tt.want)
		if len(k.asked) != 0 {
			t.Errorf("%s: asked %q", name, k.asked)
		}
	}
	p := policy.Profile{Runner: "orca", Command: "claude"}
	if err := New().Available(p, program(t, "orca")); err != nil {
		t.Errorf("Orca is there: %v", err)
	}
	if err := New().Available(p, program(t, "claude")); err == nil {
		t.Error("the agent's program counts as Orca")
	}
}
