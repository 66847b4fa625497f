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

// helper hands git what stands in descriptor 3, once, when it asks for the
// credential of the right host. The secret is in no argument, no variable and no
// file: only in a pipe that the call inherits.
const helper = `!f() { test "$1" = get || exit 0; while IFS= read -r line && test -n "$line"; do ` +
	`case "$line" in "host=%s") ok=1;; esac; done; test -n "$ok" || exit 0; ` +
	`while IFS= read -r line <&3; do printf "%%s\n" "$line"; done; }; f`

// remote performs a call that speaks with r.
func (p *Pusher) remote(ctx context.Context, r Remote, c git.Call) (git.Result, error) {
	c.Config = append(c.Config, "http.followRedirects=false", "credential.useHttpPath=true", "transfer.bundleURI=false")
	if r.Credential.empty() {
		return p.git.Do(ctx, c)
	}
	u, err := url.Parse(r.URL)
	if err != nil || strings.ContainsAny(u.Host, "\"'$`\\*? \t\n") {
		return git.Result{}, errors.New("the remote's host cannot be named")
	}
	c.Config = append(c.Config, "credential.helper="+fmt.Sprintf(helper, u.Host))
	read, write, err := os.Pipe()
	if err != nil {
		return git.Result{}, fmt.Errorf("make a pipe for the credential: %w", err)
	}
	defer read.Close()
	// A pipe takes 64 KiB before anybody reads; a credential is far below.
	text := "username=" + r.Credential.Username + "\npassword=" + r.Credential.Token + "\n"
	if len(text) > 16<<10 {
		write.Close()
		return git.Result{}, errors.New("the credential is longer than 16 KiB")
	}
	_, err = write.WriteString(text)
	if e := write.Close(); err == nil {
		err = e
	}
	if err != nil {
		return git.Result{}, fmt.Errorf("write the credential: %w", err)
	}
	c.ExtraFiles = []*os.File{read}
	res, err := p.git.Do(ctx, c)
	return r.Credential.clean(res), r.Credential.cleanError(err)
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
