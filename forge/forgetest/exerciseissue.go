package forgetest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tolboy/warden/forge"
)

func exerciseSelf(b *bench) {
	self := value[forge.User](b)(b.Self(b.Context()))
	equal(b, "self", self, b.w.People.User(Bot))
	equal(b, "self is a bot", self.Bot, true)
	n := b.issue()
	own := value[forge.Comment](b)(b.CreateComment(b.Context(), n, "hello"))
	equal(b, "author of our comment", own.Author.Same(self), true)
	equal(b, "default branch", value[string](b)(b.DefaultBranch(b.Context())), "main")
}

func exerciseLabelsAtBirth(b *bench) {
	labels := []string{"a", "b", "warden", "c", "d", "e"}
	n := b.issue(labels...)
	issue := value[forge.Issue](b)(b.Issue(b.Context(), n))
	equal(b, "labels", strings.Join(issue.Labels, " "), strings.Join(labels, " "))
	events := value[[]forge.IssueEvent](b)(b.IssueEvents(b.Context(), n))
	var got []string
	ids := map[int64]bool{}
	for _, e := range events {
		equal(b, "kind", e.Kind, forge.Labeled)
		equal(b, "actor", e.Actor, b.w.People.User(Writer))
		got = append(got, e.Label)
		ids[e.ID] = true
	}
	equal(b, "labels of the events", strings.Join(got, " "), strings.Join(labels, " "))
	equal(b, "different ids", len(ids), len(labels))
}

func exerciseIssueEdits(b *bench) {
	n := b.issue("warden")
	before := value[forge.Issue](b)(b.Issue(b.Context(), n))
	if before.BodyEditedAt != nil || before.EditsUnknown {
		b.Errorf("edited at %v (unknown: %t) by a label alone", before.BodyEditedAt, before.EditsUnknown)
	}
	b.ok(b.w.People.EditIssue(Writer, n, "Title", "Another body"))
	after := value[forge.Issue](b)(b.Issue(b.Context(), n))
	equal(b, "body", after.Body, "Another body")
	events := value[[]forge.IssueEvent](b)(b.IssueEvents(b.Context(), n))
	switch {
	case after.EditsUnknown:
	case after.BodyEditedAt == nil:
		b.Error("an edited body does not say so")
	case !after.BodyEditedAt.After(events[len(events)-1].At):
		b.Errorf("edited at %v, not after the label of %v", after.BodyEditedAt, events[len(events)-1].At)
	}
}

func exerciseHistory(b *bench) {
	n := b.issue()
	p := b.w.People
	b.ok(p.AddLabel(Maintainer, n, "warden"))
	b.ok(p.RemoveLabel(Writer, n, "warden"))
	b.ok(p.AddLabel(Writer, n, "warden"))
	b.ok(p.EditIssue(Maintainer, n, "Another title", "Body"))
	b.ok(p.CloseIssue(Writer, n))
	equal(b, "open", value[forge.Issue](b)(b.Issue(b.Context(), n)).Open, false)
	b.ok(p.ReopenIssue(Maintainer, n))
	events := value[[]forge.IssueEvent](b)(b.IssueEvents(b.Context(), n))
	var got []string
	for i, e := range events {
		got = append(got, fmt.Sprintf("%s %s by %s", e.Kind, e.Label, e.Actor.Login))
		if i > 0 && e.At.Before(events[i-1].At) {
			b.Errorf("event %d is older than the one before it", i)
		}
	}
	equal(b, "history", strings.Join(got, "; "), "labeled warden by mona; unlabeled warden by wil; labeled warden by wil; "+
		"renamed  by mona; closed  by wil; reopened  by mona")
	issue := value[forge.Issue](b)(b.Issue(b.Context(), n))
	equal(b, "open", issue.Open, true)
	equal(b, "title", issue.Title, "Another title")
}

func exerciseGhost(b *bench) {
	n := b.issue("warden")
	b.ok(b.w.People.AddPerson(Person{Login: "gus", Permission: forge.Write}))
	gus := b.w.People.User("gus")
	_, err := b.w.People.Comment("gus", n, "/warden retry")
	b.ok(err)
	b.ok(b.w.People.AddLabel("gus", n, "later"))
	pr := b.pull("warden/ghost")
	_, err = b.w.People.Review("gus", pr.Number, forge.Approved, "fine")
	b.ok(err)
	b.ok(b.w.People.DeletePerson("gus"))
	comments := value[[]forge.Comment](b)(b.Comments(b.Context(), n))
	equal(b, "author of the comment", comments[0].Author, forge.User{})
	equal(b, "a ghost matches another", comments[0].Author.Same(forge.User{}), false)
	events := value[[]forge.IssueEvent](b)(b.IssueEvents(b.Context(), n))
	equal(b, "actor of the label", events[len(events)-1].Actor, forge.User{})
	reviews := value[[]forge.Review](b)(b.Reviews(b.Context(), pr.Number))
	equal(b, "author of the review", reviews[0].Author, forge.User{})
	equal(b, "permission of the ghost", value[forge.Permission](b)(b.Permission(b.Context(), forge.User{})), forge.None)
	equal(b, "permission of who it was", value[forge.Permission](b)(b.Permission(b.Context(), gus)), forge.None)
}

