// Package push is the only code of Warden that writes to a remote repository.
// It pushes to refs of its own alone, and only where it finds what it expects.
package push

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// The ways in which a remote does not take a push.
var (
	// ErrLease: the ref is not where it was expected. Somebody else moved it.
	ErrLease = errors.New("the remote ref is not where it was expected")
	// ErrWorkflowScope: the credential may not change workflow files.
	ErrWorkflowScope = errors.New("the credential may not change workflow files")
)

// ErrRefused is a refusal with the remote's own words, which are untrusted.
type ErrRefused struct{ Ref, Text string }

// Error quotes the remote.
func (e *ErrRefused) Error() string { return fmt.Sprintf("the remote refused %s: %s", e.Ref, e.Text) }

// Credential is sent to the remote's host when it asks. The zero Credential
// sends nothing.
type Credential struct{ Username, Token string }

func (c Credential) empty() bool { return c.Username == "" && c.Token == "" }

// String keeps the token out of whatever prints a credential.
func (c Credential) String() string { return c.Username + ":***" }

// GoString is String.
func (c Credential) GoString() string { return c.String() }

// Remote is a repository elsewhere: https, http on loopback, or an absolute path.
// The URL holds no credential.
type Remote struct {
	URL        string
	Credential Credential
}

// Pusher pushes to refs of Warden's own. It is safe for concurrent use.
type Pusher struct {
	git      *git.Git
	prefixes []string
	plain    bool // git push, and a helper for the credential: as where there is nothing quicker
}

// defaultPrefixes are the branches that Warden makes.
var defaultPrefixes = [...]string{"warden/", "warden-ledger/"}

// New returns a Pusher that may write branches below prefixes, each of which ends
// in a slash or a dash; without any, below "warden/" and "warden-ledger/".
func New(g *git.Git, prefixes ...string) *Pusher {
	if len(prefixes) == 0 {
		prefixes = defaultPrefixes[:]
	}
	return &Pusher{git: g, prefixes: append([]string(nil), prefixes...)}
}

// Branch makes the remote's branch point to a commit of gitDir, if it points to
// expectOld now, or does not exist when expectOld is empty; otherwise ErrLease. A
// branch that is at the commit already is fine. The branch's name must begin with
// one of the prefixes.
func (p *Pusher) Branch(ctx context.Context, r Remote, gitDir, commit, branch, expectOld string) error {
	if err := p.ownBranch(branch); err != nil {
		return fmt.Errorf("push branch: %w", err)
	}
	if _, err := p.push(ctx, r, gitDir, commit, "refs/heads/"+branch, expectOld); err != nil {
		return fmt.Errorf("push branch %s: %w", branch, err)
	}
	return nil
}

// Ref is Branch for a ledger: a ref below refs/warden/, or a branch that Branch
// takes, in full. When the ref should not exist and does, the answer is ErrLease
// even if it is at the commit: making it is a claim that only one can win.
func (p *Pusher) Ref(ctx context.Context, r Remote, gitDir, commit, ref, expectOld string) error {
	if err := p.ownRef(ref); err != nil {
		return fmt.Errorf("push ref: %w", err)
	}
	same, err := p.push(ctx, r, gitDir, commit, ref, expectOld)
	if err == nil && same && expectOld == "" {
		err = ErrLease
	}
	if err != nil {
		return fmt.Errorf("push ref %s: %w", ref, err)
	}
	return nil
}

func (p *Pusher) ownRef(ref string) error {
	if branch, ok := strings.CutPrefix(ref, "refs/heads/"); ok {
		return p.ownBranch(branch)
	}
	if !strings.HasPrefix(ref, "refs/warden/") {
		return fmt.Errorf("ref %q is not Warden's own", ref)
	}
	return git.CheckRef(ref)
}

func (p *Pusher) ownBranch(branch string) error {
	if err := git.CheckBranch(branch); err != nil {
		return err
	}
	for _, prefix := range p.prefixes {
		name := strings.TrimRight(prefix, "/-")
		if name != prefix && git.CheckBranch(name) == nil && strings.HasPrefix(branch, prefix) {
			return nil
		}
	}
	return fmt.Errorf("branch %q is not Warden's own: it begins with none of %q", branch, p.prefixes)
}

// push reports whether the ref was at the commit before.
func (p *Pusher) push(ctx context.Context, r Remote, gitDir, commit, ref, expectOld string) (same bool, err error) {
	out, err := p.send(ctx, r, gitDir, []Update{{Ref: ref, Commit: commit, Expect: expectOld}})
	return verdict(ref, out, err)
}

