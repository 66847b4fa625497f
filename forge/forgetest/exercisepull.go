package forgetest

import (
	"fmt"
	"strings"

	"github.com/tolboy/warden/forge"
)

func exerciseDraft(b *bench) {
	ctx := b.Context()
	pr := b.pull("warden/one")
	equal(b, "draft", pr.Draft, true)
	equal(b, "open", pr.Open, true)
	equal(b, "author", pr.Author, b.w.People.User(Bot))
	equal(b, "head", pr.HeadRef, "warden/one")
	_, err := b.OpenDraft(ctx, b.newPull("warden/one"))
	b.fails("a second one for the branch", err, forge.ErrConflict)
	_, err = b.OpenDraft(ctx, b.newPull("warden/absent"))
	b.fails("one for a branch that is not there", err, nil)

	b.ok(b.SetDraft(ctx, pr, false))
	equal(b, "draft", value[forge.PullRequest](b)(b.PullRequest(ctx, pr.Number)).Draft, false)
	b.ok(b.SetDraft(ctx, pr, true))
	equal(b, "draft", value[forge.PullRequest](b)(b.PullRequest(ctx, pr.Number)).Draft, true)

	changed := value[forge.PullRequest](b)(b.UpdatePull(ctx, pr.Number, "Second title", "Second body\r\n"))
	equal(b, "draft after an update", changed.Draft, true)
	read := value[forge.PullRequest](b)(b.PullRequest(ctx, pr.Number))
	equal(b, "title", read.Title, "Second title")
	equal(b, "body", read.Body, "Second body\r\n")

	head := value[string](b)(b.w.People.Push(Writer, "warden/one", map[string]string{"b.txt": "b\n"}))
	moved := value[forge.PullRequest](b)(b.PullRequest(ctx, pr.Number))
	equal(b, "head after a push", moved.HeadSHA, head)
	exerciseCommits(b, pr.Number, head)

	b.ok(b.SetDraft(ctx, pr, false))
	b.ok(b.w.People.MergePR(Maintainer, pr.Number))
	merged := value[forge.PullRequest](b)(b.PullRequest(ctx, pr.Number))
	equal(b, "merged", merged.Merged, true)
	equal(b, "open", merged.Open, false)
	equal(b, "merged by", merged.MergedBy, b.w.People.User(Maintainer))
	equal(b, "closed at some time", merged.ClosedAt.IsZero(), false)
}

// exerciseCommits asks whose the commits of a pull request are, where the forge tells.
func exerciseCommits(b *bench, number int, head string) {
	teller, can := b.Forge.(forge.Historian)
	if !can {
		return
	}
	commits, complete, err := teller.Commits(b.Context(), number)
	b.ok(err)
	equal(b, "all commits are listed", complete, true)
	var last forge.Commit
	for _, c := range commits {
		last = c
	}
	equal(b, "the newest commit", last.SHA, head)
	equal(b, "its author", last.Author, b.w.People.User(Writer))
	equal(b, "its committer", last.Committer, b.w.People.User(Writer))
}

func exerciseNoDrafts(b *bench) {
	if !b.w.Arrange(NoDrafts) {
		b.Skip("every repository of this forge has drafts")
	}
	value[string](b)(b.w.People.Push(Bot, "warden/plain", map[string]string{"a.txt": "a\n"}))
	_, err := b.OpenDraft(b.Context(), b.newPull("warden/plain"))
	b.fails("a draft", err, forge.ErrDraftsUnsupported)
	pr := value[forge.PullRequest](b)(b.OpenPull(b.Context(), b.newPull("warden/plain")))
	equal(b, "draft", pr.Draft, false)
	equal(b, "open", pr.Open, true)
}

