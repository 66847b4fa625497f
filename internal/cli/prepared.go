package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/runner"
	"github.com/tolboy/warden/internal/workflow"
)

// drafting reads a run that only drafted a task: what it came to, nil where it came
// to nothing, and the planner's last word.
func drafting(h ledger.History) (is bool, made *ledger.RunPrepared, said *ledger.RoleRun) {
	for _, line := range h.Lines {
		p, err := line.Payload()
		if err != nil {
			continue
		}
		switch e := p.(type) {
		case *ledger.RunReserved:
			is = e.Preparation
		case *ledger.RunPrepared:
			made = e
		case *ledger.RoleRun:
			if e.Role == workflow.Planner && e.OK {
				said = e
			}
		}
	}
	return is, made, said
}

// carryPlan goes on from a preparation: its calls count, and its arithmetic is kept
// beside that of the contract. It carries no verdict, so nobody had to answer.
func carryPlan(h ledger.History, end ledger.Ending, made *ledger.RunPrepared, order *runner.Order, taskSHA string) (string, error) {
	if h.Run.TaskID != order.Task.ID {
		return "", fmt.Errorf("continue %q: it drafted the task %s, not %s", h.Run.RunID, h.Run.TaskID, order.Task.ID)
	}
	order.Reserved.PreparedBy = h.Run.RunID
	if made != nil && made.TaskSHA256 == taskSHA {
		order.Reserved.AtReservation, order.Reserved.Matched = made.AtReservation, made.Matched
	}
	return fmt.Sprintf("goes on from preparation %s, whose %d vendor call(s) count", h.Run.RunID, end.RoleRuns), nil
}

// brief finds the plan at the start of a chain of runs, for the stages to read. One
// that does not match its ledger is left out, and that is an error.
func brief(runsDir string, h ledger.History) ([]engine.Brief, error) {
	for range 1000 {
		if is, _, said := drafting(h); is {
			return planBrief(runsDir, said)
		}
		if h.Run.Continues == "" {
			return nil, nil
		}
		var err error
		if h, err = ledger.Read(runsDir, h.Run.Continues); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("more than 1000 runs continue each other")
}

func planBrief(runsDir string, said *ledger.RoleRun) ([]engine.Brief, error) {
	if said == nil || said.Artifact == "" {
		return nil, nil
	}
	answer, err := os.ReadFile(filepath.Join(runsDir, filepath.FromSlash(said.Artifact)))
	if err != nil {
		return nil, fmt.Errorf("read the plan: %w", err)
	}
	if sum := sha256.Sum256(answer); hex.EncodeToString(sum[:]) != said.ArtifactSHA256 {
		return nil, fmt.Errorf("read the plan: %s is not what the ledger says", said.Artifact)
	}
	return []engine.Brief{{Role: workflow.Planner, Stage: said.Stage, Profile: said.Profile, Answer: answer}}, nil
}
