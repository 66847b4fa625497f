package land

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/contract"
	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/git"
)

var accept, reject, ann = decision.Accept, decision.Reject, "ann"

// good are facts that land whole.
func good() Facts {
	print := strings.Repeat("a", 64)
	return Facts{
		RunID: "r1", Base: strings.Repeat("1", 40), Branch: "topic",
		Decision: decision.State{RunID: "r1", State: decision.Resolved, Decision: &accept, Actor: &ann, Fingerprint: print},
		Seen: git.Snapshot{Source: print, Changes: []git.Change{
			{Path: ".warden/tasks/t.yaml", Kind: 'A'}, {Path: "a.go", Kind: 'M'}, {Path: "b.go", Kind: 'D'},
		}},
		Remotes: []Remote{{Name: "origin", URLs: []string{"https://forge.example/o/r"}, Default: "trunk", Tracks: true}},
		Staged:  []string{".warden/x", "a.go", "c.go"},
		Options: Options{PullRequest: true},
	}
}

func TestMake(t *testing.T) {
	t.Parallel()
	p, err := Make(good())
	if err != nil {
		t.Fatal(err)
	}
	if p.Branch != "topic" || p.Remote.Name != "origin" || p.Base != "trunk" {
		t.Errorf("plan %+v", p)
	}
	if diff := cmp.Diff([]string{"a.go", "b.go"}, p.Paths); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{".warden/x", "c.go"}, p.Extras); diff != "" {
		t.Error(diff)
	}
}

// TestRefusals_LA07 breaks the facts one after the other, from the last check to the
// first, so that each refusal wins over all that come after it.
func TestRefusals_LA07(t *testing.T) {
	t.Parallel()
	f := good()
	for _, c := range []struct {
		want  Code
		spoil func(*Facts)
	}{
		{NothingToLand, func(f *Facts) { f.Seen.Changes = f.Seen.Changes[:1] }},
		{RefusesDefaultBranch, func(f *Facts) { f.Branch = "trunk" }},
		{NoRemote, func(f *Facts) { f.Remotes = nil }},
		{DetachedHead, func(f *Facts) { f.Branch = "" }},
		{Code(decision.CandidateChanged), func(f *Facts) { f.Seen.Source = strings.Repeat("b", 64) }},
		{Code(decision.CandidateUnverifiable), func(f *Facts) { f.Base = "" }},
		{NotAccepted, func(f *Facts) { f.Decision.Decision = &reject }},
		{NotAccepted, func(f *Facts) { f.Decision.State, f.Decision.Decision = decision.Pending, nil }},
	} {
		c.spoil(&f)
		if _, err := Make(f); CodeOf(err) != c.want {
			t.Errorf("refused with %q (%v), want %q", CodeOf(err), err, c.want)
		}
	}
}

func TestRemoteAndBase(t *testing.T) {
	t.Parallel()
	up := Remote{Name: "up", URLs: []string{"/r"}}
	for _, c := range []struct {
		name, remote, base string
		code               Code
		spoil              func(*Facts)
	}{
		{"two remotes", "", "", RemoteAmbiguous, func(f *Facts) { f.Remotes = append(f.Remotes, up) }},
		{"two remotes, none needed", "", "main", "", func(f *Facts) { f.Remotes, f.Options = append(f.Remotes, up), Options{} }},
		{"no remote, none needed", "", "main", "", func(f *Facts) { f.Remotes, f.Options = nil, Options{Commit: true} }},
		{"named in the project", "up", "main", "", func(f *Facts) { f.Remotes, f.Project = append(f.Remotes, up), contract.Land{Remote: "up"} }},
		{"named on the command line", "origin", "trunk", "", func(f *Facts) {
			f.Remotes, f.Project, f.Options.Remote = append(f.Remotes, up), contract.Land{Remote: "up"}, "origin"
		}},
		{"unknown", "", "", NoRemote, func(f *Facts) { f.Options.Remote = "elsewhere" }},
		{"two addresses", "", "", RemoteAmbiguous, func(f *Facts) { f.Remotes[0].URLs = []string{"/a", "/b"} }},
		{"base of the project", "origin", "release", "", func(f *Facts) { f.Project.Base = "origin/release" }},
		{"base of the command line", "origin", "next", "", func(f *Facts) { f.Project.Base, f.Options.Base = "release", "next" }},
		{"on the asked base", "", "", RefusesDefaultBranch, func(f *Facts) { f.Options.Base = "topic" }},
		{"on the default, with another base", "", "", RefusesDefaultBranch, func(f *Facts) { f.Branch, f.Options.Base = "trunk", "next" }},
		{"nobody says which is the default", "", "", RefusesDefaultBranch, func(f *Facts) {
			f.Branch, f.Options.Base, f.Remotes[0].Default = "master", "next", ""
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := good()
			c.spoil(&f)
			p, err := Make(f)
			if CodeOf(err) != c.code || err == nil && p.Base != c.base {
				t.Fatalf("plan %+v, error %v, want base %q and code %q", p, err, c.base, c.code)
			}
			if name := ""; err == nil {
				if p.Remote != nil {
					name = p.Remote.Name
				}
				if name != c.remote {
					t.Errorf("remote %q, want %q", name, c.remote)
				}
			}
		})
	}
}

func TestEscalated(t *testing.T) {
	t.Parallel()
	for asked, want := range map[Options]Options{
		{}:                  {},
		{Commit: true}:      {Commit: true},
		{Push: true}:        {Commit: true, Push: true},
		{PullRequest: true}: {Commit: true, Push: true, PullRequest: true},
	} {
		if got := asked.Escalated(); got != want {
			t.Errorf("%+v asks for %+v, want %+v", asked, got, want)
		}
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	got := Render([]string{"gh", "--title={{ title }}", "{{body_file}}", "{{title}}{{branch}}"},
		map[string]string{"title": "a {{branch}} $(x) 'y'", "branch": "topic", "body_file": "/tmp/b c"})
	want := []string{"gh", "--title=a {{branch}} $(x) 'y'", "/tmp/b c", "a {{branch}} $(x) 'y'topic"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if got := Shell(got); got != `gh '--title=a {{branch}} $(x) '\''y'\''' '/tmp/b c' 'a {{branch}} $(x) '\''y'\''topic'` {
		t.Errorf("typed as %s", got)
	}
}