func exerciseBranchPulls(b *bench) {
	ctx := b.Context()
	equal(b, "none yet", len(value[[]forge.PullRequest](b)(b.PullRequests(ctx, "warden/b"))), 0)
	var want []int
	for range 3 {
		pr := b.pull("warden/b")
		want = append([]int{pr.Number}, want...)
		if len(want) < 3 {
			b.ok(b.w.People.ClosePR(Writer, pr.Number))
			value[string](b)(b.w.People.Push(Bot, "warden/b", map[string]string{"again.txt": fmt.Sprint(pr.Number)}))
		}
	}
	b.pull("warden/other")
	var got []int
	for i, pr := range value[[]forge.PullRequest](b)(b.PullRequests(ctx, "warden/b")) {
		got = append(got, pr.Number)
		equal(b, "open", pr.Open, i == 0)
		equal(b, "merged", pr.Merged, false)
	}
	equal(b, "pull requests, newest first", fmt.Sprint(got), fmt.Sprint(want))
}

func exerciseReviewText(b *bench) {
	pr := b.pull("warden/review")
	body := "Not yet.\r\n\r\n```suggestion\n\tx\n```\n🙂 `/warden accept` @everyone"
	notes := []InlineComment{
		{Path: "src/a.txt", Line: 2, Body: "second\r\nline"},
		{Path: "src/a.txt", StartLine: 1, Line: 3, Body: "all of it"},
		{Path: "src/a.txt", Body: "the file"},
	}
	id := value[int64](b)(b.w.People.Review(Maintainer, pr.Number, forge.ChangesRequested, body, notes...))
	_, err := b.w.People.Review(Writer, pr.Number, forge.Commented, "", InlineComment{Path: "src/a.txt", Line: 1, Body: "aside"})
	b.ok(err)
	_, err = b.w.People.Review(Writer, pr.Number, forge.Approved, "")
	b.ok(err)
	reviews := value[[]forge.Review](b)(b.Reviews(b.Context(), pr.Number))
	var states []string
	for _, r := range reviews {
		states = append(states, string(r.State))
		equal(b, "commit", r.CommitID, pr.HeadSHA)
		equal(b, "edited", r.EditedAt != nil || r.EditsUnknown, false)
	}
	equal(b, "states", strings.Join(states, " "), "changes_requested commented approved")
	first := reviews[0]
	equal(b, "id", first.ID, id)
	equal(b, "body", first.Body, body)
	equal(b, "author", first.Author, b.w.People.User(Maintainer))
	equal(b, "inline comments", len(first.Comments), len(notes))
	for i, c := range first.Comments {
		equal(b, "text", c.Body, notes[i].Body)
		equal(b, "line", c.Line, notes[i].Line)
		equal(b, "start", c.StartLine, notes[i].StartLine)
		equal(b, "path", c.Path, "src/a.txt")
		equal(b, "side", c.Side, "RIGHT")
		equal(b, "commit", c.CommitID, pr.HeadSHA)
		equal(b, "hunk is there", c.DiffHunk != "", notes[i].Line != 0)
	}
	equal(b, "inline comments of the second", len(reviews[1].Comments), 1)
	equal(b, "inline comments of the third", len(reviews[2].Comments), 0)
}

func exerciseStaleReview(b *bench) {
	pr := b.pull("warden/stale")
	note := InlineComment{Path: "src/a.txt", StartLine: 1, Line: 2, Body: "here"}
	_, err := b.w.People.Review(Maintainer, pr.Number, forge.Approved, "fine", note)
	b.ok(err)
	head := value[string](b)(b.w.People.Push(Writer, "warden/stale", map[string]string{"src/a.txt": "quite different\n"}))
	reviews := value[[]forge.Review](b)(b.Reviews(b.Context(), pr.Number))
	equal(b, "commit of the review", reviews[0].CommitID, pr.HeadSHA)
	now := value[forge.PullRequest](b)(b.PullRequest(b.Context(), pr.Number))
	equal(b, "head", now.HeadSHA, head)
	outdated := reviews[0].Comments[0]
	equal(b, "line of an outdated comment", outdated.Line, 2)
	equal(b, "start of an outdated comment", outdated.StartLine, 1)
	equal(b, "commit of an outdated comment", outdated.CommitID, pr.HeadSHA)
}

