package push

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// maxCredential is in bytes: far more than any, and less than what a pipe takes
// before somebody reads.
const maxCredential = 16 << 10

// helper hands git what stands in descriptor 3, once, when it asks for the
// credential of the right host. The secret is in no argument, no variable and no
// file: only in a pipe that the call inherits.
const helper = `!f() { test "$1" = get || exit 0; while IFS= read -r line && test -n "$line"; do ` +
	`case "$line" in "host=%s") ok=1;; esac; done; test -n "$ok" || exit 0; ` +
	`while IFS= read -r line <&3; do printf "%%s\n" "$line"; done; }; f`

// remote performs a call of git that speaks with r.
func (p *Pusher) remote(ctx context.Context, r Remote, c git.Call) (git.Result, error) {
	return p.with(r, c, func(c git.Call) (git.Result, error) { return p.git.Do(ctx, c) })
}

// with performs a call that can send r its credential, and takes the credential out
// of what comes back.
func (p *Pusher) with(r Remote, c git.Call, do func(git.Call) (git.Result, error)) (git.Result, error) {
	c.Config = append(c.Config, "http.followRedirects=false", "credential.useHttpPath=true", "transfer.bundleURI=false")
	if r.Credential.empty() {
		return do(c)
	}
	u, err := url.Parse(r.URL)
	if err != nil || strings.ContainsAny(u.Host, "\"'$`\\*? \t\n") {
		return git.Result{}, errors.New("the remote's host cannot be named")
	}
	if len(r.Credential.Username)+len(r.Credential.Token) > maxCredential {
		return git.Result{}, fmt.Errorf("the credential is longer than %d bytes", maxCredential)
	}
	setting, file, err := p.hand(r.Credential, u)
	if err != nil {
		return git.Result{}, err
	}
	defer file.Close()
	c.Config = append(c.Config, setting)
	c.ExtraFiles = []*os.File{file}
	res, err := do(c)
	return r.Credential.clean(res), r.Credential.cleanError(err)
}

// hand opens what a call inherits as descriptor 3, and the setting that reads it.
func (p *Pusher) hand(c Credential, u *url.URL) (setting string, _ *os.File, err error) {
	if !p.plain {
		if file, err := c.header(u); file != nil || err != nil {
			return "include.path=" + settings, file, err
		}
	}
	file, err := c.answer()
	return "credential.helper=" + fmt.Sprintf(helper, u.Host), file, err
}

// answer is a pipe with what helper prints.
func (c Credential) answer() (*os.File, error) {
	text := "username=" + c.Username + "\npassword=" + c.Token + "\n"
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the credential: %w", err)
	}
	_, err = write.WriteString(text)
	if e := write.Close(); err == nil {
		err = e
	}
	if err != nil {
		read.Close()
		return nil, fmt.Errorf("write the credential: %w", err)
	}
	return read, nil
}

// clean takes the token out of what a server may have echoed.
func (c Credential) clean(res git.Result) git.Result {
	res.Stdout = []byte(c.without(string(res.Stdout)))
	res.Stderr = []byte(c.without(string(res.Stderr)))
	return res
}

func (c Credential) cleanError(err error) error {
	var failed *git.CommandError
	if errors.As(err, &failed) {
		return &git.CommandError{Name: failed.Name, ExitCode: failed.ExitCode, Stderr: c.without(failed.Stderr)}
	}
	return err
}
