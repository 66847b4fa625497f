package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/durable"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/redact"
)

// amend writes the edit of the contract that a person has had applied, or the draft
// that a person goes on with: exactly the
// text that was shown, in the place of exactly the text that it was made from. Where
// it is written already it stays. The answer stands in the ledger before, so that an
// edit which a crash prevented can be made by the same command again.
func (a *app) amend(ctx context.Context, l *local, id string, red *redact.Set) error {
	change, text, err := l.proposed(id, red)
	if err != nil {
		return err
	}
	m, err := a.machine(ctx, l.root)
	if err != nil {
		return err
	}
	release, err := a.hold(ctx, m, l.root, id)
	if err != nil {
		return err
	}
	defer release()
	name, ok := strings.CutPrefix(change.File, ".warden/")
	if !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
		return fmt.Errorf("apply the edit of run %q: %q is no file of the contract", id, change.File)
	}
	dir, err := durable.OpenDir(filepath.Join(l.root, ".warden"))
	if err != nil {
		return fmt.Errorf("apply the edit of run %q: %w", id, err)
	}
	defer dir.Close()
	now, err := os.ReadFile(filepath.Join(l.root, ".warden", filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) && change.Before == "" {
		if err := dir.Mkdir("tasks"); err != nil {
			return fmt.Errorf("apply the edit of run %q: %w", id, err)
		}
		return dir.Create(name, text) // a draft that is not written yet
	}
	switch {
	case err != nil:
		return fmt.Errorf("apply the edit of run %q: %w", id, err)
	case bytes.Equal(now, text):
		return nil
	case noteDigest(now) != change.Before:
		return &refused{Code: string(decision.ContractChanged), Message: fmt.Sprintf("apply the edit of run %q: %s is not the text that the edit was made from", id, change.File),
			Hint: "it was left as it is; run the task again"}
	}
	if err := dir.Replace(name, text); err != nil {
		return fmt.Errorf("apply the edit of run %q: %w", id, err)
	}
	return nil
}

// proposed is the edit that a run ended with, and its text, held against its hash.
func (l *local) proposed(id string, red *redact.Set) (*ledger.ContractChange, []byte, error) {
	run, err := ledger.Open(l.runsDir, id, red)
	if err != nil {
		return nil, nil, err
	}
	defer run.Close()
	end, _, err := outcomeOf(run.History())
	if err != nil {
		return nil, nil, err
	}
	line, _ := run.History().Sealed()
	for _, f := range line.Files {
		if end.ContractChange.Offered() && f.Path == end.ContractChange.Text && f.SHA256 == end.ContractChange.After {
			text, err := run.ReadFile(f)
			return end.ContractChange, text, err
		}
	}
	return nil, nil, fmt.Errorf("apply the edit of run %q: its ledger holds none", id)
}

// unapplied says why a run whose edit was to be applied cannot be continued yet.
func (l *local) unapplied(id, word string, c *ledger.ContractChange) error {
	now, err := os.ReadFile(filepath.Join(l.root, filepath.FromSlash(c.File)))
	switch {
	case errors.Is(err, fs.ErrNotExist) && c.Before == "":
		return fmt.Errorf("the draft is not written yet: %s writes it", answerWith(l.program, id, l.at(), word))
	case err != nil:
		return err
	case noteDigest(now) == c.After:
		return nil
	case noteDigest(now) == c.Before:
		return fmt.Errorf("the edit that was answered is not written yet: %s writes it", answerWith(l.program, id, l.at(), word))
	}
	return fmt.Errorf("%s is neither the text before the edit nor the one after it", c.File)
}

// proceeds says why nothing may follow a preparation whose draft somebody objects to:
// a person has to have said that it does, and the draft has to be written.
func (l *local) proceeds(id string, end ledger.Ending, decided *ledger.HumanDecision) error {
	switch {
	case end.Code != outcome.PlanReviewFindingsRemain:
		return nil
	case decided == nil:
		return fmt.Errorf("the reader of its draft objects, and nobody has decided on it yet; see %s status %s", l.program, id)
	case decided.Decision != decision.Proceed:
		return fmt.Errorf("the decision %q permits no run of its draft", decided.Decision)
	case end.ContractChange.Offered():
		return l.unapplied(id, decision.Proceed, end.ContractChange)
	}
	return fmt.Errorf("its draft cannot be written: %s", end.ContractChange.Problem)
}
