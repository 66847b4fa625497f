package push

import (
	"errors"
	"net/http"
	"testing"
)

func TestTogether(t *testing.T) {
	t.Parallel()
	const ledger = "refs/warden/runs/issue-1-1"
	s := newServer(t)
	l, p, ctx := newLocal(s, 3), newPusher(t), t.Context()
	both := func(a, b Update) error { return p.Together(ctx, s.remote(), l.dir, a, b) }
	standing := func(where, atLedger, atBranch string) {
		t.Helper()
		if got := s.at(ledger); got != atLedger {
			t.Errorf("%s: the ledger is at %q, want %q", where, got, atLedger)
		}
		if got := s.at("refs/heads/" + branch); got != atBranch {
			t.Errorf("%s: the branch is at %q, want %q", where, got, atBranch)
		}
	}
	if err := p.Ref(ctx, s.remote(), l.dir, l.commits[1], ledger, ""); err != nil {
		t.Fatal(err)
	}
	if err := both(Update{ledger, l.commits[0], l.commits[1]}, Update{"refs/heads/" + branch, l.commits[0], ""}); err != nil {
		t.Fatal(err)
	}
	standing("new", l.commits[0], l.commits[0])

	// One lease that does not hold keeps the other ref where it is.
	err := both(Update{ledger, l.commits[1], l.commits[0]}, Update{"refs/heads/" + branch, l.commits[1], l.commits[2]})
	if !errors.Is(err, ErrLease) || !Declined(err) {
		t.Errorf("a stale branch: %v", err)
	}
	standing("a stale branch", l.commits[0], l.commits[0])

	if err := both(Update{ledger, l.commits[1], l.commits[0]}, Update{"refs/heads/" + branch, l.commits[2], l.commits[0]}); err != nil {
		t.Error(err)
	}
	standing("moved", l.commits[1], l.commits[2])

	// So does a refusal of the remote.
	s.hook("update", `test "$1" = refs/heads/`+branch+` || exit 0; echo "no thanks" >&2; exit 1`)
	err = both(Update{ledger, l.commits[2], l.commits[1]}, Update{"refs/heads/" + branch, l.commits[1], l.commits[2]})
	if err == nil || !Declined(err) {
		t.Errorf("a refusal: %v", err)
	}
	standing("a refusal", l.commits[1], l.commits[2])
}

func TestTogetherIsRefused(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 2), newPusher(t), t.Context()
	mine := Update{"refs/warden/runs/issue-1-1", l.commits[1], l.commits[0]}
	for _, foreign := range []Update{{"refs/heads/main", l.commits[0], ""}, {"refs/tags/warden/x", l.commits[1], l.commits[0]},
		{"refs/warden/runs/x", "HEAD", l.commits[0]}, {"refs/warden/runs/x", l.commits[0], ""}} {
		if err := p.Together(ctx, s.remote(), l.dir, mine, foreign); err == nil || Declined(err) {
			t.Errorf("pushed %v: %v", foreign, err)
		}
	}
	if err := p.Together(ctx, s.remote(), l.dir, mine); err == nil {
		t.Error("pushed one ref together")
	}
	if n := s.requests.Load(); n != 0 {
		t.Errorf("%d requests reached the remote", n)
	}

	s.run(s.root, "config", "receive.advertiseAtomic", "false")
	if err := p.Ref(ctx, s.remote(), l.dir, mine.Expect, mine.Ref, ""); err != nil {
		t.Fatal(err)
	}
	fresh := Update{"refs/heads/" + branch, l.commits[0], ""}
	if err := p.Together(ctx, s.remote(), l.dir, mine, fresh); !errors.Is(err, ErrNotAtomic) || !Declined(err) {
		t.Errorf("a remote without atomic pushes: %v", err)
	}
	if s.at(mine.Ref) != mine.Expect || s.at(fresh.Ref) != "" {
		t.Error("it moved a ref all the same")
	}
	s.front.Config.Handler = http.NotFoundHandler()
	if err := p.Together(ctx, s.remote(), l.dir, mine, fresh); err == nil || Declined(err) {
		t.Errorf("a remote that does not answer declines: %v", err)
	}
}
