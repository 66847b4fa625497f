package push

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tolboy/warden/internal/git"
)

const branch = "warden/issue-1-x"

func TestBranch(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 3), newPusher(t), t.Context()
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], branch, ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], branch, ""); err != nil {
		t.Errorf("the same push again: %v", err)
	}
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[1], branch, ""); !errors.Is(err, ErrLease) {
		t.Errorf("a branch that should not exist: %v", err)
	}
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[2], branch, l.commits[0]); err != nil {
		t.Error(err)
	}
	// Back, as after a rejected candidate: the lease allows what is no fast forward.
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[1], branch, l.commits[2]); err != nil {
		t.Error(err)
	}
	if got := s.at("refs/heads/" + branch); got != l.commits[1] {
		t.Errorf("the branch is at %s, want %s", got, l.commits[1])
	}
}

func TestPushRace_peer16(t *testing.T) {
	t.Parallel()
	t.Run("peer-16_before_the_push", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		l, p := newLocal(s, 2), newPusher(t)
		if err := p.Branch(t.Context(), s.remote(), l.dir, l.commits[0], branch, ""); err != nil {
			t.Fatal(err)
		}
		human := s.human(branch, l.commits[0])
		err := p.Branch(t.Context(), s.remote(), l.dir, l.commits[1], branch, l.commits[0])
		if !errors.Is(err, ErrLease) {
			t.Errorf("Branch = %v", err)
		}
		if got := s.at("refs/heads/" + branch); got != human {
			t.Errorf("the branch is at %s, the human's commit is %s", got, human)
		}
		if refs := s.run(s.root, "for-each-ref", "--format=%(refname)"); refs != "refs/heads/"+branch {
			t.Errorf("refs = %q", refs)
		}
	})
	t.Run("peer-16_while_the_push_is_taken", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		l, p := newLocal(s, 2), newPusher(t)
		if err := p.Branch(t.Context(), s.remote(), l.dir, l.commits[0], branch, ""); err != nil {
			t.Fatal(err)
		}
		human := s.human("elsewhere", l.commits[0])
		s.hook("pre-receive", "unset GIT_QUARANTINE_PATH; git update-ref refs/heads/"+branch+" "+human)
		if err := p.Branch(t.Context(), s.remote(), l.dir, l.commits[1], branch, l.commits[0]); !errors.Is(err, ErrLease) {
			t.Errorf("Branch = %v", err)
		}
		if got := s.at("refs/heads/" + branch); got != human {
			t.Errorf("the branch is at %s, the human's commit is %s", got, human)
		}
	})
	t.Run("peer-16_deleted", func(t *testing.T) {
		t.Parallel()
		s := newServer(t)
		l, p := newLocal(s, 2), newPusher(t)
		if err := p.Branch(t.Context(), s.remote(), l.dir, l.commits[1], branch, l.commits[0]); !errors.Is(err, ErrLease) {
			t.Errorf("Branch = %v", err)
		}
		if got := s.at("refs/heads/" + branch); got != "" {
			t.Errorf("a deleted branch is back at %s", got)
		}
	})
}

func TestOnlyOwnRefs(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 1), newPusher(t), t.Context()
	own := newPusher(t, "agents/", "/", "x", "refs/heads/../")
	for _, name := range []string{"main", "warden", "warden/", "wardenx/a", "x/warden/a", "-warden/a", "warden/a..b", "warden/a:main",
		"warden/a b", "refs/heads/main", "warden/../main", "warden/a@{1}", "WARDEN/a", ""} {
		if err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], name, ""); err == nil {
			t.Errorf("pushed branch %q", name)
		}
		if err := own.Branch(ctx, s.remote(), l.dir, l.commits[0], name, ""); err == nil {
			t.Errorf("pushed branch %q by a bad prefix", name)
		}
	}
	for _, ref := range []string{"refs/heads/main", "refs/tags/warden/x", "refs/wardenx/a", "refs/warden/", "refs/warden/a..b",
		"refs/warden/../heads/main", "warden/x", "HEAD", "refs/pull/1/head", "refs/warden/a:refs/heads/main"} {
		if err := p.Ref(ctx, s.remote(), l.dir, l.commits[0], ref, ""); err == nil {
			t.Errorf("pushed ref %q", ref)
		}
	}
	for _, commit := range []string{"", "HEAD", "main", ":", l.commits[0][:10], "+" + l.commits[0]} {
		if err := p.Branch(ctx, s.remote(), l.dir, commit, branch, ""); err == nil {
			t.Errorf("pushed commit %q", commit)
		}
	}
	if n := s.requests.Load(); n != 0 {
		t.Errorf("%d requests reached the remote", n)
	}
	if err := own.Branch(ctx, s.remote(), l.dir, l.commits[0], "agents/a", ""); err != nil {
		t.Errorf("a prefix of its own: %v", err)
	}
}

