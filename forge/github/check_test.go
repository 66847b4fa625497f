package github_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
)

type sentCheck struct {
	Status, Conclusion string
	Output             struct {
		Title, Summary string
		Annotations    []struct{ Path string }
	}
}

func sentChecks(t *testing.T, s *forgetest.Server) (out []sentCheck) {
	t.Helper()
	for _, r := range s.Requests() {
		if r.Route != "check.create" && r.Route != "check.update" {
			continue
		}
		var c sentCheck
		if err := json.Unmarshal(r.Body, &c); err != nil {
			t.Fatal(err)
		}
		out = append(out, c)
	}
	return out
}

func TestCheckAnnotationsInChunks(t *testing.T) {
	t.Parallel()
	s, c := start(t, forgetest.Options{})
	pr := openPull(t, s, c, "warden/issue-1-x")
	check := forge.Check{Name: "warden/gate", HeadSHA: pr.HeadSHA, State: forge.CheckFailure, Title: "Findings", Summary: "many"}
	for i := range 120 {
		check.Annotations = append(check.Annotations, forge.Annotation{
			Path: "src/a.txt", Line: i, Level: "failure", Title: fmt.Sprint(i), Message: "objection",
		})
	}
	check = must[forge.Check](t)(c.SetCheck(t.Context(), check))
	sent := sentChecks(t, s)
	var sizes []string
	for _, one := range sent {
		sizes = append(sizes, fmt.Sprint(len(one.Output.Annotations)))
		if one.Output.Title != "Findings" || one.Output.Summary != "many" || one.Conclusion != "failure" {
			t.Errorf("a request left out a part of the output: %+v", one)
		}
	}
	if got := strings.Join(sizes, " "); got != "50 50 20" {
		t.Errorf("annotations by request: %s", got)
	}

	// The same again adds none; one more adds one.
	check.Annotations = append(check.Annotations, forge.Annotation{Path: "src/b.txt", Line: 1, Level: "notice", Message: "new"})
	check.State = forge.CheckSuccess
	must[forge.Check](t)(c.SetCheck(t.Context(), check))
	later := sentChecks(t, s)[len(sent):]
	if len(later) != 1 || len(later[0].Output.Annotations) != 1 || later[0].Output.Annotations[0].Path != "src/b.txt" {
		t.Errorf("sent again: %+v", later)
	}
	if later[0].Output.Title != "Findings" || later[0].Output.Summary != "many" {
		t.Errorf("an update left out a part of the output: %+v", later[0])
	}
}

func TestCheckReadsOthersConclusionsAsFailures(t *testing.T) {
	t.Parallel()
	s, c := start(t, forgetest.Options{})
	pr := openPull(t, s, c, "warden/issue-1-x")
	check := must[forge.Check](t)(c.SetCheck(t.Context(), forge.Check{Name: "warden/gate", HeadSHA: pr.HeadSHA, State: forge.CheckWaiting, Title: "t"}))
	for conclusion, want := range map[string]forge.CheckState{
		"neutral": forge.CheckFailure, "skipped": forge.CheckFailure, "cancelled": forge.CheckFailure, "success": forge.CheckSuccess,
	} {
		if err := s.ConcludeCheck(check.ID, conclusion); err != nil {
			t.Fatal(err)
		}
		got := must[[]forge.Check](t)(c.Checks(t.Context(), pr.HeadSHA, "warden/gate"))
		if got[0].State != want {
			t.Errorf("%s reads as %s, want %s", conclusion, got[0].State, want)
		}
	}
}

func TestSummaryOverTheLimit(t *testing.T) {
	t.Parallel()
	s, c := start(t, forgetest.Options{})
	pr := openPull(t, s, c, "warden/issue-1-x")
	for _, summary := range []string{strings.Repeat("x", 65_536), strings.Repeat("é", 40_000)} {
		_, err := c.SetCheck(t.Context(), forge.Check{Name: "g", HeadSHA: pr.HeadSHA, State: forge.CheckWaiting, Title: "t", Summary: summary})
		if err == nil || !strings.Contains(err.Error(), "(422)") {
			t.Errorf("%d bytes: error %v", len(summary), err)
		}
	}
}
