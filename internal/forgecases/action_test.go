package forgecases

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/internal/provoked"
)

// printed is what one `warden action` printed.
type printed struct {
	OK      bool   `json:"ok"`
	Code    string `json:"code"`
	Message string `json:"message"`
	Outcome string `json:"outcome"`
	Issues  []int  `json:"issues"`
	Actions []struct {
		Kind   string `json:"kind"`
		Reason string `json:"reason"`
		RunID  string `json:"run_id"`
		Key    string `json:"key"`
		Text   string `json:"text"`
	} `json:"actions"`
	Runs []struct {
		RunID      string   `json:"run_id"`
		Reason     string   `json:"reason"`
		NextAction string   `json:"next_action"`
		RoleRuns   int      `json:"role_runs"`
		CostUSD    *float64 `json:"cost_usd"`
		Unpriced   int      `json:"unpriced_calls"`
		Candidate  string   `json:"candidate"`
		LedgerHead string   `json:"ledger_head"`
		// DecisionHead is "" while nobody decided.
		DecisionHead string `json:"decision_head"`
	} `json:"runs"`
	Branch string `json:"branch"`
	Pull   *struct {
		Number int    `json:"number"`
		Draft  bool   `json:"draft"`
		Merged bool   `json:"merged"`
		Head   string `json:"head"`
	} `json:"pull_request"`
	Decisions []struct {
		RunID      string `json:"run_id"`
		Decision   string `json:"decision"`
		Actor      string `json:"actor"`
		Source     string `json:"source"`
		Candidate  string `json:"candidate"`
		NoteSHA256 string `json:"note_sha256"`
	} `json:"decisions"`
	Problems []string `json:"problems"`
	Warnings []string `json:"warnings"`

	status int
	stdout string
	stderr string
}

// String shows a result in the message of a failed test.
func (p printed) String() string {
	return fmt.Sprintf("status %d\n%s\n%s", p.status, p.stdout, p.stderr)
}

// did reports whether an action of this kind and reason was done; "" is any reason.
func (p printed) did(kind, reason string) bool { return p.times(kind, reason) > 0 }

func (p printed) times(kind, reason string) int {
	n := 0
	for _, a := range p.Actions {
		if a.Kind == kind && (reason == "" || a.Reason == reason) {
			n++
		}
	}
	return n
}

// words lists the decisions.
func (p printed) words() string {
	var out []string
	for _, d := range p.Decisions {
		out = append(out, d.Decision)
	}
	return strings.Join(out, " ")
}

// limit bounds one process; nothing waits for it when all is well.
const limit = 3 * time.Minute

// job is a `warden action` that was started.
type job struct {
	cmd      *exec.Cmd
	out, err string
	cancel   context.CancelFunc
}

// start starts `warden action` on a delivery. State names the state directory,
// so that two jobs can be two runners.
func (w *world) start(d forgetest.Delivery, state string, more ...string) (*job, error) {
	n := w.next()
	event := w.path(fmt.Sprintf("event-%d.json", n))
	if err := os.WriteFile(event, d.Payload, 0o644); err != nil {
		return nil, err
	}
	j := &job{out: w.path(fmt.Sprintf("out-%d.json", n)), err: w.path(fmt.Sprintf("out-%d.log", n))}
	stdout, err := os.Create(j.out)
	if err != nil {
		return nil, err
	}
	defer stdout.Close()
	stderr, err := os.Create(j.err)
	if err != nil {
		return nil, err
	}
	defer stderr.Close()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	j.cancel = cancel
	j.cmd = exec.CommandContext(ctx, program, "action")
	j.cmd.Stdout, j.cmd.Stderr, j.cmd.Dir = stdout, stderr, w.dir // files: no pipe outlives the process
	temp := w.path("tmp")
	if err := errors.Join(os.MkdirAll(temp, 0o755), os.MkdirAll(w.home, 0o755)); err != nil {
		return nil, err
	}
	j.cmd.Env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + w.home, "TMPDIR=" + temp, "LANG=C.UTF-8", "USER=runner",
		"GITHUB_ACTIONS=true", "CI=true", "GITHUB_EVENT_NAME=" + d.Event, "GITHUB_EVENT_PATH=" + event,
		"GITHUB_REPOSITORY=" + w.server.Repo().String(), "GITHUB_API_URL=" + w.server.APIURL(), "GITHUB_GRAPHQL_URL=" + w.server.GraphQLURL(),
		"GITHUB_SERVER_URL=" + w.server.URL(), fmt.Sprintf("GITHUB_RUN_ID=%d", 1000+n), "GITHUB_RUN_ATTEMPT=1", "GITHUB_ACTOR=" + mona,
		"RUNNER_TEMP=" + temp, "WARDEN_STATE_DIR=" + w.path(state), "GITHUB_TOKEN=" + forgetest.DefaultToken, keyName + "=" + key,
		"GITHUB_OUTPUT=" + w.path("outputs.txt"), "GITHUB_STEP_SUMMARY=" + w.path("summary.md"),
	}, more...)
	return j, j.cmd.Start()
}

// wait waits for the end and reads what was printed.
func (j *job) wait() (printed, error) {
	defer j.cancel()
	err := j.cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return printed{}, err
	}
	out, errOut := os.ReadFile(j.out)
	log, errLog := os.ReadFile(j.err)
	if err := errors.Join(errOut, errLog); err != nil {
		return printed{}, err
	}
	if err := provoked.Note(out); err != nil {
		return printed{}, err
	}
	p := printed{status: j.cmd.ProcessState.ExitCode(), stdout: string(out), stderr: string(log)}
	if p.status < 0 {
		return p, nil // killed: it printed nothing
	}
	if err := json.Unmarshal(out, &p); err != nil {
		return p, fmt.Errorf("stdout is not one JSON object: %w: %s", err, p)
	}
	return p, nil
}

// act runs `warden action` on a delivery to its end, which must be a good one.
func (w *world) act(d forgetest.Delivery) printed {
	w.t.Helper()
	p := w.try(d, "state")
	w.want(p.status == 0 && p.OK, "event %s: %s", d.Event, p)
	w.last = p
	return p
}

// try runs `warden action` in a state directory, whatever comes of it.
func (w *world) try(d forgetest.Delivery, state string, more ...string) printed {
	w.t.Helper()
	j, err := w.start(d, state, more...)
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := j.wait()
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// schedule runs it on a timer's event.
func (w *world) schedule() printed { w.t.Helper(); return w.act(w.server.Schedule()) }

// settled asserts that a timer finds nothing that is owed.
func (w *world) settled() printed {
	w.t.Helper()
	p := w.schedule()
	for _, a := range p.Actions {
		w.want(a.Kind == "nothing" || a.Kind == "ignore", "a timer still finds something owed: %s", p)
	}
	return p
}

func exists(path string) bool {
	_, err := os.Stat(filepath.Clean(path))
	return err == nil
}