func TestRefIsAClaim(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 2), newPusher(t), t.Context()
	for _, ref := range []string{"refs/warden/runs/issue-1-1", "refs/heads/warden-ledger/issue-1-1"} {
		if err := p.Ref(ctx, s.remote(), l.dir, l.commits[0], ref, ""); err != nil {
			t.Fatal(err)
		}
		for _, commit := range l.commits {
			if err := p.Ref(ctx, s.remote(), l.dir, commit, ref, ""); !errors.Is(err, ErrLease) {
				t.Errorf("a second claim of %s: %v", ref, err)
			}
		}
		if err := p.Ref(ctx, s.remote(), l.dir, l.commits[1], ref, l.commits[0]); err != nil {
			t.Error(err)
		}
		refs, err := p.Refs(ctx, s.remote(), strings.TrimSuffix(ref, "1")+"*")
		if diff := cmp.Diff(map[string]string{ref: l.commits[1]}, refs); err != nil || diff != "" {
			t.Errorf("Refs: %v %s", err, diff)
		}
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 1), newPusher(t), t.Context()
	s.hook("update", `echo "no thanks, `+token+`" >&2; exit 1`)
	err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], branch, "")
	var refused *ErrRefused
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "no thanks") {
		t.Errorf("Branch = %v", err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %q", err, refused, refused), token) {
		t.Errorf("the remote's echo of the token is in the error: %v", err)
	}
	s.hook("update", "echo 'refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission' >&2; exit 1")
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], branch, ""); !errors.Is(err, ErrWorkflowScope) {
		t.Errorf("Branch = %v", err)
	}
	if err := p.Branch(ctx, s.remote(), l.dir, strings.Repeat("1", 40), branch, ""); err == nil || errors.As(err, &refused) || errors.Is(err, ErrLease) {
		t.Errorf("a commit that is not there: %v", err)
	}
	wrong := s.remote()
	wrong.Credential.Token = "wrong-" + token
	if err := p.Branch(ctx, wrong, l.dir, l.commits[0], branch, ""); err == nil || strings.Contains(err.Error(), wrong.Credential.Token) {
		t.Errorf("with a wrong token: %v", err)
	}
	if err := p.Branch(ctx, Remote{URL: s.url}, l.dir, l.commits[0], branch, ""); err == nil {
		t.Error("pushed without a credential")
	}
}