// send moves all of the refs or none, and returns what push --porcelain prints.
func (p *Pusher) send(ctx context.Context, r Remote, gitDir string, updates []Update) (string, error) {
	for _, u := range updates {
		if !git.IsObjectID(u.Commit) || u.Expect != "" && !git.IsObjectID(u.Expect) {
			return "", fmt.Errorf("commit %q and expected %q must be object ids", u.Commit, u.Expect)
		}
	}
	if err := r.check(); err != nil {
		return "", err
	}
	// A directory of our own for this one push: no setting that somebody wrote
	// into gitDir can send the credential or the commit elsewhere.
	dir, done, err := borrow(gitDir)
	if err != nil {
		return "", err
	}
	defer done()
	if !p.plain && !filepath.IsAbs(r.URL) {
		out, err := p.speak(ctx, r, dir, updates)
		var failed *git.CommandError
		// Where it declines several refs itself, the transport only breaks off; git
		// push says why. What has moved after all is up to date then.
		unsaid := len(updates) > 1 && out == "" && errors.As(err, &failed)
		if !unsaid && !errors.Is(err, git.ErrNoTransport) {
			return out, err
		}
	}
	res, err := p.remote(ctx, r, git.Call{Dir: dir, GitDir: dir, Args: arguments(r.URL, updates)})
	return string(res.Stdout), err
}

// arguments are those of git push.
func arguments(to string, updates []Update) []string {
	args := []string{"push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no"}
	if len(updates) > 1 {
		args = append(args, "--atomic")
	}
	refspecs := []string{"--", to}
	for _, u := range updates {
		args = append(args, "--force-with-lease="+u.Ref+":"+u.Expect)
		refspecs = append(refspecs, u.Commit+":"+u.Ref)
	}
	return append(args, refspecs...)
}

// borrow makes an empty git directory that reads the objects of gitDir.
func borrow(gitDir string) (dir string, done func(), err error) {
	objects, err := filepath.Abs(filepath.Join(gitDir, "objects"))
	if err != nil {
		return "", nil, err
	}
	if _, err := os.Stat(objects); err != nil {
		return "", nil, fmt.Errorf("read objects to push: %w", err)
	}
	dir, err = os.MkdirTemp("", "warden-push-*.git")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	format, err := objectFormat(gitDir)
	if err == nil {
		err = git.MakeDir(git.DirSpec{Dir: dir, Bare: true, Alternates: []string{objects}, ObjectFormat: format})
	}
	if err == nil {
		err = copyShallow(gitDir, dir)
	}
	if err != nil {
		done()
		return "", nil, err
	}
	return dir, done, nil
}

// emptyDir makes a git directory that knows nothing.
func emptyDir() (dir string, done func(), err error) {
	dir, err = os.MkdirTemp("", "warden-refs-*.git")
	if err != nil {
		return "", nil, err
	}
	done = func() { os.RemoveAll(dir) }
	if err = git.MakeDir(git.DirSpec{Dir: dir, Bare: true}); err != nil {
		done()
		return "", nil, err
	}
	return dir, done, nil
}

func objectFormat(gitDir string) (string, error) {
	data, err := os.ReadFile(filepath.Join(gitDir, "config"))
	if err != nil {
		return "", fmt.Errorf("read the object format: %w", err)
	}
	for line := range strings.Lines(strings.ToLower(string(data))) {
		if key, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(key) == "objectformat" {
			return strings.TrimSpace(value), nil
		}
	}
	return "sha1", nil
}

func copyShallow(from, to string) error {
	data, err := os.ReadFile(filepath.Join(from, "shallow"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read where the shallow clone ends: %w", err)
	}
	return os.WriteFile(filepath.Join(to, "shallow"), data, 0o600)
}

// check accepts only what cannot make git start another program or send a
// credential in the clear.
func (r Remote) check() error {
	if strings.ContainsAny(r.Credential.Username+r.Credential.Token, "\n\r\x00") {
		return errors.New("the credential has a line break")
	}
	if filepath.IsAbs(r.URL) && r.Credential.empty() {
		return nil
	}
	u, err := url.Parse(r.URL)
	if err != nil || u.Host == "" {
		return errors.New("the remote is neither an https URL nor an absolute path")
	}
	switch {
	case u.User != nil:
		return errors.New("the remote's URL holds a credential")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("the remote's URL has a query or a fragment")
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && (loopback(u.Hostname()) || r.Credential.empty()):
		return nil
	case u.Scheme == "http":
		return fmt.Errorf("http to %s would send the credential in the clear", u.Host)
	}
	return fmt.Errorf("scheme %q of the remote is not supported", u.Scheme)
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
