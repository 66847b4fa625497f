package forgecases

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/forge/forgetest"
	"github.com/tolboy/warden/forge/github"
	"github.com/tolboy/warden/forge/gitlab"
	"github.com/tolboy/warden/internal/archive"
	"github.com/tolboy/warden/internal/bot"
	"github.com/tolboy/warden/internal/decision"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/reconcile"
)

// TestGallery publishes a candidate on a forge that takes pictures: the forge of the
// other tests, with the upload of another one.
func TestGallery(t *testing.T) {
	t.Parallel()
	t.Run("each picture is uploaded once, differences first", func(t *testing.T) {
		t.Parallel()
		g := newGallery(t, nil)
		body := g.reconcile(t, t.Context())
		g.want(t, len(g.taken) == 3, "uploaded %q", g.taken)
		g.want(t, strings.Contains(body, "| visual-qa | visual_harness |"), "the browser is not told from the role that looks:\n%s", body)
		first, failed, passed := strings.Index(body, inline("d")), strings.Index(body, inline("2")), strings.Index(body, inline("1"))
		g.want(t, first > 0 && failed > first && passed > failed, "difference at %d, failure at %d, pass at %d:\n%s", first, failed, passed, body)
		g.want(t, strings.Count(body, inline("1")) == 2, "a picture that two scenarios share is not shown for both:\n%s", body)
		g.want(t, !strings.Contains(body, "?raw=true") && strings.Contains(body, "](https://forge.example/ledger/issue-1-1--visual-qa-0/screenshots/1.png)"), "no links beside them:\n%s", body)
		g.want(t, g.reconcile(t, t.Context()) == body && len(g.taken) == 3, "another look changes something: %q", g.taken)
	})
	t.Run("none is sent twice after a crash", func(t *testing.T) {
		t.Parallel()
		ctx, crash := context.WithCancel(t.Context())
		g := newGallery(t, func(w http.ResponseWriter, n int) bool {
			if n == 2 {
				crash() // it has the picture, and nobody hears of it
				panic(http.ErrAbortHandler)
			}
			return true
		})
		if _, err := g.bot().Reconcile(ctx, 1, reconcile.Trigger{}); err == nil {
			t.Fatal("the crash passed unnoticed")
		}
		body := g.reconcile(t, t.Context())
		g.want(t, len(g.taken) == 2, "uploaded %q", g.taken)
		g.want(t, strings.Contains(body, inline("d")) && strings.Count(body, "![") == 1, "what is known to be there is not shown, or more is:\n%s", body)
		g.want(t, strings.Contains(body, "3 more could not be uploaded") && strings.Contains(body, "cut off"), "it is not said:\n%s", body)
	})
	t.Run("a refusal leaves the links, and is said", func(t *testing.T) {
		t.Parallel()
		g := newGallery(t, func(w http.ResponseWriter, _ int) bool {
			w.WriteHeader(http.StatusForbidden)
			_, _ = io.WriteString(w, `{"message":"403 Forbidden <b>@mona</b>"}`)
			return false
		})
		body := g.reconcile(t, t.Context())
		g.want(t, len(g.taken) == 1, "uploaded %q", g.taken)
		g.want(t, !strings.Contains(body, "![") && strings.Contains(body, "4 more could not be uploaded") && strings.Contains(body, "403") && !strings.Contains(body, "<b>"), "it is not said:\n%s", body)
		g.want(t, strings.Contains(body, "](https://forge.example/ledger/issue-1-1--visual-qa-0/screenshots/d.png)"), "the link is gone:\n%s", body)
	})
	t.Run("none leaves where the project keeps them", func(t *testing.T) {
		t.Parallel()
		g := newGallery(t, nil)
		g.kept = true
		body := g.reconcile(t, t.Context())
		g.want(t, len(g.taken) == 0 && !strings.Contains(body, "![") && strings.Contains(body, "picture(s) of the browser"), "uploaded %q:\n%s", g.taken, body)
	})
	t.Run("one that is too large stays", func(t *testing.T) {
		t.Parallel()
		g := newGallery(t, nil, "d")
		body := g.reconcile(t, t.Context())
		g.want(t, len(g.taken) == 2 && strings.Contains(body, "1 more could not be uploaded") && strings.Contains(body, "8 MiB of one picture"), "uploaded %q:\n%s", g.taken, body)
	})
}

// gallery is a forge with a sealed run whose browser left four pictures in the text,
// two of them the same.
type gallery struct {
	server  *forgetest.Server
	uploads *httptest.Server
	client  forge.Forge
	dir     string
	commit  string
	kept    bool

	mu    sync.Mutex
	taken []string
}

// newGallery answers uploads after answer has had a say: with true for what the forge
// documents. The pictures of large are too large.
func newGallery(t *testing.T, answer func(w http.ResponseWriter, n int) bool, large ...string) *gallery {
	t.Helper()
	server, err := forgetest.New(forgetest.Options{Files: map[string]string{"README.md": "# shop\n"}})
	if err != nil {
		t.Fatal(err)
	}
	g := &gallery{server: server, dir: filepath.Join(scratch(t), "runs")}
	t.Cleanup(func() {
		for _, v := range server.Violations() {
			t.Errorf("violation: %s: %s", v.Kind, v.Text)
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	g.uploads = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, head, err := r.FormFile("file")
		if err != nil || r.URL.Path != "/api/v4/projects/7/uploads" {
			t.Errorf("%s: %v", r.URL, err)
			return
		}
		g.mu.Lock()
		g.taken = append(g.taken, head.Filename)
		n := len(g.taken)
		g.mu.Unlock()
		if answer != nil && !answer(w, n) {
			return
		}
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(map[string]string{"url": address(head.Filename)})
	}))
	t.Cleanup(g.uploads.Close)
	token := func(value string) func(context.Context) (string, error) {
		return func(context.Context) (string, error) { return value, nil }
	}
	g.client, err = github.New(github.Config{Repo: server.Repo(), APIURL: server.APIURL(), GraphQLURL: server.GraphQLURL(),
		Token: token(forgetest.DefaultToken), HTTPClient: &http.Client{Transport: &http.Transport{}, Timeout: time.Minute}})
	if err != nil {
		t.Fatal(err)
	}
	taker, err := gitlab.New(gitlab.Config{Project: "7", APIURL: g.uploads.URL + "/api/v4", Token: token("glpat-x")})
	if err != nil {
		t.Fatal(err)
	}
	g.client = struct {
		forge.Forge
		bot.Gallery
	}{g.client, taker}
	g.seal(t, large)
	return g
}

