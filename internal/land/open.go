package land

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/proc"
)

// requestLimit ends the operator's command.
const requestLimit = 10 * time.Minute

// Open runs the operator's command that opens a pull request, with no shell, and
// returns the last line that it printed, which is where forges' programs say its
// address. The body is in a file that only this user can read, and gone afterwards.
func (p Performer) Open(ctx context.Context, plan Plan, command []string, title, body string) (string, error) {
	if len(command) == 0 {
		return "", refuse(NoPullRequestCommand, Suggest(plan), "project.yaml has no land.pull_request; the branch is pushed")
	}
	dir, err := os.MkdirTemp("", "warden-land-")
	if err != nil {
		return "", failed(PullRequestFailed, err)
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "body.md")
	if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
		return "", failed(PullRequestFailed, err)
	}
	res, err := proc.Run(ctx, proc.Command{
		Argv: Render(command, plan.values(title, file)), Dir: p.Root, Env: p.Environ, Timeout: requestLimit, MaxOutput: 64 << 10,
	})
	if err == nil {
		err = res.StartErr
	}
	switch {
	case err != nil:
		return "", failed(PullRequestFailed, fmt.Errorf("open the pull request with %q: %w", command[0], err))
	case res.Canceled:
		return "", failed(PullRequestFailed, context.Cause(ctx))
	case res.TimedOut:
		return "", failed(PullRequestFailed, fmt.Errorf("open the pull request with %q: ended after %s", command[0], requestLimit))
	case !res.OK():
		return "", failed(PullRequestFailed, fmt.Errorf("open the pull request with %q: exit status %d: %s", command[0], res.ExitCode, lastLine(res.Stderr.Text())))
	}
	return lastLine(res.Stdout.Text()), nil
}

// Suggest names commands that open the request. None of them is run.
func Suggest(p Plan) string {
	return fmt.Sprintf("open it yourself, as with %s, or %s; or name the command as land.pull_request",
		Shell([]string{"gh", "pr", "create", "--draft", "--base", p.Base, "--head", p.Branch}),
		Shell([]string{"glab", "mr", "create", "--draft", "--target-branch", p.Base, "--source-branch", p.Branch}))
}

// CodeOf returns the code of a refusal or a failed step, or "".
func CodeOf(err error) Code {
	var no *RefusedError
	if errors.As(err, &no) {
		return no.Code
	}
	return ""
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return plain.Line(plain.Terminal(lines[len(lines)-1]), 300)
}
