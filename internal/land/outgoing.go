package land

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tolboy/warden/internal/git"
)

// Bounds of what is read before a push.
const (
	maxOutgoing      = 200_000
	maxOutgoingBatch = 32 << 20
)

// outgoing is one object that a push would send.
type outgoing struct {
	id, typ, name string
	size          int64
}

// searched refuses a push that would send a known secret: every commit, directory and
// file that the remote was not seen to have is read, since what a later commit took
// away is published all the same.
func (p Performer) searched(ctx context.Context, plan Plan, commit string) error {
	if p.Secret == nil {
		return nil
	}
	objects, err := p.outgoing(ctx, plan, commit)
	if err != nil {
		return fmt.Errorf("read what would be pushed: %w", err)
	}
	for len(objects) > 0 {
		n, bytes := 0, int64(0)
		for n < len(objects) && (n == 0 || n < 1000 && bytes+objects[n].size <= maxOutgoingBatch) {
			bytes += objects[n].size
			n++
		}
		if bytes > maxOutgoingBatch {
			return fmt.Errorf("%s is too large to be searched for secrets: %d bytes; push it yourself", objects[0].called(), bytes)
		}
		if err := p.search(ctx, objects[:n], bytes); err != nil {
			return err
		}
		objects = objects[n:]
	}
	return nil
}

func (o outgoing) called() string {
	if o.typ == "commit" {
		return "commit " + o.id[:12]
	}
	return fmt.Sprintf("%q (%.12s)", o.name, o.id)
}

// outgoing lists the objects, with their sizes.
func (p Performer) outgoing(ctx context.Context, plan Plan, commit string) ([]outgoing, error) {
	out, err := p.Git.Run(ctx, p.Root, "rev-list", "--objects", commit, "--not", "--remotes="+plan.Remote.Name)
	if err != nil {
		return nil, err
	}
	var objects []outgoing
	var ids strings.Builder
	for line := range strings.Lines(string(out)) {
		id, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		objects = append(objects, outgoing{id: id, name: name})
		ids.WriteString(id + "\n")
	}
	if len(objects) > maxOutgoing {
		return nil, fmt.Errorf("%d objects are more than %d: git fetch %s, or push it yourself", len(objects), maxOutgoing, plan.Remote.Name)
	}
	res, err := p.Git.Do(ctx, git.Call{Dir: p.Root, Args: []string{"cat-file", "--batch-check=%(objecttype) %(objectsize)"}, Stdin: []byte(ids.String())})
	if err != nil {
		return nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(res.Stdout), "\n"), "\n")
	if len(objects) > 0 && len(lines) != len(objects) {
		return nil, fmt.Errorf("git told of %d objects, and not of %d", len(lines), len(objects))
	}
	for i := range objects {
		typ, size, _ := strings.Cut(lines[i], " ")
		objects[i].typ = typ
		if objects[i].size, err = strconv.ParseInt(size, 10, 64); err != nil {
			return nil, fmt.Errorf("git says %q of object %s", lines[i], objects[i].id)
		}
	}
	return objects, nil
}

// search reads objects in one call of git.
func (p Performer) search(ctx context.Context, objects []outgoing, bytesInAll int64) error {
	var ids strings.Builder
	for _, o := range objects {
		ids.WriteString(o.id + "\n")
	}
	const perHeader = 120
	res, err := p.Git.Do(ctx, git.Call{Dir: p.Root, Args: []string{"cat-file", "--batch"}, Stdin: []byte(ids.String()), MaxOutput: int(bytesInAll) + perHeader*len(objects)})
	if err != nil {
		return fmt.Errorf("read what would be pushed: %w", err)
	}
	rest := res.Stdout
	for _, o := range objects {
		header, after, ok := bytes.Cut(rest, []byte("\n"))
		if !ok || !strings.HasPrefix(string(header), o.id+" ") || int64(len(after)) < o.size+1 {
			return fmt.Errorf("read what would be pushed: git printed %.100q", header)
		}
		if p.Secret(after[:o.size]) || p.Secret([]byte(o.name)) {
			return fmt.Errorf("%s holds a known secret, and would be published with the history of the branch, whether or not a later commit takes it away", o.called())
		}
		rest = after[o.size+1:]
	}
	return nil
}
