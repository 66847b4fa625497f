package cli

import (
	"context"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
)

func (a *app) approve() *cobra.Command {
	var word, who, note, noteFile, expected, dir string
	var late bool
	cmd := &cobra.Command{
		Use:   "approve RUN",
		Short: "Record a person's answer to the question of a run; lands nothing",
		Args:  exactly("RUN"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := stated(cmd, "expected-updated-at"); err != nil {
				return err
			}
			if word == "" {
				return usagef("--decision is missing: see %s status %s for the options", a.program(), args[0])
			}
			if noteFile != "" {
				if note != "" {
					return usagef("the note is given twice")
				}
				data, err := a.given("note", noteFile)
				if err != nil {
					return err
				}
				note = string(data)
			}
			if who == "" {
				who = a.operator()
			}
			answer := decision.Answer{Decision: word, Actor: ledger.Actor{Login: who}, Source: decision.SourceCLI, Note: note, Expected: expected, AnsweredAt: a.now(), AcknowledgeExpired: late}
			return a.runApprove(cmd.Context(), dir, args[0], answer)
		},
	}
	f := cmd.Flags()
	f.StringVar(&word, "decision", "", "one of the run's options")
	f.StringVar(&who, "actor", "", "who decides; the user of this machine when empty")
	f.StringVar(&note, "note", "", "reason; a rejection's goes word for word to the next run")
	f.StringVar(&noteFile, "note-file", "", "file that holds the reason")
	f.StringVar(&expected, "expected-updated-at", "", "refuse if the question was updated since")
	f.BoolVar(&late, "acknowledge-expired", false, "answer although the time for it has passed")
	f.StringVar(&dir, "project", ".", "directory of the project")
	return cmd
}

func (a *app) runApprove(ctx context.Context, dir, id string, answer decision.Answer) error {
	l, err := a.openLocal(dir)
	if err != nil {
		return err
	}
	if l.home, err = a.loadHome(); err != nil {
		return err
	}
	red, err := a.redactor(l.home)
	if err != nil {
		return err
	}
	if working, err := a.takeOver(ctx, l, id); err != nil {
		return l.refusal(ctx, id, err)
	} else if len(working) > 0 {
		return stillRunning(working[0])
	}
	if answer.Decision == decision.Accept {
		if answer.Fingerprint, answer.Changed, err = a.fingerprint(ctx, l, id); err != nil {
			return l.refusal(ctx, id, err)
		}
	}
	answer.Contract = l.contract.SHA256()
	state, err := decision.Record(ctx, l.runsDir, id, red, answer, a.now())
	if err != nil && !l.again(id, answer.Decision, err) {
		return l.refusal(ctx, id, err)
	}
	if answer.Decision == decision.Apply || answer.Decision == decision.Proceed {
		if err := a.amend(ctx, l, id, red); err != nil {
			return l.refusal(ctx, id, err)
		}
		if state, err = decision.Load(l.runsDir, id); err != nil {
			return err
		}
	}
	projected, head := true, ""
	if run, err := ledger.Open(l.runsDir, id, red); err != nil {
		projected = false
	} else {
		projected, head = summarise(run) == nil, run.History().DecisionHead()
		_ = run.Close()
	}
	next := ""
	switch answer.Decision {
	case decision.Accept:
		next = l.program + " land " + id + l.at()
	case decision.Reject, decision.Retry, decision.Switch, decision.Apply, decision.Proceed:
		next = l.program + " run " + state.TaskID + l.at() + " --continue " + id
	}
	if answer.Decision == decision.Replan {
		next = l.program + " do" + l.at() + " --prepare always --task-id " + state.TaskID + " --goal-file " + quoted(filepath.Join(l.runsDir, id, "context", "goal.txt"))
	}
	a.narrate("recorded %s on %s; nothing is landed", answer.Decision, id)
	a.narrate("to anchor the decision elsewhere, keep %s", head)
	return a.print(object{"ok": true, "code": "decision_recorded", "decision": state, "summary_projection_updated": projected, "lands": false, "next": next, "ledger_head": head})
}

// again reports whether an edit is asked for that was answered already and may not
// be written yet: the answer stays, and only the writing is owed.
func (l *local) again(id, word string, err error) bool {
	s, loadErr := decision.Load(l.runsDir, id)
	return (word == decision.Apply || word == decision.Proceed) && decision.CodeOf(err) == decision.DuplicateDecision && loadErr == nil && s.Answer() == word
}

// refusal names the project that was consulted, so that an answer typed in the
// wrong directory is not taken for a run that does not exist, and the worktree that
// has the run.
func (l *local) refusal(ctx context.Context, id string, err error) error {
	hint := "looked in " + l.root
	if l.project.Name != "" {
		hint = "looked in project " + l.project.Name + " at " + l.root
	}
	code := decision.CodeOf(err)
	switch {
	case errors.Is(err, ledger.ErrUnknownRun):
		code = decision.UnknownRun
	case errors.Is(err, ledger.ErrUnsafeRunID):
		code = decision.UnsafeRunID
	}
	switch code {
	case "":
		return err
	case decision.UnsafeRunID:
		hint = ""
	case decision.RejectionTextNeeded:
		hint = "nothing was recorded; " + answerWith(l.program, id, l.at(), decision.Reject) + ", or --note-file FILE"
	case decision.GateExpired:
		hint = "nothing was recorded; if what the run shows still holds, add --acknowledge-expired"
	case decision.UnknownRun:
		if tree := l.holder(ctx, id); tree != "" {
			hint = "run " + id + " is in the worktree " + tree + ": use --project " + quoted(tree)
		}
	}
	return &refused{Code: string(code), Message: err.Error(), Hint: hint}
}

// operator is the user of this machine.
func (a *app) operator() string {
	for _, name := range []string{"USER", "LOGNAME", "USERNAME"} {
		if v := a.env(name); v != "" {
			return v
		}
	}
	return "operator"
}