func exerciseManyComments(b *bench) {
	n := b.issue()
	for i := range 101 {
		_, err := b.w.People.Comment(Writer, n, fmt.Sprintf("comment %d", i))
		b.ok(err)
	}
	comments := value[[]forge.Comment](b)(b.Comments(b.Context(), n))
	equal(b, "comments", len(comments), 101)
	for i, c := range comments {
		equal(b, "order", c.Body, fmt.Sprintf("comment %d", i))
	}
}

func exerciseCommentEdits(b *bench) {
	n := b.issue()
	first := value[int64](b)(b.w.People.Comment(Writer, n, "retry"))
	second := value[int64](b)(b.w.People.Comment(Writer, n, "yes please"))
	third := value[int64](b)(b.w.People.Comment(Maintainer, n, "\r\nbytes\t kept  \r\n"))
	b.ok(b.w.People.EditComment(Maintainer, first, "abort"))
	b.ok(b.w.People.DeleteComment(Writer, second))
	comments := value[[]forge.Comment](b)(b.Comments(b.Context(), n))
	equal(b, "comments left", len(comments), 2)
	equal(b, "first", comments[0].ID, first)
	equal(b, "the first is edited", comments[0].Edited(), true)
	equal(b, "third", comments[1].ID, third)
	equal(b, "the third is edited", comments[1].Edited(), false)
	equal(b, "text of the third", comments[1].Body, "\r\nbytes\t kept  \r\n")
}

func exerciseBodyLimit(b *bench) {
	n := b.issue()
	// 313,521 characters are what a peer once posted; no forge of ours takes two million.
	_, err := b.CreateComment(b.Context(), n, strings.Repeat("x", 2_000_000))
	b.fails("a comment over the limit", err, nil)
	equal(b, "comments", len(value[[]forge.Comment](b)(b.Comments(b.Context(), n))), 0)
	own := value[forge.Comment](b)(b.CreateComment(b.Context(), n, strings.Repeat("é", 30_000)))
	_, err = b.UpdateComment(b.Context(), own.ID, strings.Repeat("x", 2_000_000))
	b.fails("an update over the limit", err, nil)
	pr := b.pull("warden/long")
	_, err = b.UpdatePull(b.Context(), pr.Number, "T", strings.Repeat("x", 2_000_000))
	b.fails("a pull request over the limit", err, nil)
	equal(b, "body", value[forge.PullRequest](b)(b.PullRequest(b.Context(), pr.Number)).Body, "A body")
}

func exerciseOwnComments(b *bench) {
	n := b.issue()
	text := "# Title\r\n\r\n```\n<Tooltip title=\"We'll\"> a && b\n```\n"
	made := value[forge.Comment](b)(b.CreateComment(b.Context(), n, text))
	equal(b, "text", made.Body, text)
	equal(b, "edited", made.Edited(), false)
	changed := value[forge.Comment](b)(b.UpdateComment(b.Context(), made.ID, "second"))
	equal(b, "id", changed.ID, made.ID)
	listed := value[[]forge.Comment](b)(b.Comments(b.Context(), n))
	equal(b, "comments", len(listed), 1)
	equal(b, "text", listed[0].Body, "second")
	equal(b, "edited", listed[0].Edited(), true)
}

func exerciseOpenIssues(b *bench) {
	var want []int
	for range 5 {
		want = append(want, b.issue("other", "warden"))
	}
	b.issue("other")
	closed := b.issue("warden")
	b.ok(b.w.People.CloseIssue(Writer, closed))
	pr := b.pull("warden/labelled")
	b.ok(b.w.People.AddLabel(Writer, pr.Number, "warden"))
	got := value[[]int](b)(b.OpenIssues(b.Context(), "warden"))
	slices.Sort(got)
	equal(b, "issues", fmt.Sprint(got), fmt.Sprint(want))
	equal(b, "the labelled pull request says what it is", value[forge.Issue](b)(b.Issue(b.Context(), pr.Number)).IsPullRequest, true)
	equal(b, "issues of no label", len(value[[]int](b)(b.OpenIssues(b.Context(), "nobody,uses,it"))), 0)
}
