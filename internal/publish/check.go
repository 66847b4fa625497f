package publish

import (
	"fmt"
	"path"
	"strings"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/plain"
)

// CheckName is the check that stands for a person's word. It is green only while
// an accept holds, and never neutral or skipped, which forges count as passed.
const CheckName = "warden/gate"

// maxAnnotations is what a forge takes in one request.
const maxAnnotations = 50

// Check returns the check on a commit. Any commit but the candidate only waits.
func Check(v View, sha string, state forge.CheckState) forge.Check {
	c := forge.Check{Name: CheckName, HeadSHA: sha, State: state, ExternalID: v.RunID}
	if sha != v.Candidate {
		c.State, c.Title = forge.CheckWaiting, "This commit is not the candidate"
		c.Summary = fmt.Sprintf("The candidate of run %s is %s. Nobody judged this commit.\n", code(v.RunID), code(v.Candidate))
		return c
	}
	switch state {
	case forge.CheckSuccess:
		c.Title = "Accepted by a person"
	case forge.CheckFailure:
		c.Title = "Refused by a person"
	default:
		c.State, c.Title = forge.CheckWaiting, "Waiting for a person"
	}
	c.Annotations = annotations(v.Findings)
	c.Summary, _ = fit([]section{
		{text: headline(v)},
		verdictSection(v, 200),
		{name: "open findings", text: findingSection(v, true), short: findingSection(v, false), shed: 1},
		{text: "Cost: " + spent(v) + "."},
		{text: ledgerSection(v)},
		{text: answerSection(v)},
	}, MaxBody)
	return c
}

// annotations points at the lines of blocking findings; one without a line that
// can exist stands in the summary only.
func annotations(findings []outcome.Finding) []forge.Annotation {
	var out []forge.Annotation
	for _, f := range outcome.Blocking(findings) {
		clean := path.Clean(f.Path)
		if len(out) == maxAnnotations {
			break
		}
		if f.Line < 1 || f.Path == "" || path.IsAbs(f.Path) || clean != f.Path || strings.HasPrefix(clean, "..") ||
			plain.Line(f.Path, 1000) != f.Path {
			continue
		}
		out = append(out, forge.Annotation{Path: f.Path, Line: f.Line, Level: "failure",
			Title: plain.Title("Blocking: "+f.Message, 100), Message: plain.Title(f.Message, 1000)})
	}
	return out
}