func address(name string) string { return "/uploads/66dbcd21ec5d24ed6ea225176098d52b/" + name }

func inline(name string) string { return "](" + address(name+".png") + ")" }

// seal makes an issue, a candidate on a branch, and the ledger of the run that made it.
func (g *gallery) seal(t *testing.T, large []string) {
	t.Helper()
	if _, _, err := g.server.OpenIssue(mona, title, goal, "warden"); err != nil {
		t.Fatal(err)
	}
	var err error
	if g.commit, _, err = g.server.PushAs(forgetest.Bot, "warden/issue-1-greet", map[string]string{"greeting.txt": greeting}); err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	run, err := ledger.Create(g.dir, ledger.RunHead{RunID: "issue-1-1", TaskID: "issue-1", ReservedAt: now, Branch: "warden/issue-1-greet", BaseCommit: g.commit, StartCommit: g.commit,
		Forge: &ledger.ForgeRef{Kind: "github", Repo: g.server.Repo().String(), Issue: 1, Trigger: "label"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer run.Close()
	var files []ledger.File
	at := func(name, content string) string {
		path := "issue-1-1--visual-qa-0/screenshots/" + name + ".png"
		data := "\x89PNG\r\n\x1a\n" + content
		for _, l := range large {
			if l == name {
				data += strings.Repeat("x", 8<<20)
			}
		}
		f, err := run.WriteFile(path, []byte(data))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
		return path
	}
	look := ledger.VisualRun{Stage: "visual-qa", Label: "visual-qa", Code: outcome.VisualFailed, Network: "host", Scenarios: []ledger.VisualScenario{
		{Scenario: "a", Viewport: "800x600", OK: true, Pictures: []string{at("1", "one")}},
		{Scenario: "b", Viewport: "800x600", Why: "red", Pictures: []string{at("2", "two")}, Differences: []string{at("d", "differs")}},
		{Scenario: "c", Viewport: "800x600", OK: true, Pictures: []string{at("3", "one")}},
	}}
	c := &ledger.Candidate{Commit: g.commit, Fingerprint: strings.Repeat("ab", 32), Files: 1}
	if _, err := run.Append(ledger.TypeVisualRun, now, look, files...); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Append(ledger.TypeReadyForHuman, now, ledger.Ending{OK: true, Code: outcome.ReadyForHuman, NextAction: "human_gate", Candidate: c}); err != nil {
		t.Fatal(err)
	}
	if _, err := decision.Open(run, decision.Question{Kind: decision.Kind(reconcile.GateSuccess), Reason: "ready", Fingerprint: c.Fingerprint, Commit: c.Commit}, now); err != nil {
		t.Fatal(err)
	}
}

// bot is a worker that has just started.
func (g *gallery) bot() *bot.Bot {
	b := &bot.Bot{Forge: g.client, Repo: g.server.Repo(), Kind: "github", Archive: shelf{g.dir}, Workshop: bench{g}, RunsDir: g.dir, Now: time.Now}
	if !g.kept {
		b.Picture = func(_, path string) string { return "https://forge.example/ledger/" + path }
	}
	return b
}

// reconcile lets a worker do what is owed and returns the pull request's text.
func (g *gallery) reconcile(t *testing.T, ctx context.Context) string {
	t.Helper()
	if _, err := g.bot().Reconcile(ctx, 1, reconcile.Trigger{}); err != nil {
		t.Fatal(err)
	}
	pulls, err := g.client.PullRequests(ctx, "warden/issue-1-greet")
	if err != nil || len(pulls) != 1 {
		t.Fatalf("%d pull requests: %v", len(pulls), err)
	}
	return pulls[0].Body
}

func (g *gallery) want(t *testing.T, ok bool, format string, args ...any) {
	t.Helper()
	if !ok {
		t.Errorf(format, args...)
	}
}

// shelf keeps the ledgers where they are.
type shelf struct{ dir string }

func (s shelf) Sync(context.Context, string) ([]string, error) { return ledger.Runs(s.dir) }
func (shelf) Save(context.Context, string, ...string) error    { return nil }
func (shelf) SaveTogether(context.Context, []archive.Entry, *archive.Branch) error {
	return archive.ErrApart
}

// bench is a workshop whose branch is pushed already.
type bench struct{ g *gallery }

func (bench) Base(context.Context, string) (bot.Base, error) {
	return bot.Base{Ref: "main"}, nil
}
func (bench) PolicySHA256() string { return "" }
func (bench) Confinement() string  { return "" }
func (bench) Run(context.Context, bot.Order) error {
	return fmt.Errorf("no run is to be made here")
}
func (bench) Keep(context.Context, string, string) error                 { return nil }
func (bench) Push(context.Context, string, string, string, string) error { return nil }
func (b bench) Head(context.Context, string) (string, error)             { return b.g.commit, nil }
