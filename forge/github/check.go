package github

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/google/go-github/v66/github"

	"github.com/tolboy/warden/forge"
)

// errNoList is an answer of null where a list belongs.
var errNoList = errors.New("the answer is no list")

// chunk is the most annotations that one request may carry.
const chunk = 50

// SetCheck implements forge.Writer. Where check runs are refused a commit status
// stands in; the Check that comes back then has no ID. Annotations that the
// check has already are not added again. On an error after the check exists, the
// Check that comes back has its ID.
func (c *Client) SetCheck(ctx context.Context, check forge.Check) (forge.Check, error) {
	done, err := c.setRun(ctx, check)
	if errors.Is(err, forge.ErrForbidden) && done.ID == 0 {
		check.ID = 0
		return check, c.SetStatus(ctx, check)
	}
	return done, err
}

func (c *Client) setRun(ctx context.Context, check forge.Check) (forge.Check, error) {
	action := fmt.Sprintf("set check %q on %.12s", check.Name, check.HeadSHA)
	rest, err := c.newAnnotations(ctx, action, check)
	if err != nil {
		return forge.Check{}, err
	}
	first := rest[:min(chunk, len(rest))]
	rest = rest[len(first):]
	status, conclusion := "in_progress", (*string)(nil)
	if check.State == forge.CheckSuccess || check.State == forge.CheckFailure {
		status, conclusion = "completed", github.String(string(check.State))
	}
	if check.ID == 0 {
		run, _, err := c.api.Checks.CreateCheckRun(ctx, c.repo.Owner, c.repo.Name, github.CreateCheckRunOptions{
			Name: check.Name, HeadSHA: check.HeadSHA, ExternalID: external(check), Status: &status, Conclusion: conclusion,
			Output: output(check, first),
		})
		if err != nil {
			return forge.Check{}, c.explain(action, err)
		}
		if check.ID = run.GetID(); check.ID == 0 {
			return forge.Check{}, &apiError{action, "the answer has no id", nil}
		}
	} else if err := c.update(ctx, action, check, status, conclusion, first); err != nil {
		return forge.Check{}, err
	}
	for part := range slices.Chunk(rest, chunk) {
		if err := c.update(ctx, action, check, status, conclusion, part); err != nil {
			return check, err
		}
	}
	return check, nil
}

// update sends the whole output each time: the forge replaces it as a whole, and
// only annotations add up.
func (c *Client) update(ctx context.Context, action string, check forge.Check, status string, conclusion *string, part []forge.Annotation) error {
	_, _, err := c.api.Checks.UpdateCheckRun(ctx, c.repo.Owner, c.repo.Name, check.ID, github.UpdateCheckRunOptions{
		Name: check.Name, ExternalID: external(check), Status: &status, Conclusion: conclusion, Output: output(check, part),
	})
	return c.explain(action, err)
}

func external(check forge.Check) *string {
	if check.ExternalID == "" {
		return nil
	}
	return &check.ExternalID
}

func output(check forge.Check, part []forge.Annotation) *github.CheckRunOutput {
	out := &github.CheckRunOutput{Title: &check.Title, Summary: &check.Summary}
	for _, a := range part {
		line := max(a.Line, 1)
		g := &github.CheckRunAnnotation{
			Path: &a.Path, StartLine: &line, EndLine: &line, AnnotationLevel: &a.Level, Message: &a.Message,
		}
		if a.Title != "" {
			g.Title = &a.Title
		}
		out.Annotations = append(out.Annotations, g)
	}
	return out
}

// newAnnotations leaves out those that an existing check shows already.
func (c *Client) newAnnotations(ctx context.Context, action string, check forge.Check) ([]forge.Annotation, error) {
	if check.ID == 0 || len(check.Annotations) == 0 {
		return check.Annotations, nil
	}
	there, err := pages(c, action, func(o github.ListOptions) ([]*github.CheckRunAnnotation, *github.Response, error) {
		return c.api.Checks.ListCheckRunAnnotations(ctx, c.repo.Owner, c.repo.Name, check.ID, &o)
	})
	if err != nil {
		return nil, err
	}
	var out []forge.Annotation
	for _, a := range check.Annotations {
		same := func(g *github.CheckRunAnnotation) bool {
			return g.GetPath() == a.Path && g.GetStartLine() == max(a.Line, 1) && g.GetTitle() == a.Title && g.GetMessage() == a.Message
		}
		if !slices.ContainsFunc(there, same) {
			out = append(out, a)
		}
	}
	return out, nil
}

// Checks implements forge.Reader. Where there are no check runs, or they may not
// be read, it returns the commit statuses of that name, which have no ID.
func (c *Client) Checks(ctx context.Context, sha, name string) ([]forge.Check, error) {
	action := fmt.Sprintf("list checks %q on %.12s", name, sha)
	runs, err := pages(c, action, func(o github.ListOptions) ([]*github.CheckRun, *github.Response, error) {
		page, resp, err := c.api.Checks.ListCheckRunsForRef(ctx, c.repo.Owner, c.repo.Name, sha,
			&github.ListCheckRunsOptions{CheckName: &name, Filter: github.String("all"), ListOptions: o})
		if err != nil || page == nil {
			return nil, resp, cmp.Or(err, errNoList)
		}
		return page.CheckRuns, resp, nil
	})
	if err != nil && !errors.Is(err, forge.ErrForbidden) {
		return nil, err
	}
	var out []forge.Check
	for _, r := range unique(runs, (*github.CheckRun).GetID) {
		if r.GetName() == name {
			out = append(out, checkOf(sha, r))
		}
	}
	slices.SortStableFunc(out, func(a, b forge.Check) int { return cmp.Compare(b.ID, a.ID) })
	if len(out) > 0 {
		return out, nil
	}
	return c.statuses(ctx, sha, name)
}

// checkOf reads a conclusion other than success as a failure: the forge counts
// neutral and skipped as passed, and they are not.
func checkOf(sha string, r *github.CheckRun) forge.Check {
	state := forge.CheckWaiting
	if r.GetStatus() == "completed" {
		state = forge.CheckFailure
		if r.GetConclusion() == "success" {
			state = forge.CheckSuccess
		}
	}
	return forge.Check{
		ID: r.GetID(), Name: r.GetName(), HeadSHA: cmp.Or(r.GetHeadSHA(), sha), State: state, Title: r.GetOutput().GetTitle(),
		Summary: r.GetOutput().GetSummary(), ExternalID: r.GetExternalID(),
	}
}