func exerciseReviewEdits(b *bench) {
	pr := b.pull("warden/edits")
	edited := value[int64](b)(b.w.People.Review(Maintainer, pr.Number, forge.ChangesRequested, "retry"))
	dismissed := value[int64](b)(b.w.People.Review(Writer, pr.Number, forge.Approved, "fine"))
	value[int64](b)(b.w.People.Review(Reader, pr.Number, forge.Approved, "me too"))
	b.ok(b.w.People.EditReview(Maintainer, pr.Number, edited, "abort"))
	b.ok(b.w.People.DismissReview(Maintainer, pr.Number, dismissed))
	reviews := value[[]forge.Review](b)(b.Reviews(b.Context(), pr.Number))
	equal(b, "reviews", len(reviews), 3)
	equal(b, "the first is edited", reviews[0].EditedAt != nil || reviews[0].EditsUnknown, true)
	equal(b, "state of the second", reviews[1].State, forge.Dismissed)
	equal(b, "the third is edited", reviews[2].EditedAt != nil || reviews[2].EditsUnknown, false)
	equal(b, "state of the third", reviews[2].State, forge.Approved)
}

func exerciseRequestReview(b *bench) {
	pr := b.pull("warden/ask")
	b.ok(b.RequestReview(b.Context(), pr.Number, Maintainer))
	b.ok(b.RequestReview(b.Context(), pr.Number, Maintainer))
	b.fails("a review from a stranger", b.RequestReview(b.Context(), pr.Number, Stranger), nil)
}

func exerciseCheck(b *bench) {
	ctx := b.Context()
	pr := b.pull("warden/check")
	equal(b, "none yet", len(value[[]forge.Check](b)(b.Checks(ctx, pr.HeadSHA, "warden/gate"))), 0)
	check := forge.Check{Name: "warden/gate", HeadSHA: pr.HeadSHA, State: forge.CheckWaiting, Title: "Waiting", Summary: "for a person"}
	check = value[forge.Check](b)(b.SetCheck(ctx, check))
	value[forge.Check](b)(b.SetCheck(ctx, forge.Check{Name: "other", HeadSHA: pr.HeadSHA, State: forge.CheckFailure, Title: "No"}))
	for _, state := range []forge.CheckState{forge.CheckWaiting, forge.CheckSuccess, forge.CheckWaiting, forge.CheckFailure} {
		check.State, check.Title = state, "Now "+string(state)
		check = value[forge.Check](b)(b.SetCheck(ctx, check))
		got := value[[]forge.Check](b)(b.Checks(ctx, pr.HeadSHA, "warden/gate"))
		if len(got) == 0 {
			b.Fatal("the check is not there")
		}
		equal(b, "state", got[0].State, state)
		equal(b, "title", got[0].Title, check.Title)
		equal(b, "id", got[0].ID, check.ID)
	}
}

func exerciseCheckRefused(b *bench) {
	if !b.w.Arrange(NoCheckRuns) {
		b.Skip("this forge has no check runs to refuse")
	}
	pr := b.pull("warden/status")
	check := forge.Check{Name: "warden/gate", HeadSHA: pr.HeadSHA, State: forge.CheckWaiting, Title: strings.Repeat("é", 200)}
	for _, state := range []forge.CheckState{forge.CheckWaiting, forge.CheckSuccess} {
		check.State = state
		done := value[forge.Check](b)(b.SetCheck(b.Context(), check))
		equal(b, "id of what is no check run", done.ID, 0)
		got := value[[]forge.Check](b)(b.Checks(b.Context(), pr.HeadSHA, "warden/gate"))
		if len(got) == 0 {
			b.Fatal("the status is not there")
		}
		equal(b, "state", got[0].State, state)
	}
}
