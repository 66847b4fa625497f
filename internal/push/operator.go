package push

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/tolboy/warden/internal/git"
)

// operatorLimit ends a push that the operator waits for.
const operatorLimit = 10 * time.Minute

// The ways in which the operator's push is refused here.
var (
	// ErrDefaultBranch: the branch is the one that the remote shows first.
	ErrDefaultBranch = errors.New("the branch is the remote's default branch")
	// ErrRewrite: the branch would lose commits that the remote has.
	ErrRewrite = errors.New("the remote's branch has commits that this one does not continue")
)

// Operator pushes one branch of a person who asked for it, as that person: with the
// credential helpers, the agent and the user settings of Environ, and with no
// setting and no hook of the repository.
type Operator struct {
	Git     *git.Git
	Environ []string
}

// Args are the arguments of git for one push. They never force: the lease is a
// second check beside the one that the commit continues what is there.
func (Operator) Args(to, commit, branch, expectOld string) []string {
	ref := "refs/heads/" + branch
	return []string{
		"push", "--porcelain", "--no-verify", "--no-follow-tags", "--no-signed", "--recurse-submodules=no",
		"--force-with-lease=" + ref + ":" + expectOld, "--", to, commit + ":" + ref,
	}
}

// Branch makes the branch at the URL point to a commit of gitDir, if it does not
// exist there and expectOld is empty, or is at expectOld, which the commit must
// continue. A branch that is at the commit already is fine. The branch that the
// remote names as its default is ErrDefaultBranch.
func (o Operator) Branch(ctx context.Context, to, gitDir, commit, branch, expectOld string) error {
	if err := o.branch(ctx, to, gitDir, commit, branch, expectOld); err != nil {
		return fmt.Errorf("push branch %s: %w", branch, secretOf(to).cleanError(err))
	}
	return nil
}

func (o Operator) branch(ctx context.Context, to, gitDir, commit, branch, expectOld string) error {
	if err := git.CheckBranch(branch); err != nil {
		return err
	}
	if !git.IsObjectID(commit) || expectOld != "" && !git.IsObjectID(expectOld) {
		return fmt.Errorf("commit %q and expected %q must be object ids", commit, expectOld)
	}
	if err := CheckOperatorURL(to); err != nil {
		return err
	}
	dir, done, err := borrow(gitDir)
	if err != nil {
		return err
	}
	defer done()
	call := func(args ...string) (git.Result, error) {
		return o.Git.Operate(ctx, o.Environ, git.Call{Dir: dir, GitDir: dir, Args: args, Limit: operatorLimit})
	}
	res, err := call("ls-remote", "--symref", "--", to, "HEAD")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(res.Stdout)) {
		if strings.TrimRight(line, "\n") == "ref: refs/heads/"+branch+"\tHEAD" {
			return ErrDefaultBranch
		}
	}
	if expectOld != "" {
		var failed *git.CommandError
		_, err := call("merge-base", "--is-ancestor", expectOld, commit)
		if errors.As(err, &failed) && failed.ExitCode == 1 {
			return ErrRewrite
		}
		if err != nil {
			return err
		}
	}
	res, err = call(o.Args(to, commit, branch, expectOld)...)
	_, err = verdict("refs/heads/"+branch, string(res.Stdout), err)
	return err
}

// remoteHelper is how a URL asks git to start git-remote-NAME.
var remoteHelper = regexp.MustCompile(`^[A-Za-z0-9+.-]*::`)

// CheckOperatorURL accepts https, ssh in both spellings, file, an absolute path,
// and http on loopback. No remote helper is started.
func CheckOperatorURL(to string) error {
	if strings.ContainsAny(to, "\n\r\x00") || strings.HasPrefix(to, "-") || remoteHelper.MatchString(to) {
		return errors.New("the remote's URL would start another program, or is none")
	}
	if filepath.IsAbs(to) {
		return nil
	}
	if strings.Contains(to, "://") {
		u, err := url.Parse(to)
		switch {
		case err != nil:
			return errors.New("the remote's URL cannot be read")
		case u.Scheme == "https" || u.Scheme == "file":
			return nil
		case u.Scheme == "ssh" && !strings.HasPrefix(u.Host, "-"):
			return nil
		case u.Scheme == "http" && loopback(u.Hostname()):
			return nil
		}
		return fmt.Errorf("scheme %q of the remote is not supported", u.Scheme)
	}
	host, path, ok := strings.Cut(to, ":")
	if ok && path != "" && host != "" && !strings.ContainsAny(host, "/\\ ") {
		return nil
	}
	return errors.New("the remote is neither a URL nor an absolute path")
}

// Shown is a URL without what may be a credential.
func Shown(to string) string {
	scheme, _, ok := strings.Cut(to, "://")
	u, err := url.Parse(to)
	switch {
	case !ok || scheme == "ssh" && err == nil:
		return to
	case err != nil:
		return scheme + "://***"
	}
	u.User = nil
	return u.String()
}

func secretOf(to string) Credential {
	if u, err := url.Parse(to); err == nil && u.User != nil {
		if password, ok := u.User.Password(); ok {
			return Credential{Username: u.User.Username(), Token: password}
		}
		if u.Scheme == "https" || u.Scheme == "http" {
			return Credential{Token: u.User.Username()}
		}
	}
	return Credential{}
}
