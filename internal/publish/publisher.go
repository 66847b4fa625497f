package publish

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tolboy/warden/forge"
)

// Publisher writes to one repository. Each of its methods may be repeated: it looks
// for what is there, writes only what differs, reads it back and compares. It is
// not safe to show the same issue from two goroutines at once.
type Publisher struct {
	forge forge.Forge
	self  forge.User
	now   func() time.Time
}

// New returns a publisher that knows its own texts by the account self.
func New(f forge.Forge, self forge.User, now func() time.Time) *Publisher {
	return &Publisher{forge: f, self: self, now: now}
}

// NotKeptError says that the forge took a text and does not show it.
type NotKeptError struct{ What string }

// Error implements error.
func (e *NotKeptError) Error() string {
	return fmt.Sprintf("write %s: the forge answered well and shows another text", e.What)
}

// ForeignPullError says that somebody else opened a pull request from our branch.
type ForeignPullError struct {
	Number int
	Author forge.User
}

// Error implements error.
func (e *ForeignPullError) Error() string {
	return fmt.Sprintf("show pull request: #%d from our branch was opened by %q, and its text is not ours to change", e.Number, e.Author.Login)
}

// Status is what became of the status comment. Deferred says that it was edited too
// short a while ago; the caller shows it again after Wait.
type Status struct {
	CommentID int64
	Changed   bool
	Deferred  bool
	Wait      time.Duration
	Shed      []string
}

// editPause is the least time between two edits of the comment of a run in progress.
const editPause = 15 * time.Second

// Status shows the status comment. Known is its id in the ledger, or 0. A comment
// that was deleted is made again.
func (p *Publisher) Status(ctx context.Context, v View, known int64) (Status, error) {
	body, shed := Comment(v)
	old, err := p.find(ctx, v.Issue, known, Marker(v.Issue))
	if err != nil {
		return Status{}, err
	}
	out := Status{Shed: shed}
	switch {
	case old == nil:
		made, err := p.forge.CreateComment(ctx, v.Issue, body)
		if err != nil {
			return out, fmt.Errorf("write status comment of issue %d: %w", v.Issue, err)
		}
		out.CommentID, out.Changed = made.ID, true
	case same(old.Body, body):
		out.CommentID = old.ID
		return out, nil
	default:
		out.CommentID = old.ID
		if age := p.now().Sub(old.UpdatedAt); v.Phase == Running && age >= 0 && age < editPause {
			out.Deferred, out.Wait = true, editPause-age
			return out, nil
		}
		if _, err := p.forge.UpdateComment(ctx, old.ID, body); err != nil {
			return out, fmt.Errorf("edit status comment of issue %d: %w", v.Issue, err)
		}
		out.Changed = true
	}
	return out, p.kept(ctx, v.Issue, out.CommentID, body)
}

// Reply says an answer on an issue or pull request, unless it was said before. It
// returns the comment's id and whether it is new.
func (p *Publisher) Reply(ctx context.Context, number int, a Answer) (int64, bool, error) {
	body, ok := Reply(a)
	if !ok {
		return 0, false, fmt.Errorf("answer on %d: no text for reason %q and key %q", number, a.Reason, a.Key)
	}
	comments, err := p.forge.Comments(ctx, number)
	if err != nil {
		return 0, false, fmt.Errorf("read comments of %d: %w", number, err)
	}
	for _, c := range comments {
		for _, key := range AnsweredKeys([]forge.Comment{c}, p.self) {
			if key == a.Key {
				return c.ID, false, nil
			}
		}
	}
	made, err := p.forge.CreateComment(ctx, number, body)
	if err != nil {
		return 0, false, fmt.Errorf("answer on %d: %w", number, err)
	}
	return made.ID, true, p.kept(ctx, number, made.ID, body)
}

// Gate shows the check on a commit, and returns it. Annotations go out once, with
// the check that is made: a forge adds those of every later request.
func (p *Publisher) Gate(ctx context.Context, v View, sha string, state forge.CheckState) (forge.Check, error) {
	want := Check(v, sha, state)
	have, err := p.forge.Checks(ctx, sha, CheckName)
	if err != nil {
		return forge.Check{}, fmt.Errorf("read checks of %s: %w", short(sha), err)
	}
	for _, c := range have {
		if c.ExternalID != want.ExternalID || c.ID == 0 {
			continue
		}
		if c.State == want.State && c.Title == want.Title && same(c.Summary, want.Summary) {
			return c, nil
		}
		want.ID, want.Annotations = c.ID, nil
		break
	}
	made, err := p.forge.SetCheck(ctx, want)
	if err != nil {
		return forge.Check{}, fmt.Errorf("set check on %s: %w", short(sha), err)
	}
	if made.State != want.State {
		return made, &NotKeptError{What: "check on " + short(sha)}
	}
	return made, nil
}

// RequestReview asks a person to look. A forge that will not ask its own author, or
// somebody without access, is no fault of the run: asked is false then.
func (p *Publisher) RequestReview(ctx context.Context, number int, login string) (asked bool, err error) {
	switch err := p.forge.RequestReview(ctx, number, login); {
	case err == nil:
		return true, nil
	case errors.Is(err, forge.ErrForbidden), errors.Is(err, forge.ErrNotFound), errors.Is(err, forge.ErrConflict), errors.Is(err, errors.ErrUnsupported):
		return false, nil
	default:
		return false, fmt.Errorf("request review of %d from %q: %w", number, login, err)
	}
}

// find returns our comment by its id, else the oldest that is ours and marked.
func (p *Publisher) find(ctx context.Context, number int, known int64, marker string) (*forge.Comment, error) {
	comments, err := p.forge.Comments(ctx, number)
	if err != nil {
		return nil, fmt.Errorf("read comments of %d: %w", number, err)
	}
	var marked *forge.Comment
	for i := range comments {
		c := &comments[i]
		if !c.Author.Same(p.self) {
			continue
		}
		if known != 0 && c.ID == known {
			return c, nil
		}
		if marked == nil && len(c.Body) >= len(marker) && c.Body[:len(marker)] == marker {
			marked = c
		}
	}
	return marked, nil
}

func (p *Publisher) kept(ctx context.Context, number int, id int64, body string) error {
	comments, err := p.forge.Comments(ctx, number)
	if err != nil {
		return fmt.Errorf("read back comment %d: %w", id, err)
	}
	for _, c := range comments {
		if c.ID == id && same(c.Body, body) {
			return nil
		}
	}
	return &NotKeptError{What: fmt.Sprintf("comment %d", id)}
}
