package vendor

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
)

// Bounds of a worker of Orca.
const (
	orcaCommand = time.Minute      // of one command that does not wait
	orcaStart   = 3 * time.Minute  // until its agent takes input
	orcaWait    = 30 * time.Second // of one look at the mailbox
	orcaMissed  = 3                // looks that may fail in a row
)

// orcaHandle is the variable by which Orca tells a terminal its own name. Whoever
// has none is no coordinator: nobody could write back.
const orcaHandle = "ORCA_TERMINAL_HANDLE"

// OrcaProgram is the name under which Orca is started here.
func OrcaProgram(env []string) string {
	if name := lookup(env, "ORCA_CLI_COMMAND"); name != "" {
		return name
	}
	return "orca"
}

// orca is one worker in the making.
type orca struct {
	r       *Runner
	c       Call
	program string
	env     []string
	said    []byte // every answer, for the evidence
	ids     orcaIDs
}

// orcaIDs are the names by which Orca knows a call, written down before its worker
// is started.
type orcaIDs struct {
	Coordinator string `json:"coordinator"`
	Run         string `json:"run_id,omitempty"`
	Task        string `json:"task_id,omitempty"`
	Dispatch    string `json:"dispatch_id,omitempty"`
	Worktree    string `json:"worktree"`
	Agent       string `json:"agent"`
	Model       string `json:"model,omitempty"`
	Effort      string `json:"effort,omitempty"`
}

// planOrca looks for what a worker needs, without asking Orca.
func (r *Runner) planOrca(c Call) (prepared, error) {
	p := c.Profile
	if lookup(c.Env, orcaHandle) == "" {
		return prepared{}, &Refusal{outcome.RoleOrcaNoCoordinator, fmt.Sprintf("profile %q: %s is not set, so no worker could report back: start Warden in a terminal of Orca", p.Name, orcaHandle)}
	}
	path, err := r.locate(OrcaProgram(c.Env), c.Dir, c.Env)
	if err != nil {
		return prepared{}, &Refusal{outcome.RoleOrcaUnavailable, "start Orca: " + err.Error()}
	}
	found, err := agentFiles(p, c.Dir)
	if err != nil {
		return prepared{}, err
	}
	if len(found) > 0 {
		return prepared{}, &Refusal{outcome.Unconfined, fmt.Sprintf("%s runs code from %s of the repository, and a worker of Orca is in no sandbox of ours", p.Command, strings.Join(found, ", "))}
	}
	shown := append([]string{path, "orchestration", "worker-start"}, orcaArgs(p, "path:"+c.Dir)...)
	return prepared{path: path, command: command{shown: append(shown, shownPrompt)}, orca: true}, nil
}

// orcaArgs are how a worker is asked for.
func orcaArgs(p policy.Profile, worktree string) []string {
	args := []string{"--worktree", worktree, "--agent", p.Command}
	if p.Model != "" {
		args = append(args, "--model", p.Model)
	}
	if p.Effort != "" {
		args = append(args, "--effort", p.Effort)
	}
	return args
}

// Orca has Orca's command carry out one thing that waits for nobody, for work on a
// tree. The error says that the command is not there, or why it refused.
func (r *Runner) Orca(ctx context.Context, env []string, tree string, args ...string) error {
	path, err := r.locate(OrcaProgram(env), tree, env)
	if err != nil {
		return fmt.Errorf("start Orca: %w", err)
	}
	o := &orca{r: r, c: Call{Dir: tree}, program: path, env: orcaEnviron(env)}
	if _, why := o.ask(ctx, orcaCommand, args...); why != "" {
		return fmt.Errorf("orca %s: %s", strings.Join(args, " "), why)
	}
	return nil
}

// orcaEnviron is a child's environment with what Orca tells its terminals.
func orcaEnviron(env []string) []string {
	extra := map[string]string{}
	for _, kv := range env {
		if k, v, ok := strings.Cut(kv, "="); ok && strings.HasPrefix(k, "ORCA_") {
			extra[k] = v
		}
	}
	return proc.Environ(env, extra)
}

// hosted makes a call through a worker of Orca. The worker is settled or stopped
// when it returns, or the result says that this is not known.
func (r *Runner) hosted(ctx context.Context, c Call, path string, out Result) (Result, error) {
	began := r.now()
	o := &orca{r: r, c: c, program: path, env: orcaEnviron(c.Env)}
	o.ids = orcaIDs{Coordinator: lookup(c.Env, orcaHandle), Worktree: c.Dir, Agent: c.Profile.Command, Model: c.Profile.Model, Effort: c.Profile.Effort}
	out.Dialect = "orca"
	limit := c.limit()
	inner, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	end, err := o.work(inner, &out)
	if err != nil {
		return out, err
	}
	switch {
	case end.code == outcome.OK || inner.Err() == nil:
	case ctx.Err() != nil:
		end.code, end.detail = outcome.Interrupted, "the call was interrupted: "+end.detail
	case end.code == outcome.RoleHumanInput:
	default:
		out.TimedOut = true
		end.code, end.detail = outcome.RoleTimeout, fmt.Sprintf("the worker of Orca did not end within %s: %s", limit, end.detail)
	}
	out.Code, out.Detail, out.Duration, out.Stdout = end.code, end.detail, r.now().Sub(began), o.said
	out.SessionID = o.ids.Dispatch
	if out.Code != outcome.OK {
		out.Artifact, out.StdoutTail = nil, tail(o.said, maxTail)
	}
	return out, nil
}

