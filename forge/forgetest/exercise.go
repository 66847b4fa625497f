package forgetest

import (
	"errors"
	"strings"
	"testing"

	"github.com/tolboy/warden/forge"
)

// bench is one case at work: a fresh forge, and helpers that end the case.
type bench struct {
	*testing.T
	forge.Forge
	w *World
}

// Exercise holds a forge to what package forge documents, every error included.
// newForge makes a fresh repository for each case, with the default cast, no
// issue, and one branch; what it starts it ends with t.Cleanup.
func Exercise(t *testing.T, newForge func(t *testing.T) (forge.Forge, *World)) {
	cases := map[string]func(*bench){
		"who we are":                         exerciseSelf,
		"peer-01 six labels at birth":        exerciseLabelsAtBirth,
		"peer-06 an edit shows":              exerciseIssueEdits,
		"an issue's history":                 exerciseHistory,
		"peer-09 a deleted account":          exerciseGhost,
		"peer-26 a hundred and one comments": exerciseManyComments,
		"HG-10 comments edited and deleted":  exerciseCommentEdits,
		"HG-10 reviews edited and dismissed": exerciseReviewEdits,
		"peer-25 a body over the limit":      exerciseBodyLimit,
		"our comments":                       exerciseOwnComments,
		"open issues by label":               exerciseOpenIssues,
		"a draft and its life":               exerciseDraft,
		"peer-12 no drafts":                  exerciseNoDrafts,
		"pull requests of a branch":          exerciseBranchPulls,
		"peer-17 a review to the last byte":  exerciseReviewText,
		"peer-19 a review names its commit":  exerciseStaleReview,
		"peer-21 permissions":                exercisePermissions,
		"a login taken over":                 exerciseTakenLogin,
		"a check":                            exerciseCheck,
		"check runs refused":                 exerciseCheckRefused,
		"a review requested":                 exerciseRequestReview,
		"what does not exist":                exerciseNotFound,
		"what is forbidden":                  exerciseForbidden,
		"a refused credential":               exerciseUnauthorized,
		"rate limits":                        exerciseRateLimits,
		"flaky reads":                        exerciseFlakyReads,
		"a canceled context":                 exerciseCanceled,
	}
	for name, run := range cases {
		t.Run(strings.ReplaceAll(name, " ", "_"), func(t *testing.T) {
			t.Parallel()
			f, w := newForge(t)
			run(&bench{T: t, Forge: f, w: w})
			for _, v := range w.TakeViolations() {
				t.Errorf("violation: %s: %s", v.Kind, v.Text)
			}
		})
	}
}

// ok ends the case at an error.
func (b *bench) ok(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// fails wants an error that is the one named, and that does not tell the
// credential.
func (b *bench) fails(what string, err, want error) {
	b.Helper()
	switch {
	case err == nil:
		b.Errorf("%s: no error, want %v", what, want)
	case want != nil && !errors.Is(err, want):
		b.Errorf("%s: %v, want %v", what, err, want)
	case strings.Contains(err.Error(), b.w.Canary):
		b.Errorf("%s: the error tells the credential", what)
	}
}

func equal[T comparable](b *bench, what string, got, want T) {
	b.Helper()
	if got != want {
		b.Errorf("%s = %v, want %v", what, got, want)
	}
}

// value ends the case at an error and returns the value.
func value[T any](b *bench) func(T, error) T {
	return func(v T, err error) T {
		b.Helper()
		b.ok(err)
		return v
	}
}

func (b *bench) issue(labels ...string) int {
	b.Helper()
	return value[int](b)(b.w.People.OpenIssue(Writer, "Title", "Body", labels...))
}

// pull opens a draft from a fresh branch with three lines in src/a.txt.
func (b *bench) pull(branch string) forge.PullRequest {
	b.Helper()
	value[string](b)(b.w.People.Push(Bot, branch, map[string]string{"src/a.txt": "one\ntwo\nthree\n"}))
	return value[forge.PullRequest](b)(b.OpenDraft(b.Context(), b.newPull(branch)))
}

func (b *bench) newPull(branch string) forge.NewPullRequest {
	base := value[string](b)(b.DefaultBranch(b.Context()))
	return forge.NewPullRequest{Title: "A title", Body: "A body", HeadRef: branch, BaseRef: base}
}
