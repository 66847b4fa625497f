package github

import (
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-github/v66/github"
)

const (
	perPage  = 100
	maxPages = 1000
)

// pages reads every page. A list that does not end, or whose pages do not go
// on, is an error: a list cut short would read as one that is complete.
func pages[T any](c *Client, action string, fetch func(github.ListOptions) ([]*T, *github.Response, error)) ([]*T, error) {
	var all []*T
	next := 1
	for range maxPages {
		items, resp, err := fetch(github.ListOptions{Page: next, PerPage: perPage})
		if err != nil {
			return nil, c.explain(action, err)
		}
		if slices.Contains(items, nil) {
			return nil, &apiError{action, "an entry of the list is null", nil}
		}
		all = append(all, items...)
		if resp.NextPage == 0 {
			if strings.Contains(resp.Header.Get("Link"), `rel="next"`) {
				return nil, &apiError{action, "the next page has no number", nil}
			}
			return all, nil
		}
		if resp.NextPage <= next {
			return nil, &apiError{action, fmt.Sprintf("page %d is followed by page %d", next, resp.NextPage), nil}
		}
		next = resp.NextPage
	}
	return nil, &apiError{action, fmt.Sprintf("there are more than %d pages", maxPages), nil}
}

// unique drops what two pages both show, as they do when the list moved between
// the calls.
func unique[T any](items []T, id func(T) int64) []T {
	seen := map[int64]bool{}
	var out []T
	for _, item := range items {
		if !seen[id(item)] {
			seen[id(item)] = true
			out = append(out, item)
		}
	}
	return out
}
