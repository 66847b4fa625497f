package cli

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/land"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
)

// landResult is what `warden land` prints.
type landResult struct {
	OK         bool      `json:"ok"`
	Code       land.Code `json:"code"`
	Message    string    `json:"message,omitempty"` // of a step that failed
	RunID      string    `json:"run_id"`
	Project    string    `json:"project"`
	Branch     string    `json:"branch"`
	Remote     string    `json:"remote"`
	Base       string    `json:"base"`
	AcceptedBy string    `json:"accepted_by"`
	AcceptedAt string    `json:"accepted_at"`
	Paths      []string  `json:"paths"`
	Extras     []string  `json:"extras"`
	Commit     string    `json:"commit"`
	Text       string    `json:"commit_message"`
	Title      string    `json:"pull_request_title"`
	WouldRun   []string  `json:"would_run"`
	Lands      bool      `json:"lands"` // always false: nothing is merged
	Note       string    `json:"note"`
	Next       string    `json:"next"`
}

func (r landResult) succeeded() bool { return r.OK }

// override puts the operator's own words in place of ours.
func (o landOptions) override(t *land.Texts) (err error) {
	if o.title != "" {
		if strings.ContainsAny(o.title, "\n\r\x00") {
			return usagef("the title is more than one line")
		}
		t.Title = o.title
	}
	if o.messageFile != "" {
		if t.Message, err = readText(o.messageFile, "the commit message"); err != nil {
			return err
		}
	}
	if o.bodyFile != "" {
		t.Body, err = readText(o.bodyFile, "the text of the pull request")
	}
	return err
}

func (w *landing) result() landResult {
	out := landResult{
		RunID: w.state.RunID, Project: w.local.project.Name, Branch: w.plan.Branch, Base: w.plan.Base, AcceptedAt: w.state.Token(),
		Paths: w.plan.Paths, Extras: append([]string{}, w.plan.Extras...), Commit: w.draft.Commit,
		Text: w.texts.Message, Title: w.texts.Title, WouldRun: w.would,
	}
	if w.plan.Remote != nil {
		out.Remote = w.plan.Remote.Name
	}
	if w.state.Actor != nil {
		out.AcceptedBy = *w.state.Actor
	}
	var notes []string
	if w.draft.Already {
		notes = append(notes, alreadyThere(w.draft.Commit, w.plan.Branch))
	}
	if n := len(out.Extras); n > 0 {
		notes = append(notes, fmt.Sprintf("%d staged paths are no part of the candidate and stay staged", n))
	}
	out.Note = strings.Join(notes, "; ")
	return out
}

// asOperator is the environment without the keys that profiles name, which are the
// vendors' and not a forge's, and with a PATH on which no program of the tree stands.
func asOperator(environ []string, home policy.Home, root string) []string {
	drop := map[string]bool{"PATH": true}
	for _, p := range home.Profiles {
		for _, name := range p.APIKeyEnv {
			drop[name] = true
		}
	}
	env := slices.DeleteFunc(slices.Clone(environ), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return drop[name]
	})
	return append(env, "PATH="+proc.PathOutside(environ, root))
}

// readText reads what the operator wrote to be shown.
func readText(path, what string) (string, error) {
	const most = 60_000
	f, err := os.Open(path)
	if err != nil {
		return "", usagef("read %s: %v", what, err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	switch {
	case err != nil:
		return "", usagef("read %s: %v", what, err)
	case len(data) > most:
		return "", usagef("read %s: %s is longer than %d bytes", what, path, most)
	case !utf8.Valid(data) || strings.ContainsRune(string(data), 0):
		return "", usagef("read %s: %s is no text in UTF-8", what, path)
	case strings.TrimSpace(string(data)) == "":
		return "", usagef("read %s: %s is empty", what, path)
	}
	return string(data), nil
}

// alreadyThere says that there was nothing to commit.
func alreadyThere(commit, branch string) string {
	return fmt.Sprintf("already committed: %.12s of %s holds the candidate", commit, branch)
}
