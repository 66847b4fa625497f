package vendor

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/sandbox"
)

// Runner makes vendor calls. It holds no state; calls may run at the same time.
type Runner struct {
	GOOS string // the system whose rules the arguments are held to
	// Find looks a program up on the PATH of an environment, for work on trees.
	Find func(name string, env []string, trees ...string) (string, error)
	run  func(context.Context, proc.Command) (proc.Result, error)
	net  http.RoundTripper // to model servers
	now  func() time.Time
}

// New returns a Runner that starts real processes and asks real servers.
func New() *Runner {
	return &Runner{GOOS: runtime.GOOS, Find: find, run: proc.Run, net: transport(), now: time.Now}
}

// find passes over what lies in a tree that is worked on, unless the operator
// named the very place.
func find(name string, env []string, trees ...string) (string, error) {
	if filepath.IsAbs(name) {
		return proc.LookPath(name, env)
	}
	return proc.LookOutside(name, env, trees...)
}

// Call runs the vendor once and says what came of it. An error means that it
// cannot be told; everything a vendor can do wrong is a Result. The process and
// all its descendants are gone when Call returns.
func (r *Runner) Call(ctx context.Context, c Call) (Result, error) {
	p, err := r.plan(c)
	shown := Result{Argv: p.command.shown, ModelPassed: modelPassed(c.Profile, p.command.run, p.extra)}
	var no *Refusal
	if errors.As(err, &no) {
		shown.Code, shown.Detail, shown.ExitCode = no.Code, no.Detail, -1
		return shown, nil
	}
	if err != nil {
		return Result{}, err
	}
	if p.ask != nil {
		return r.serve(ctx, c, p.ask, shown)
	}
	if p.orca {
		return r.hosted(ctx, c, p.path, shown)
	}
	room, err := confine(c, p)
	if err != nil {
		return Result{}, err
	}
	result, err := r.execute(ctx, c, p, room, shown)
	return result, errors.Join(err, room.close())
}

// room is where a call runs: its sandbox, its private home, its temporary files.
type room struct {
	spec  *sandbox.Spec
	bwrap string
	close func() error
}

// confine prepares the room and tells the environment about it.
func confine(c Call, p prepared) (room, error) {
	if c.Sandbox == nil {
		dir, err := os.MkdirTemp("", "warden-tmp-")
		if err != nil {
			return room{}, fmt.Errorf("make a temporary directory for %q: %w", c.Profile.Name, err)
		}
		p.extra["TMPDIR"] = dir
		return room{close: func() error { return os.RemoveAll(dir) }}, nil
	}
	spec := *c.Sandbox
	spec.Mounts = slices.Concat(c.Sandbox.Mounts, c.Mounts)
	spec.Hide = append(append([]string(nil), c.Sandbox.Hide...), p.hide...)
	spec.Mounts = append(spec.Mounts, executableMounts(p.path, c.Env, append(slices.Clone(spec.MaskHomes), "/tmp", spec.Home))...)
	for _, file := range p.command.files {
		if file != "" && filepath.IsAbs(file) && file != os.DevNull {
			spec.Mounts = append(spec.Mounts, sandbox.Mount{Source: file, Target: file})
		}
	}
	if spec.Home == "" {
		return room{}, fmt.Errorf("confine %q: the sandbox names no home directory", c.Profile.Name)
	}
	h, err := openHome(c.HomeDir, spec.Home, c.Profile.HomeShare)
	if err != nil {
		return room{}, fmt.Errorf("profile %q: %w", c.Profile.Name, err)
	}
	spec.Mounts = append(spec.Mounts, h.mounts...)
	p.extra["HOME"] = spec.Home
	return room{spec: &spec, bwrap: c.Bwrap, close: h.close}, nil
}

func (r *Runner) execute(ctx context.Context, c Call, p prepared, where room, shown Result) (Result, error) {
	limit := c.limit()
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	w := &watch{deadline: r.now().Add(limit), now: r.now, stop: sync.OnceFunc(cancel)}
	read := newReading()
	cmd := proc.Command{
		Argv: p.command.run, Dir: c.Dir, Env: proc.Environ(c.Env, p.extra),
		Timeout: limit, Grace: killGrace, MaxOutput: maxOutput, MaxTail: maxAnswer, MaxLine: maxLine,
		Sandbox: where.spec, Bwrap: where.bwrap,
		OnLine: func(stream string, line []byte) {
			w.line(stream, line)
			read.line(stream, line)
		},
	}
	if p.command.stdin {
		cmd.Stdin = c.Prompt
	}
	res, err := r.run(inner, cmd)
	if err != nil {
		return Result{}, fmt.Errorf("run %s: %w", c.Profile.Command, err)
	}
	return settle(ctx, c, res, read.envelope(res.Stdout, res.Stderr), w.stopped(), limit, shown), nil
}

