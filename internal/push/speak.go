package push

import (
	"context"
	"fmt"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// speak says to git's own transport what git push would say to it, in the protocol
// of gitremote-helpers(7). The transport reads the remote's refs, compares them with
// what is expected, and sends; git push adds two processes before it, for each of a
// run's many pushes.
func (p *Pusher) speak(ctx context.Context, r Remote, dir string, updates []Update) (string, error) {
	var say strings.Builder
	say.WriteString("option progress false\n")
	options := 1
	if len(updates) > 1 {
		say.WriteString("option atomic true\n")
		options++
	}
	for _, u := range updates {
		expect := u.Expect
		if expect == "" {
			expect = strings.Repeat("0", len(u.Commit))
		}
		fmt.Fprintf(&say, "option cas %s:%s\n", u.Ref, expect)
		options++
	}
	for _, u := range updates {
		fmt.Fprintf(&say, "push %s:%s\n", u.Commit, u.Ref)
	}
	say.WriteString("\n\n") // the end of the batch, and of the conversation
	res, err := p.with(r, git.Call{Dir: dir, GitDir: dir, Stdin: []byte(say.String())}, func(c git.Call) (git.Result, error) {
		return p.git.Transport(ctx, r.URL, c)
	})
	return heard(string(res.Stdout), options, err)
}

// heard makes the lines of push --porcelain out of what the transport answered: a
// line for each option, then one for each ref. An option that it does not know is
// no word to rely on: the push may have gone without its lease.
func heard(out string, options int, err error) (string, error) {
	lines := strings.Split(out, "\n")
	for i := range options {
		if i >= len(lines) || lines[i] != "ok" {
			if err == nil {
				err = fmt.Errorf("git's transport did not take option %d of %d", i+1, options)
			}
			return "", err
		}
	}
	var porcelain strings.Builder
	for _, line := range lines[options:] {
		word, rest, _ := strings.Cut(line, " ")
		ref, why, _ := strings.Cut(rest, " ")
		switch {
		case word == "ok" && why == "up to date":
			fmt.Fprintf(&porcelain, "=\t:%s\t[up to date]\n", ref)
		case word == "ok":
			fmt.Fprintf(&porcelain, "*\t:%s\t[taken]\n", ref)
		case word == "error" && ours[why]:
			fmt.Fprintf(&porcelain, "!\t:%s\t[rejected] (%s)\n", ref, why)
		case word == "error":
			fmt.Fprintf(&porcelain, "!\t:%s\t[remote rejected] (%s)\n", ref, why)
		}
	}
	return porcelain.String(), err
}

// ours are the reasons for which git, and not the remote, does not push a ref.
var ours = map[string]bool{
	"stale info": true, "non-fast forward": true, "fetch first": true, "needs force": true, "already exists": true,
	"remote ref updated since checkout": true,
}
