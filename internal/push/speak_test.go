package push

import (
	"errors"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/git"
)

// TestPlain pushes as where git has no transport beside it and no file is in memory:
// through git push, and a helper for the credential.
func TestPlain(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 3), newPusher(t), t.Context()
	p.plain = true
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], branch, ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[1], branch, ""); !errors.Is(err, ErrLease) {
		t.Errorf("a branch that should not exist: %v", err)
	}
	const ledger = "refs/warden/runs/x"
	if err := p.Ref(ctx, s.remote(), l.dir, l.commits[0], ledger, ""); err != nil {
		t.Error(err)
	}
	if err := p.Together(ctx, s.remote(), l.dir, Update{ledger, l.commits[2], l.commits[0]}, Update{"refs/heads/" + branch, l.commits[2], l.commits[0]}); err != nil {
		t.Error(err)
	}
	if err := p.Together(ctx, s.remote(), l.dir, Update{ledger, l.commits[0], l.commits[2]}, Update{"refs/heads/" + branch, l.commits[0], l.commits[1]}); !errors.Is(err, ErrLease) {
		t.Errorf("a stale branch beside a ledger: %v", err)
	}
	if refs, err := p.Refs(ctx, s.remote()); err != nil || refs[ledger] != l.commits[2] || refs["refs/heads/"+branch] != l.commits[2] {
		t.Errorf("Refs = %v, %v", refs, err)
	}
	wrong := s.remote()
	wrong.Credential.Token = "wrong"
	if _, err := p.Refs(ctx, wrong); err == nil {
		t.Error("a wrong token was taken")
	}
}

func TestHeard(t *testing.T) {
	t.Parallel()
	const ref = "refs/heads/warden/x"
	exit := &git.CommandError{Name: "git-remote-https", ExitCode: 128}
	for name, test := range map[string]struct {
		out  string
		err  error
		same bool
		want error // nil: taken
	}{
		"taken":    {"ok\nok\nok " + ref + "\n\n", nil, false, nil},
		"same":     {"ok\nok\nok " + ref + " up to date\n\n", nil, true, nil},
		"stale":    {"ok\nok\nerror " + ref + " stale info\n\n", exit, false, ErrLease},
		"locked":   {"ok\nok\nerror " + ref + " cannot lock ref 'refs/heads/warden/x': is at a but expected b\n\n", exit, false, ErrLease},
		"refused":  {"ok\nok\nerror " + ref + " \"\\\"no\\\"\"\n\n", exit, false, &ErrRefused{}},
		"no_lease": {"ok\nunsupported\nok " + ref + "\n\n", nil, false, errors.New("option 2 of 2")},
		"cut":      {"ok\n", nil, false, errors.New("option 2 of 2")},
		"silence":  {"ok\nok\n", nil, false, errors.New("said nothing")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := heard(test.out, 2, test.err)
			if err == nil || errors.Is(err, test.err) {
				var same bool
				if same, err = verdict(ref, out, err); same != test.same {
					t.Errorf("same = %t", same)
				}
			}
			var refused *ErrRefused
			switch want := test.want.(type) {
			case nil:
				if err != nil {
					t.Error(err)
				}
			case *ErrRefused:
				if !errors.As(err, &refused) || !strings.Contains(refused.Text, "no") {
					t.Errorf("err = %v", err)
				}
			default:
				if err == nil || !errors.Is(err, want) && !strings.Contains(err.Error(), want.Error()) {
					t.Errorf("err = %v, want %v", err, want)
				}
			}
		})
	}
}

// FuzzHeard reads what a transport may print of a remote's words. A ref counts as
// taken only where a line of its own says so, and only behind every option.
func FuzzHeard(f *testing.F) {
	const ref = "refs/heads/warden/x"
	f.Add("ok\nok\nok "+ref+"\n\n", uint8(2))
	f.Add("ok\nerror "+ref+" stale info\n", uint8(1))
	f.Add("unsupported\nok "+ref, uint8(1))
	f.Add("ok\nerror refs/heads/y \"\\nok "+ref+"\"\n", uint8(1))
	f.Fuzz(func(t *testing.T, out string, n uint8) {
		options := int(n % 4)
		said, err := heard(out, options, nil)
		if err == nil {
			_, err = verdict(ref, said, nil)
		}
		if err != nil {
			return
		}
		lines := strings.Split(out, "\n")
		for _, line := range lines[:options] {
			if line != "ok" {
				t.Fatalf("taken after %q", line)
			}
		}
		for _, line := range lines[options:] {
			if strings.HasPrefix(line, "ok "+ref) {
				return
			}
		}
		t.Fatalf("nothing says that the ref was taken: %q", out)
	})
}