// settle reads what a finished process left. What it reported is read first,
// whatever the outcome; a call that was killed for its time is a timeout
// whatever its envelope says; the exit status is never believed alone.
func settle(ctx context.Context, c Call, res proc.Result, e Envelope, stopped string, limit time.Duration, out Result) Result {
	stdout, stderr := whole(res.Stdout), whole(res.Stderr)
	out.Dialect, out.Usage, out.Model, out.SessionID, out.StopReason = e.Dialect, e.Usage, e.Model, e.SessionID, e.StopReason
	out.ExitCode, out.TimedOut, out.Duration = res.ExitCode, res.TimedOut, res.Duration
	out.Stdout, out.Stderr = stdout, stderr
	out.Truncated = res.Stdout.Truncated || res.Stderr.Truncated
	end := judge(ctx, c, e, res, stopped, limit, &out)
	out.Code, out.Detail, out.Quota = end.code, end.detail, end.quota
	if out.Code != outcome.OK {
		out.StdoutTail, out.StderrTail = tail(stdout, maxTail), tail(stderr, maxTail)
	}
	return out
}

// judge decides the code of a call, in the order that original failures taught:
// start, time, the vendor's own errors, then the answer.
func judge(ctx context.Context, c Call, e Envelope, res proc.Result, stopped string, limit time.Duration, out *Result) ending {
	signatures := c.Profile.QuotaSignatures
	switch {
	case res.StartErr != nil:
		return ending{code: outcome.RoleCommandFailed, detail: fmt.Sprintf("start %s: %v", c.Profile.Command, res.StartErr)}
	case stopped != "":
		q := quota(e.Failures, []byte(stopped), signatures)
		if q == nil {
			q = exhausted(RateLimit, "retrying after", StderrText, stopped)
		}
		q.Note = "ended early: the vendor announced a wait longer than the call may last"
		code := outcome.RoleRateLimited
		if q.Kind == SpentPlan {
			code = outcome.RoleQuotaExhausted
		}
		return ending{code, "the vendor announced a wait longer than the call may last: " + q.Message, q}
	case res.TimedOut:
		return ending{code: outcome.RoleTimeout, detail: fmt.Sprintf("the call did not end within %s and was killed", limit)}
	case res.Canceled || ctx.Err() != nil:
		return ending{code: outcome.Interrupted, detail: "the call was interrupted and its processes ended"}
	}
	if res.ExitCode != 0 || res.Signal != "" || e.ended() {
		return failed(e, res.ExitCode, out.Stderr, signatures, outcome.RoleCommandFailed, why(c, e, res))
	}
	if found, ok := artifact(e); ok {
		out.Artifact = found
		return ending{code: outcome.OK}
	}
	detail := "the vendor exited 0 and left no JSON object that could be the answer"
	if e.StopReason != "" {
		detail += fmt.Sprintf(" (stop reason %q)", cut(e.StopReason, 80))
	}
	return failed(e, 0, out.Stderr, signatures, outcome.RoleArtifactUnparseable, detail)
}

// why says how a call failed that no class of its own covers.
func why(c Call, e Envelope, res proc.Result) string {
	how := fmt.Sprintf("exit status %d", res.ExitCode)
	if res.Signal != "" {
		how = "signal " + res.Signal
	}
	detail := fmt.Sprintf("%s ended with %s", c.Profile.Command, how)
	if words := lastWords(e); words != "" {
		detail += ": " + words
	}
	return detail
}

// whole joins what was kept of a stream: its head and its end, on a line of its
// own where something between them is missing.
func whole(o proc.Output) []byte {
	if !o.Truncated || len(o.Tail) == 0 {
		return o.Bytes
	}
	out := append([]byte(nil), o.Bytes...)
	if twice := int64(len(o.Bytes)+len(o.Tail)) - o.Total; twice >= 0 {
		return append(out, o.Tail[min(twice, int64(len(o.Tail))):]...)
	}
	out = append(out, '\n')
	return append(out, o.Tail...)
}
