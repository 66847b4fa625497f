package push

import (
	"errors"
	"testing"
)

// TestDropLedger deletes a ledger's ref at the object that was read, and nothing else.
func TestDropLedger(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, ctx := newLocal(s, 2), t.Context()
	o, _ := newOperator(t, "")
	p, to := newPusher(t), s.root
	const ref, other = "refs/warden/runs/issue-1-1", "refs/warden/runs/issue-1-2"
	for _, name := range []string{ref, other, "refs/heads/warden/x"} {
		if err := p.Ref(ctx, Remote{URL: to}, l.dir, l.commits[1], name, ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := o.DropLedger(ctx, to, ref, l.commits[0]); !errors.Is(err, ErrLease) || s.at(ref) == "" {
		t.Fatalf("a ref that moved since it was read: %v, it is at %q", err, s.at(ref))
	}
	for _, name := range []string{"refs/heads/warden/x", "refs/heads/warden-ledger/x", "refs/heads/main", "refs/warden/x", "refs/warden/runs/",
		"refs/warden/runs/..", "refs/warden/runs/a/b", "refs/warden/runs/*", "refs/tags/x", ref + "\n", ref + ":" + other, "-f"} {
		if err := o.DropLedger(ctx, to, name, l.commits[1]); err == nil || errors.Is(err, ErrLease) {
			t.Errorf("%q: %v", name, err)
		}
	}
	for _, at := range []string{"", "HEAD", l.commits[1][:12]} {
		if err := o.DropLedger(ctx, to, ref, at); err == nil || errors.Is(err, ErrLease) {
			t.Errorf("at %q: %v", at, err)
		}
	}
	refs, err := o.Refs(ctx, to, "refs/warden/runs/*")
	if err != nil || len(refs) != 2 || refs[ref] != l.commits[1] {
		t.Fatalf("refs: %v, %v", refs, err)
	}
	if err := o.DropLedger(ctx, to, ref, l.commits[1]); err != nil {
		t.Fatal(err)
	}
	if s.at(ref) != "" || s.at(other) == "" || s.at("refs/heads/warden/x") == "" {
		t.Errorf("after it: %q %q %q", s.at(ref), s.at(other), s.at("refs/heads/warden/x"))
	}
	if err := o.DropLedger(ctx, to, ref, l.commits[1]); !errors.Is(err, ErrLease) {
		t.Errorf("a ref that is gone: %v", err)
	}
	s.hook("pre-receive", "echo not here >&2; exit 1")
	o, _ = newOperator(t, "[credential]\n\thelper = \"!f() { test \\\"$1\\\" = get && printf 'username=x-access-token\\\\npassword="+token+"\\\\n'; }; f\"\n")
	var no *ErrRefused
	if err := o.DropLedger(ctx, s.url, other, l.commits[1]); !errors.As(err, &no) || s.at(other) == "" {
		t.Errorf("a remote that refuses: %v", err)
	}
}
