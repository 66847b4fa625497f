package publish

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tolboy/warden/forge"
)

// Pull is what became of the pull request.
type Pull struct {
	Request forge.PullRequest
	// DraftUnsupported says that it is no draft because the forge has none.
	DraftUnsupported bool
	Opened, Changed  bool
	Shed             []string
}

// Pull shows the pull request of the branch: the open one is brought up to date,
// else a draft is opened. Where the forge has no drafts, an ordinary one is opened
// whose title and body say that it is not for merge.
func (p *Publisher) Pull(ctx context.Context, v View) (Pull, error) {
	existing, err := p.open(ctx, v.Branch)
	if err != nil {
		return Pull{}, err
	}
	if existing != nil {
		return p.update(ctx, v, *existing)
	}
	body, shed := Body(v)
	ask := forge.NewPullRequest{Title: Title(v), Body: body, HeadRef: v.Branch, BaseRef: v.BaseRef}
	made, err := p.forge.OpenDraft(ctx, ask)
	switch {
	case errors.Is(err, forge.ErrDraftsUnsupported):
		v.DraftUnsupported = true
		ask.Title = Title(v)
		ask.Body, shed = Body(v)
		made, err = p.forge.OpenPull(ctx, ask)
	case errors.Is(err, forge.ErrConflict):
		again, findErr := p.open(ctx, v.Branch)
		if findErr != nil {
			return Pull{}, findErr
		}
		if again != nil {
			return p.update(ctx, v, *again)
		}
	case err == nil && !made.Draft && !v.DraftUnsupported:
		// The forge took the request for a draft and made something else.
		v.DraftUnsupported = true
		return p.update(ctx, v, made)
	}
	if err != nil {
		return Pull{}, fmt.Errorf("open pull request for %q: %w", v.Branch, err)
	}
	out := Pull{Request: made, DraftUnsupported: v.DraftUnsupported, Opened: true, Changed: true, Shed: shed}
	out.Request, err = p.readBack(ctx, made.Number, ask.Title, ask.Body)
	return out, err
}

func (p *Publisher) open(ctx context.Context, branch string) (*forge.PullRequest, error) {
	all, err := p.forge.PullRequests(ctx, branch)
	if err != nil {
		return nil, fmt.Errorf("read pull requests of %q: %w", branch, err)
	}
	for i := range all {
		if all[i].Open {
			return &all[i], nil
		}
	}
	return nil, nil
}

func (p *Publisher) update(ctx context.Context, v View, have forge.PullRequest) (Pull, error) {
	if !have.Author.Same(p.self) {
		return Pull{}, &ForeignPullError{Number: have.Number, Author: have.Author}
	}
	// What was opened as no draft stays marked, whoever asks.
	v.DraftUnsupported = v.DraftUnsupported || strings.HasPrefix(have.Title, notForMerge)
	body, shed := Body(v)
	title := Title(v)
	out := Pull{Request: have, DraftUnsupported: v.DraftUnsupported, Shed: shed}
	if have.Title == title && same(have.Body, body) {
		return out, nil
	}
	if _, err := p.forge.UpdatePull(ctx, have.Number, title, body); err != nil {
		return out, fmt.Errorf("edit pull request %d: %w", have.Number, err)
	}
	out.Changed = true
	var err error
	out.Request, err = p.readBack(ctx, have.Number, title, body)
	return out, err
}

// readBack looks whether the forge shows what it took.
func (p *Publisher) readBack(ctx context.Context, number int, title, body string) (forge.PullRequest, error) {
	got, err := p.forge.PullRequest(ctx, number)
	if err != nil {
		return forge.PullRequest{}, fmt.Errorf("read back pull request %d: %w", number, err)
	}
	if got.Title != title || !same(got.Body, body) {
		return got, &NotKeptError{What: fmt.Sprintf("pull request %d", number)}
	}
	return got, nil
}
