package publish_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/tolboy/warden/forge"
)

var (
	self  = forge.User{ID: 1, Login: "warden[bot]", Bot: true}
	other = forge.User{ID: 9, Login: "mallory"}
	noon  = time.Date(2026, 9, 1, 12, 0, 0, 0, time.UTC)
)

// memory is a forge that forgets nothing, with faults that a test switches on.
type memory struct {
	forge.Forge // any other method is a nil dereference, and fails the test
	comments    map[int][]forge.Comment
	pulls       []forge.PullRequest
	checks      []forge.Check
	writes      []string
	ids         int64
	now         time.Time

	noDrafts, silentNoDrafts, dropEdits, raced bool
	reviewErr                                  error
}

func newMemory() *memory { return &memory{comments: map[int][]forge.Comment{}, ids: 50, now: noon} }

func (m *memory) wrote(format string, a ...any) {
	m.writes = append(m.writes, fmt.Sprintf(format, a...))
}

func (m *memory) Comments(_ context.Context, n int) ([]forge.Comment, error) {
	return slices.Clone(m.comments[n]), nil
}

func (m *memory) CreateComment(_ context.Context, n int, body string) (forge.Comment, error) {
	m.ids++
	m.wrote("create comment")
	c := forge.Comment{ID: m.ids, Author: self, Body: body, CreatedAt: m.now, UpdatedAt: m.now}
	m.comments[n] = append(m.comments[n], c)
	return c, nil
}

func (m *memory) UpdateComment(_ context.Context, id int64, body string) (forge.Comment, error) {
	m.wrote("edit comment %d", id)
	for n := range m.comments {
		for i := range m.comments[n] {
			if c := &m.comments[n][i]; c.ID == id {
				if !m.dropEdits {
					c.Body, c.UpdatedAt = body, m.now
				}
				return *c, nil
			}
		}
	}
	return forge.Comment{}, forge.ErrNotFound
}

func (m *memory) PullRequests(_ context.Context, branch string) ([]forge.PullRequest, error) {
	var out []forge.PullRequest
	for _, p := range m.pulls {
		if p.HeadRef == branch {
			out = append(out, p)
		}
	}
	return out, nil
}

func (m *memory) PullRequest(_ context.Context, n int) (forge.PullRequest, error) {
	for _, p := range m.pulls {
		if p.Number == n {
			return p, nil
		}
	}
	return forge.PullRequest{}, forge.ErrNotFound
}

func (m *memory) add(ask forge.NewPullRequest, draft bool) forge.PullRequest {
	m.ids++
	p := forge.PullRequest{Number: int(m.ids), Title: ask.Title, Body: ask.Body, HeadRef: ask.HeadRef, BaseRef: ask.BaseRef,
		Open: true, Draft: draft, Author: self}
	m.pulls = append(m.pulls, p)
	return p
}

func (m *memory) OpenDraft(_ context.Context, ask forge.NewPullRequest) (forge.PullRequest, error) {
	m.wrote("open draft")
	switch {
	case m.noDrafts:
		return forge.PullRequest{}, forge.ErrDraftsUnsupported
	case m.raced:
		m.add(ask, true)
		return forge.PullRequest{}, forge.ErrConflict
	}
	return m.add(ask, !m.silentNoDrafts), nil
}

func (m *memory) OpenPull(_ context.Context, ask forge.NewPullRequest) (forge.PullRequest, error) {
	m.wrote("open pull")
	return m.add(ask, false), nil
}

func (m *memory) UpdatePull(_ context.Context, n int, title, body string) (forge.PullRequest, error) {
	m.wrote("edit pull")
	for i := range m.pulls {
		if p := &m.pulls[i]; p.Number == n {
			if !m.dropEdits {
				p.Title, p.Body = title, body
			}
			return *p, nil
		}
	}
	return forge.PullRequest{}, forge.ErrNotFound
}

func (m *memory) Checks(_ context.Context, sha, name string) ([]forge.Check, error) {
	var out []forge.Check
	for _, c := range m.checks {
		if c.HeadSHA == sha && c.Name == name {
			out = append(out, c)
		}
	}
	slices.Reverse(out)
	return out, nil
}

func (m *memory) SetCheck(_ context.Context, c forge.Check) (forge.Check, error) {
	m.wrote("set check %s with %d annotations", c.State, len(c.Annotations))
	if len(c.Annotations) > 50 {
		return forge.Check{}, errors.New("no more than 50 items are allowed")
	}
	if c.ID != 0 {
		for i := range m.checks {
			if m.checks[i].ID == c.ID {
				m.checks[i] = c
			}
		}
		return c, nil
	}
	m.ids++
	c.ID = m.ids
	m.checks = append(m.checks, c)
	return c, nil
}

func (m *memory) RequestReview(context.Context, int, string) error { return m.reviewErr }
