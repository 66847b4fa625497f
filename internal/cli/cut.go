package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/ci"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/usage"
)

// broken leaves a word for the job where nothing could be reconciled, so that an
// earlier step's outputs do not show through and the summary is not empty.
func (a *app) broken(ctx context.Context, job ci.Context, err error) error {
	o := ci.Outputs{Outcome: "failed"}
	if interrupted(ctx) {
		o.Outcome = string(outcome.Interrupted)
		err = &refused{Code: o.Outcome, Message: "the job was cancelled before anything was reconciled: " + err.Error()}
	}
	text := fmt.Sprintf("## Warden\n\nNothing was reconciled (`%s`): %s\n", o.Outcome, plain.Inline(plain.Line(err.Error(), 1000)))
	var told []error
	if job.OutputPath != "" {
		told = append(told, ci.WriteOutputs(job.OutputPath, o, rand.Reader))
	}
	if job.SummaryPath != "" {
		_, failed := ci.WriteSummary(job.SummaryPath, text)
		told = append(told, failed)
	}
	if failed := errors.Join(told...); failed != nil {
		return fmt.Errorf("%w; %w", err, failed)
	}
	return err
}

// warn shows warnings at once, since the killer that they warn of leaves nothing.
func warn(job ci.Context, log *ci.Log, warnings []string) error {
	var text strings.Builder
	for _, w := range warnings {
		if err := log.Annotate(forge.Annotation{Level: "warning", Title: "time limits", Message: w}); err != nil {
			return err
		}
		fmt.Fprintf(&text, "- Warning: %s\n", plain.Inline(plain.Line(w, 500)))
	}
	if text.Len() == 0 || job.SummaryPath == "" {
		return nil
	}
	_, err := ci.WriteSummary(job.SummaryPath, text.String())
	return err
}

// amount is what was reported, "" for what is not known.
func amount(a usage.Amount) string {
	v, known := a.Get()
	if !known {
		return ""
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