// TestVerdict reads what servers were seen to print.
func TestVerdict(t *testing.T) {
	t.Parallel()
	const ref = "refs/heads/warden/x"
	exit := &git.CommandError{Name: "push", ExitCode: 1, Stderr: "error: failed to push some refs"}
	tests := []struct {
		name, line string
		err        error
		same       bool
		want       error // nil: taken
	}{
		{"new", "*\tabc:" + ref + "\t[new branch]", nil, false, nil},
		{"forced", "+\tabc:" + ref + "\ta...b (forced update)", nil, false, nil},
		{"forward", " \tabc:" + ref + "\ta..b", nil, false, nil},
		{"same", "=\tabc:" + ref + "\t[up to date]", nil, true, nil},
		{"stale", "!\tabc:" + ref + "\t[rejected] (stale info)", exit, false, ErrLease},
		{"fetch_first", "!\tabc:" + ref + "\t[rejected] (fetch first)", exit, false, ErrLease},
		{"locked", "!\tabc:" + ref + "\t[remote rejected] (cannot lock ref 'refs/heads/warden/x': is at a but expected b)", exit, false, ErrLease},
		{"exists", "!\tabc:" + ref + "\t[remote rejected] (reference already exists)", exit, false, ErrLease},
		{"workflow", "!\tabc:" + ref + "\t[remote rejected] (refusing to allow a GitHub App to create or update workflow `.github/workflows/x.yml` without `workflows` permission)", exit, false, ErrWorkflowScope},
		{"oauth_workflow", "!\tabc:" + ref + "\t[remote rejected] (refusing to allow an OAuth App to create or update workflow `.github/workflows/x.yml` without `workflow` scope)", exit, false, ErrWorkflowScope},
		{"rules", "!\tabc:" + ref + "\t[remote rejected] (push declined due to repository rule violations)", exit, false, &ErrRefused{}},
		{"hidden", "!\tabc:" + ref + "\t[remote rejected] (deny updating a hidden ref)", exit, false, &ErrRefused{}},
		{"another_ref", "*\tabc:refs/heads/warden/xy\t[new branch]", nil, false, errors.New("said nothing")},
		{"silence", "", exit, false, exit},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			same, err := verdict(ref, "To https://example.org/r\n"+test.line+"\nDone\n", test.err)
			if same != test.same {
				t.Errorf("same = %t", same)
			}
			var refused *ErrRefused
			switch want := test.want.(type) {
			case nil:
				if err != nil {
					t.Error(err)
				}
			case *ErrRefused:
				if !errors.As(err, &refused) || refused.Ref != ref || refused.Text == "" {
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

func TestRemotesThatAreNotAccepted(t *testing.T) {
	t.Parallel()
	c := Credential{Username: "x", Token: token}
	l := newLocal(newServer(t), 1)
	p := newPusher(t)
	for _, r := range []Remote{
		{"https://x:" + token + "@example.org/r.git", Credential{}}, {"http://example.org/r.git", c}, {"ext::sh -c id", Credential{}},
		{"git@example.org:r.git", c}, {"ssh://example.org/r", c}, {"--upload-pack=id", Credential{}}, {"relative/path", Credential{}},
		{"", Credential{}}, {"file:///x", c}, {"/x", c}, {"https://example.org/r?token=1", c}, {"https:///r", c},
		{"https://example.org/r", Credential{Username: "x", Token: "a\nhost=evil"}}, {`https://exa"mple.org/r`, c}, {"https://$(id).org/r", c},
	} {
		err := p.Branch(t.Context(), r, l.dir, l.commits[0], branch, "")
		if err == nil || strings.Contains(err.Error(), "git push") {
			t.Errorf("remote %q: %v, not refused before git is called", r.URL, err)
		}
		if err != nil && strings.Contains(err.Error(), token) {
			t.Errorf("the error holds the token: %v", err)
		}
	}
}

// TestTokenIsNowhere looks for the token while a push is under way: in the
// arguments and environments of all processes, and in the directories of the call.
func TestTokenIsNowhere(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/self/cmdline"); err != nil {
		t.Skip("needs /proc: the arguments and environments of other processes cannot be read here")
	}
	s := newServer(t)
	l, p, ctx := newLocal(s, 1), newPusher(t), t.Context()
	var looked, found []string
	look := func() {
		for _, name := range []string{"cmdline", "environ"} {
			files, _ := filepath.Glob("/proc/[0-9]*/" + name)
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					continue // it ended, or is another user's
				}
				looked = append(looked, file)
				if holds(string(data)) {
					found = append(found, file)
				}
			}
		}
		dirs, _ := filepath.Glob(filepath.Join(os.TempDir(), "warden-*.git"))
		for _, dir := range append(dirs, l.dir) {
			filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
				if err == nil && d.Type().IsRegular() {
					if data, err := os.ReadFile(path); err == nil {
						looked = append(looked, path)
						if holds(string(data)) {
							found = append(found, path)
						}
					}
				}
				return nil
			})
		}
	}
	s.watch.Store(&look)

	plain := strings.Replace(s.url, "http://", "http://x-access-token:"+strings.NewReplacer("/", "%2F", "+", "%2B").Replace(token)+"@", 1)
	s.run(l.dir, "--git-dir="+l.dir, "push", "-q", plain, l.commits[0]+":refs/heads/plain")
	if len(found) == 0 {
		t.Fatal("a push with the token in its URL is not noticed, so the test shows nothing")
	}
	looked, found = nil, nil
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], branch, ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Fetch(ctx, s.remote(), l.dir, "+refs/heads/*:refs/remotes/origin/*"); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Refs(ctx, s.remote()); err != nil {
		t.Fatal(err)
	}
	look()
	if !strings.Contains(strings.Join(looked, "\n"), "warden-push-") || !strings.Contains(strings.Join(looked, "\n"), l.dir) {
		t.Error("the directories of the push were not looked at")
	}
	if len(found) > 0 {
		t.Errorf("the token is in %q", found)
	}
	if text := fmt.Sprintf("%v %+v %#v", s.remote(), s.remote(), s.remote()); strings.Contains(text, token) {
		t.Errorf("printing a remote shows the token: %s", text)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "warden-push-*.git", "config")); len(left) > 0 {
		for _, file := range left {
			if data, _ := os.ReadFile(file); holds(string(data)) {
				t.Errorf("%s holds the token", file)
			}
		}
	}
}

func holds(text string) bool {
	c := Credential{Username: "x-access-token", Token: token}
	return c.without(text) != text
}