// work starts the worker, waits for its word, and accounts for it.
func (o *orca) work(ctx context.Context, out *Result) (ending, error) {
	if _, why := o.ask(ctx, orcaCommand, "status"); why != "" {
		return ending{code: outcome.RoleOrcaUnavailable, detail: "Orca does not answer: " + why}, nil
	}
	where := "path:" + o.c.Dir
	if _, why := o.ask(ctx, orcaCommand, "worktree", "show", "--worktree", where); why != "" {
		return ending{code: outcome.RoleOrcaNoWorktree, detail: "Orca does not know the worktree " + o.c.Dir + ": " + why}, nil
	}
	run, why := o.ask(ctx, orcaCommand, "orchestration", "run-create", "--objective", "warden "+o.c.Values["run_id"])
	if o.ids.Run = run.sub("run").text("id"); o.ids.Run == "" {
		return notStarted("a Run", why), nil
	}
	task, why := o.ask(ctx, orcaCommand, "orchestration", "task-create", "--spec", o.spec(), "--task-title", "warden "+o.c.Profile.Role, "--run", o.ids.Run)
	if o.ids.Task = task.sub("task").text("id"); o.ids.Task == "" {
		return notStarted("a Task", why), nil
	}
	if err := o.keep("before"); err != nil {
		return ending{}, err
	}
	start := append([]string{"orchestration", "worker-start", "--task", o.ids.Task, "--run", o.ids.Run}, orcaArgs(o.c.Profile, where)...)
	started, why := o.ask(ctx, orcaStart, append(start, "--timeout-ms", fmt.Sprint((orcaStart-orcaCommand).Milliseconds()))...)
	o.ids.Dispatch = started.text("dispatchId")
	launched := started.sub("launch").sub("effective")
	out.Model, out.ModelPassed = launched.text("model"), o.c.Profile.Model != "" && launched.text("model") == o.c.Profile.Model
	switch state := started.text("state"); {
	case state == "ready" && o.ids.Dispatch != "":
	case state == "failed":
		return o.settle(ctx, ending{code: outcome.RoleOrcaStartFailed, detail: "Orca could not start the worker: " + started.text("lastError", "failedStage")}), nil
	default:
		return o.settle(ctx, ending{code: outcome.RoleOrcaLifecycle, detail: "it is not known whether Orca started the worker: " + why}), nil
	}
	if err := o.keep("after"); err != nil {
		return o.settle(ctx, ending{code: outcome.RoleOrcaLifecycle, detail: err.Error()}), err
	}
	return o.settle(ctx, o.wait(ctx, out)), nil
}

func notStarted(what, why string) ending {
	return ending{code: outcome.RoleOrcaStartFailed, detail: "Orca made no " + strings.TrimPrefix(what, "a ") + ": " + why}
}

// keep hands over the identities, for the evidence.
func (o *orca) keep(when string) error {
	if o.c.Keep == nil {
		return nil
	}
	data, err := json.MarshalIndent(o.ids, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the identities of the worker: %w", err)
	}
	return o.c.Keep("orca-"+when+"-start.json", append(data, '\n'))
}

// spec is what the worker is told. The prompt itself is a file.
func (o *orca) spec() string {
	return "Read the file " + o.c.PromptFile + " and do what it says, in this worktree. When you are done, send worker_done with --outcome succeeded and, as its body, exactly the one JSON object that the file asks for, with nothing before or after it. Do not commit, push or merge, and dispatch nobody else."
}

// ask runs one command of Orca and returns its result. The text says why there is
// none.
func (o *orca) ask(ctx context.Context, limit time.Duration, args ...string) (result object, why string) {
	res, err := o.r.run(ctx, proc.Command{Argv: append(append([]string{o.program}, args...), "--json"), Dir: o.c.Dir, Env: o.env, Timeout: limit, Grace: killGrace, MaxOutput: maxOutput})
	if err != nil {
		return nil, err.Error()
	}
	if room := maxOutput - len(o.said); room > 0 {
		o.said = append(o.said, res.Stdout.Bytes[:min(len(res.Stdout.Bytes), room)]...)
	}
	answer, ok := parseObject(res.Stdout.Bytes)
	switch {
	case res.StartErr != nil:
		return nil, res.StartErr.Error()
	case res.TimedOut:
		return nil, "it did not answer within " + limit.String()
	case !ok:
		return nil, fmt.Sprintf("it answered with something that is no JSON object (exit status %d): %s", res.ExitCode, cut(strings.TrimSpace(res.Stderr.Text()), maxMessage))
	case !answer.isTrue("ok"):
		texts, kinds, _ := errorTexts(answer, 0)
		return answer.sub("result"), cut(strings.Join(append(texts, kinds...), ": "), maxMessage)
	}
	return answer.sub("result"), ""
}
