package forgetest

import (
	"context"
	"errors"

	"github.com/tolboy/warden/forge"
)

func exercisePermissions(b *bench) {
	read := func(login string) forge.Permission {
		b.Helper()
		return value[forge.Permission](b)(b.Permission(b.Context(), b.w.People.User(login)))
	}
	for _, want := range []forge.Permission{forge.Admin, forge.Maintain, forge.Write, forge.Triage, forge.Read, forge.None, "fancy"} {
		b.ok(b.w.People.SetPermission(Reader, want))
		if want == "fancy" { // a word that is not known
			want = forge.None
		}
		equal(b, "permission", read(Reader), want)
	}
	equal(b, "permission of a stranger", read(Stranger), forge.None)
	for _, nobody := range []forge.User{{}, {ID: 5}, {Login: Maintainer}, {ID: 5, Login: "no/body"}, {ID: 5, Login: "nobody-here"}} {
		equal(b, "permission of nobody", value[forge.Permission](b)(b.Permission(b.Context(), nobody)), forge.None)
	}
}

func exerciseTakenLogin(b *bench) {
	old := b.w.People.User(Writer)
	equal(b, "permission before", value[forge.Permission](b)(b.Permission(b.Context(), old)), forge.Write)
	b.ok(b.w.People.DeletePerson(Writer))
	b.ok(b.w.People.AddPerson(Person{Login: Writer, Permission: forge.Admin}))
	equal(b, "permission of who it was", value[forge.Permission](b)(b.Permission(b.Context(), old)), forge.None)
	taker := b.w.People.User(Writer)
	equal(b, "permission of who has it now", value[forge.Permission](b)(b.Permission(b.Context(), taker)), forge.Admin)
}

func exerciseNotFound(b *bench) {
	ctx := b.Context()
	const absent = 9_999
	_, err := b.Issue(ctx, absent)
	b.fails("issue", err, forge.ErrNotFound)
	_, err = b.IssueEvents(ctx, absent)
	b.fails("events", err, forge.ErrNotFound)
	_, err = b.Comments(ctx, absent)
	b.fails("comments", err, forge.ErrNotFound)
	_, err = b.PullRequest(ctx, absent)
	b.fails("pull request", err, forge.ErrNotFound)
	_, err = b.PullRequest(ctx, b.issue())
	b.fails("pull request that is an issue", err, forge.ErrNotFound)
	_, err = b.Reviews(ctx, absent)
	b.fails("reviews", err, forge.ErrNotFound)
	_, err = b.CreateComment(ctx, absent, "hello")
	b.fails("comment on nothing", err, forge.ErrNotFound)
	_, err = b.UpdateComment(ctx, absent, "hello")
	b.fails("update of nothing", err, forge.ErrNotFound)
	_, err = b.UpdatePull(ctx, absent, "T", "B")
	b.fails("update of no pull request", err, forge.ErrNotFound)
	b.fails("review of nothing", b.RequestReview(ctx, absent, Writer), forge.ErrNotFound)
}

func exerciseForbidden(b *bench) {
	ctx := b.Context()
	pr := b.pull("warden/toggle")
	if b.w.Arrange(DraftsFixed) {
		b.fails("ready", b.SetDraft(ctx, pr, false), forge.ErrForbidden)
		equal(b, "draft", value[forge.PullRequest](b)(b.PullRequest(ctx, pr.Number)).Draft, true)
	}
	if b.w.Arrange(NoPulls) {
		value[string](b)(b.w.People.Push(Bot, "warden/second", map[string]string{"c.txt": "c\n"}))
		_, err := b.OpenDraft(ctx, b.newPull("warden/second"))
		b.fails("a pull request", err, forge.ErrForbidden)
	}
}

func exerciseUnauthorized(b *bench) {
	ctx, n := b.Context(), b.issue()
	_, err := b.w.Stranger.Issue(ctx, n)
	b.fails("read", err, forge.ErrUnauthorized)
	_, err = b.w.Stranger.Self(ctx)
	b.fails("self", err, forge.ErrUnauthorized)
	_, err = b.w.Stranger.CreateComment(ctx, n, "hello")
	b.fails("write", err, forge.ErrUnauthorized)
	_, err = b.w.Stranger.Permission(ctx, b.w.People.User(Writer))
	b.fails("permission", err, forge.ErrUnauthorized)
	for _, v := range b.w.TakeViolations() {
		equal(b, "violation", v.Kind, BadCredential)
	}
	equal(b, "comments", len(value[[]forge.Comment](b)(b.Comments(ctx, n))), 0)
}

func exerciseRateLimits(b *bench) {
	ctx, n := b.Context(), b.issue()
	for _, fault := range []Fault{RateLimited, RateLimitedByCode, SecondaryLimited} {
		if !b.w.Arrange(fault) {
			continue
		}
		_, err := b.CreateComment(ctx, n, "hello")
		var limit *forge.RateLimitError
		if !errors.As(err, &limit) {
			b.Errorf("%s: %v, want a rate limit", fault, err)
			continue
		}
		equal(b, string(fault)+": says until when", limit.Until.IsZero(), false)
		if errors.Is(err, forge.ErrForbidden) {
			b.Errorf("%s: reads as forbidden", fault)
		}
		if fault == SecondaryLimited {
			equal(b, "secondary", limit.Secondary, true)
			return // a client may hold back until then
		}
		equal(b, "secondary", limit.Secondary, false)
	}
}

func exerciseFlakyReads(b *bench) {
	n := b.issue()
	if !b.w.Arrange(FlakyReads) {
		b.Skip("this forge has no such fault")
	}
	equal(b, "title", value[forge.Issue](b)(b.Issue(b.Context(), n)).Title, "Title")
}

func exerciseCanceled(b *bench) {
	n := b.issue()
	ctx, cancel := context.WithCancel(b.Context())
	cancel()
	_, err := b.Issue(ctx, n)
	b.fails("read", err, context.Canceled)
	_, err = b.CreateComment(ctx, n, "hello")
	b.fails("write", err, context.Canceled)
	equal(b, "comments", len(value[[]forge.Comment](b)(b.Comments(b.Context(), n))), 0)
}
