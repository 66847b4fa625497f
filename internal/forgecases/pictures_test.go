package forgecases

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/browser"
)

// site is a project with a page that shows the greeting, served as the kind of command
// that is found by itself.
func site() map[string]string {
	return map[string]string{
		"package.json": `{"name":"shop","private":true,"scripts":{"preview":"node serve.js"}}` + "\n",
		"serve.js": `const http = require('http'), fs = require('fs');
http.createServer((_, res) => {
  res.setHeader('Content-Type', 'text/html; charset=utf-8');
  res.end('<!doctype html><meta name=viewport content=width=device-width><title>Shop</title><h1 data-testid=greeting>' + fs.readFileSync('greeting.txt', 'utf8') + '</h1>');
}).listen(4173, '127.0.0.1');
`,
	}
}

const scenarios = "```warden\nscenarios:\n  - \"1280x720: testid=greeting visible\"\n  - \"390x844 mobile: no-console-errors\"\n```\n"

// TestPictures lets a page be looked at in a job, and holds what of it reaches people.
func TestPictures(t *testing.T) {
	t.Parallel()
	if _, err := browser.Find("", os.Environ()); err != nil {
		if os.Getenv("CI") == "true" || os.Getenv("WARDEN_REQUIRE_BROWSER") == "1" {
			t.Fatalf("a browser is required here: %v", err)
		}
		t.Skipf("skipped: nothing about pictures on a forge was tested: %v", err)
	}
	seen := func(t *testing.T, set setting) (*world, string) {
		t.Helper()
		w := newWorld(t, set)
		n, _, err := w.server.OpenIssue(wil, title, goal+"\n"+scenarios)
		if err != nil {
			t.Fatal(err)
		}
		w.issue = n
		p := w.act(w.label())
		w.want(len(p.Runs) == 1 && p.Runs[0].Reason == "ready_for_human" && p.Pull != nil, "no candidate: %s", p)
		w.pull = p.Pull.Number
		_, body := w.body()
		return w, body
	}
	t.Run("links are pinned to a commit that holds the pictures", func(t *testing.T) {
		t.Parallel()
		w, body := seen(t, setting{files: site()})
		w.want(strings.Contains(body, "| 1280x720: testid=greeting visible | 1280x720 | ✅ passed |"), "no table of scenarios:\n%s", body)
		address := regexp.MustCompile(regexp.QuoteMeta(w.server.URL()+"/"+w.server.Repo().String()) + `/blob/([0-9a-f]{40})/([A-Za-z0-9._/-]+\.png)`)
		links := address.FindAllStringSubmatch(body, -1)
		w.want(len(links) >= 4, "%d links and pictures:\n%s", len(links), body)
		for _, l := range links {
			w.reachable("refs/warden/runs/issue-1-1", l[1])
			data, err := w.gitOut("cat-file", "blob", l[1]+":"+l[2])
			w.want(err == nil && strings.HasPrefix(data, "\x89PNG"), "%s is no picture at %s: %v", l[2], l[1], err)
		}
		w.want(strings.Contains(body, "?raw=true)") && !strings.Contains(body, "Kept back"), "no picture in the text:\n%s", body)
		w.settled()
	})
	t.Run("none leaves where the project keeps them", func(t *testing.T) {
		t.Parallel()
		w, body := seen(t, setting{files: site(), project: func(yaml string) string {
			return yaml + "forge:\n  publish: {screenshots: false, transcripts: true}\n"
		}})
		tree, err := w.gitOut("ls-tree", "-r", "--name-only", "refs/warden/runs/issue-1-1")
		w.want(err == nil && strings.Contains(tree, "visual-qa.json") && strings.Contains(tree, "/prompts/") && !strings.Contains(tree, ".png"), "published: %v\n%s", err, tree)
		w.want(!strings.Contains(body, "/blob/") && strings.Contains(body, "1 not published") && strings.Contains(body, "2 picture(s) of the browser"), "the body does not say so:\n%s", body)
		w.settled()
	})
}
