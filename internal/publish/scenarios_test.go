package publish_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/publish"
)

const shots = "https://forge.example/o/r/blob/1f2e3d4c5b6a79880011223344556677889900aa/r--visual-qa-0/screenshots/"

func seenView() publish.View {
	v := view()
	v.Scenarios = []publish.Scenario{
		{Text: "1280x720: testid=save click -> text=Saved visible", Viewport: "1280x720", Passed: true,
			Pictures: []publish.Picture{{Name: "01.png", URL: shots + "01.png"}, {Name: "02.png", URL: shots + "02.png"}}},
		{Text: "390x844mobile: css=.menu hidden | @ann\n/merge", Viewport: "390x844 mobile", Why: "step 1: .menu is there `and` shows <b>@ben</b>\n::error::x",
			Pictures: []publish.Picture{{Name: "03.png", URL: shots + "03.png"}}, Differences: []publish.Picture{{Name: "d.png", URL: shots + "d.png"}}},
		{Text: "no-console-errors", Viewport: "1280x720", Passed: true, Pictures: []publish.Picture{{Name: "private.png"}}},
		{Text: "odd", Viewport: "1x1", Passed: true, Pictures: []publish.Picture{{Name: "x.png", URL: "https://forge.example/a) ![b](http://evil.example/"}}},
	}
	return v
}

func TestScenarios(t *testing.T) {
	t.Parallel()
	t.Run("golden", func(t *testing.T) {
		t.Parallel()
		body, shed := publish.Body(seenView())
		if len(shed) != 0 {
			t.Errorf("shed %v", shed)
		}
		golden(t, "body_scenarios", body)
	})
	t.Run("differences_come_first_and_every_link_is_pinned", func(t *testing.T) {
		t.Parallel()
		body, _ := publish.Body(seenView())
		first, failed, passed := strings.Index(body, "d.png?raw=true"), strings.Index(body, "03.png?raw=true"), strings.Index(body, "01.png?raw=true")
		if first < 0 || failed < first || passed < failed {
			t.Errorf("difference at %d, failure at %d, pass at %d", first, failed, passed)
		}
		if strings.Contains(body, "02.png?raw") {
			t.Error("every picture of a scenario that passed is inline")
		}
		for _, name := range []string{"01.png", "02.png", "03.png", "d.png"} {
			if !strings.Contains(body, "]("+shots+name+")") {
				t.Errorf("%s has no link", name)
			}
		}
		if strings.Contains(body, "evil.example") || strings.Count(body, "1 not published") != 2 {
			t.Errorf("a link that was not ours stands in the body, or is not counted:\n%s", body)
		}
	})
	t.Run("what_a_page_says_has_no_power", func(t *testing.T) {
		t.Parallel()
		body, _ := publish.Body(seenView())
		for _, bad := range []string{"\n/merge", "\n::error::", "<b>", " @ann", ">@ben"} {
			if _, rest, _ := strings.Cut(body, "### In the browser"); strings.Contains(strings.SplitN(rest, "###", 2)[0], bad) {
				t.Errorf("%q stands in the table", bad)
			}
		}
	})
	t.Run("bounded", func(t *testing.T) {
		t.Parallel()
		v := seenView()
		v.Scenarios = nil
		for i := range 400 {
			s := publish.Scenario{Text: strings.Repeat("text=x visible -> ", 100), Viewport: "1280x720", Why: strings.Repeat("w", 5000)}
			for k := range 100 {
				s.Pictures = append(s.Pictures, publish.Picture{URL: fmt.Sprintf("%s%03d-%03d.png", shots, i, k)})
			}
			v.Scenarios = append(v.Scenarios, s)
		}
		body, shed := publish.Body(v)
		if len(body) > publish.MaxBody {
			t.Errorf("%d bytes", len(body))
		}
		if !strings.Contains(strings.Join(shed, " "), "pictures") || !strings.Contains(body, "360 more scenarios are in the ledger") || !strings.Contains(body, "Left out or shortened") {
			t.Errorf("shed %v without a word of it:\n%s", shed, body[:2000])
		}
	})
}

func TestUploads(t *testing.T) {
	t.Parallel()
	const at = "/uploads/66dbcd21ec5d24ed6ea225176098d52b/"
	v := seenView()
	v.Uploads = &publish.Uploads{Missing: 2, Why: "403: <b>@ben</b>\n/merge"}
	names := []string{}
	for _, p := range publish.Inline(v) {
		names = append(names, p.Name)
	}
	if got := strings.Join(names, " "); got != "d.png 03.png 01.png private.png x.png" {
		t.Errorf("to be shown: %s", got)
	}
	v.Scenarios[1].Differences[0].Inline = at + "d.png"
	v.Scenarios[0].Pictures[0].Inline = at + "a.png) ![b](/x"
	v.Scenarios[1].Pictures[0].Inline = "//evil.example/03.png"
	body, _ := publish.Body(v)
	if strings.Count(body, "![") != 1 || !strings.Contains(body, "![scenario 2, picture 1]("+at+"d.png)") {
		t.Errorf("not the one that was uploaded alone:\n%s", body)
	}
	if !strings.Contains(body, "2 more could not be uploaded") || strings.Contains(body, "<b>@ben") || strings.Contains(body, "\n/merge") || strings.Contains(body, "?raw=true") {
		t.Errorf("what is missing is not said, or has power:\n%s", body)
	}
	if !strings.Contains(body, "]("+shots+"03.png)") {
		t.Error("the link of one that was not uploaded is gone")
	}
}
