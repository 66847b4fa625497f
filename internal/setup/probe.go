package setup

import (
	"context"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
	"github.com/tolboy/warden/internal/vendor"
)

// probed is what a probe left.
type probed struct {
	exit           int
	timedOut       bool
	stdout, stderr string
}

// script runs a probe as a shell line. It runs unconfined and with keys, so what
// it names is not found where a child may have put it.
func script(ctx context.Context, r VerifyRequest) (probed, error) {
	extra := map[string]string{"PATH": proc.PathOutside(r.Environ)}
	if r.picture != "" {
		extra[pictureVariable] = r.picture
	}
	for k, v := range r.Profile.Env {
		extra[k] = v
	}
	for _, name := range r.Profile.APIKeyEnv {
		if v, ok := variable(r.Environ, name); ok {
			extra[name] = v
		}
	}
	res, err := proc.Run(ctx, proc.Command{Argv: []string{"/bin/sh", "-c", r.Profile.Verification.Probe}, Dir: r.Home,
		Env: proc.Environ(r.Environ, extra), Timeout: r.limit(), Grace: 5 * time.Second, MaxOutput: 1 << 20})
	if err != nil {
		return probed{}, err
	}
	got := probed{exit: res.ExitCode, timedOut: res.TimedOut, stdout: res.Stdout.Text(), stderr: res.Stderr.Text()}
	if !res.OK() && got.exit == 0 {
		got.exit = -1
	}
	return got, nil
}

// question puts a probe to a model server, as a dispatch would put its prompt. No
// shell and no program sees the key.
func question(ctx context.Context, r VerifyRequest) (probed, error) {
	said, raw, err := vendor.New().Ask(ctx, vendor.Call{Profile: r.Profile, Prompt: []byte(r.Profile.Verification.Probe), Env: r.Environ, Limit: r.limit()})
	if err != nil {
		return probed{exit: 1, timedOut: ctx.Err() == nil && strings.Contains(err.Error(), context.DeadlineExceeded.Error()), stdout: string(raw), stderr: err.Error()}, nil
	}
	return probed{stdout: said, stderr: string(raw)}, nil
}

// keys are the values that a profile's variables hold.
func keys(p policy.Profile, environ []string) []string {
	var out []string
	for _, name := range p.APIKeyEnv {
		if v, ok := variable(environ, name); ok {
			out = append(out, v)
		}
	}
	return out
}

func variable(environ []string, name string) (string, bool) {
	for i := len(environ) - 1; i >= 0; i-- {
		if v, ok := strings.CutPrefix(environ[i], name+"="); ok {
			return v, true
		}
	}
	return "", false
}
