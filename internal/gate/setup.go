package gate

import (
	"context"
	"fmt"
	"time"

	"github.com/tolboy/warden/internal/outcome"
)

// SetupRequest asks for the setup commands of a fresh worktree.
type SetupRequest struct {
	Commands []string
	Root     string
	Judge    Judge
	Runner
}

// SetupReport is the evidence of a setup.
type SetupReport struct {
	Verdict
	Commands     []Command `json:"commands"`
	ChangedPaths []string  `json:"changed_paths"` // by the setup, of nobody else
	FinishedAt   time.Time `json:"finished_at"`
}

// Setup runs the commands in order, under one shared limit, and stops at the
// first that fails. What they change in the tree is listed, so that it is never
// held against a writer.
func Setup(ctx context.Context, req SetupRequest) (SetupReport, error) {
	report := SetupReport{Commands: []Command{}, ChangedPaths: []string{}}
	err := report.run(ctx, req)
	if err != nil {
		report.Verdict = Verdict{Code: outcome.SetupFailed, Message: err.Error()}
		if ctx.Err() != nil {
			report.Verdict = Verdict{Code: outcome.Interrupted, Message: "the setup was cancelled"}
		}
	}
	report.FinishedAt = time.Now().UTC()
	return report, err
}

func (s *SetupReport) run(ctx context.Context, req SetupRequest) error {
	begun, err := TakeContract(req.Root)
	if err != nil {
		return err
	}
	before, err := req.Judge.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("look at the worktree: %w", err)
	}
	s.Verdict = Verdict{OK: true, Code: outcome.Passed}
	left := req.Limit
	for i, command := range req.Commands {
		if left <= 0 {
			s.Verdict = Verdict{Code: outcome.SetupFailed, Message: fmt.Sprintf("no time was left for setup command %d of %d (%q): all of them share %s", i+1, len(req.Commands), command, req.Limit)}
			break
		}
		if req.Started != nil {
			req.Started(i+1, len(req.Commands), command)
		}
		c, err := req.execute(ctx, req.Root, i+1, command, left)
		s.Commands = append(s.Commands, c)
		if err != nil {
			return err
		}
		left -= time.Duration(c.DurationMillis) * time.Millisecond
		if c.TimedOut {
			s.Verdict = Verdict{Code: outcome.SetupFailed, Message: fmt.Sprintf("setup command %d of %d (%q) was still running when the %s that all of them share had passed", c.Index, len(req.Commands), command, req.Limit)}
			break
		}
		if c.ExitCode != 0 || c.Signal != "" {
			s.Verdict = Verdict{Code: outcome.SetupFailed, Message: fmt.Sprintf("setup command %d of %d (%q) %s", c.Index, len(req.Commands), command, ending(c))}
			break
		}
	}
	after, err := req.Judge.Snapshot(ctx)
	if err != nil {
		return fmt.Errorf("look at the worktree: %w", err)
	}
	s.ChangedPaths = append(s.ChangedPaths, moved(before, after)...)
	if changed := contractChanges(req.Root, begun); len(changed) > 0 {
		s.Verdict = Verdict{Code: outcome.ContractMutated, Message: "a setup command changed the contract: " + list(changed)}
	}
	return nil
}
