package push

import "testing"

// TestCredentialGoesWithTheFirstRequest counts what the server hears: nothing is
// asked twice, as it is where git learns only from a refusal that it has to log in.
func TestCredentialGoesWithTheFirstRequest(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 1), newPusher(t), t.Context()
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], branch, ""); err != nil {
		t.Fatal(err)
	}
	if got := s.requests.Load(); got != 2 {
		t.Errorf("a push made %d requests, want one for the refs and one for the objects", got)
	}
}