// TestCredentialStaysWithItsHost sends git elsewhere and looks for the token there.
func TestCredentialStaysWithItsHost(t *testing.T) {
	t.Parallel()
	var asked []string
	elsewhere := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Header.Get("Authorization"))
		w.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		w.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(elsewhere.Close)
	s := newServer(t)
	l, p, ctx := newLocal(s, 1), newPusher(t), t.Context()

	t.Run("redirect", func(t *testing.T) {
		moved := httptest.NewServer(http.RedirectHandler(elsewhere.URL, http.StatusFound))
		t.Cleanup(moved.Close)
		r := s.remote()
		r.URL = moved.URL + "/r.git"
		s.try(l.dir, "ls-remote", r.URL)
		if len(asked) == 0 {
			t.Fatal("plain git does not follow, so the test shows nothing")
		}
		asked = nil
		if err := p.Branch(ctx, r, l.dir, l.commits[0], branch, ""); err == nil {
			t.Error("a redirected push succeeded")
		}
		if len(asked) > 0 {
			t.Errorf("the other host was asked: %q", asked)
		}
	})
	t.Run("settings_of_the_git_directory", func(t *testing.T) {
		s.run(l.dir, "config", "--file", filepath.Join(l.dir, "config"), "url."+elsewhere.URL+".insteadOf", s.url)
		s.try(l.dir, "--git-dir="+l.dir, "push", s.url, l.commits[0]+":refs/heads/x")
		if len(asked) == 0 {
			t.Fatal("plain git is not led astray, so the test shows nothing")
		}
		asked = nil
		if err := p.Branch(ctx, s.remote(), l.dir, l.commits[0], branch, ""); err != nil || s.at("refs/heads/"+branch) != l.commits[0] {
			t.Errorf("Branch = %v", err)
		}
		if err := p.Fetch(ctx, s.remote(), l.dir, "+refs/heads/*:refs/remotes/origin/*"); err == nil || !strings.Contains(err.Error(), "insteadof") {
			t.Errorf("Fetch = %v", err)
		}
		if len(asked) > 0 {
			t.Errorf("the other host was asked: %q", asked)
		}
	})
	for _, plain := range []bool{false, true} {
		t.Run(fmt.Sprintf("credential_of_another_host_plain=%t", plain), func(t *testing.T) {
			other := Remote{URL: elsewhere.URL + "/r.git", Credential: s.remote().Credential}
			dir, done, err := emptyDir()
			if err != nil {
				t.Fatal(err)
			}
			defer done()
			p := newPusher(t)
			p.plain = plain
			list := git.Call{Dir: dir, GitDir: dir, Args: []string{"ls-remote", "--", other.URL}}
			asked = nil
			p.remote(ctx, other, list)
			if !strings.Contains(strings.Join(asked, " "), "Basic ") {
				t.Fatal("the credential does not reach the host that it is for, so the test shows nothing")
			}
			// What is for one host, with git calling at the other.
			here, err := url.Parse(s.url)
			if err != nil {
				t.Fatal(err)
			}
			setting, file, err := p.hand(other.Credential, here)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			asked, list.Config, list.ExtraFiles = nil, []string{setting}, []*os.File{file}
			p.git.Do(ctx, list)
			if strings.Contains(strings.Join(asked, " "), "Basic ") || len(asked) == 0 {
				t.Errorf("the other host got %q", asked)
			}
		})
	}
}

func TestFetch(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	l, p, ctx := newLocal(s, 2), newPusher(t), t.Context()
	if err := p.Branch(ctx, s.remote(), l.dir, l.commits[1], branch, ""); err != nil {
		t.Fatal(err)
	}
	if err := p.Ref(ctx, s.remote(), l.dir, l.commits[0], "refs/warden/runs/x", ""); err != nil {
		t.Fatal(err)
	}
	into := newLocal(s, 0)
	if err := p.Fetch(ctx, s.remote(), into.dir, "+refs/heads/*:refs/remotes/origin/*"); err != nil {
		t.Fatal(err)
	}
	if got := s.run(into.dir, "--git-dir="+into.dir, "for-each-ref", "--format=%(refname) %(objectname)"); got != "refs/remotes/origin/"+branch+" "+l.commits[1] {
		t.Errorf("refs = %q", got)
	}
	if err := p.Fetch(ctx, Remote{URL: s.root}, into.dir, "+refs/warden/runs/x:refs/warden/runs/x"); err != nil {
		t.Errorf("from a path: %v", err)
	}
	for _, spec := range []string{"", "main", "refs/heads/main", "--upload-pack=id", "-f:refs/x/y", "refs/heads/*:x", "refs/heads/a..b:refs/x/y", "a:refs/x/*/*"} {
		if err := p.Fetch(ctx, s.remote(), into.dir, spec); err == nil {
			t.Errorf("refspec %q was accepted", spec)
		}
	}
}
