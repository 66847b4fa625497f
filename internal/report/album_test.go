package report_test

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/report"
)

// sketch draws what could be a page of an application: a bar, a list, and a button at a
// height.
func sketch(t *testing.T, width, height, button int) []byte {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	fill := func(r image.Rectangle, c color.RGBA) { draw.Draw(img, r, &image.Uniform{c}, image.Point{}, draw.Src) }
	fill(img.Bounds(), color.RGBA{250, 250, 250, 255})
	fill(image.Rect(0, 0, width, 56), color.RGBA{30, 60, 114, 255})
	for y := 80; y < height-80; y += 60 {
		fill(image.Rect(24, y, width-24, y+44), color.RGBA{232, 236, 241, 255})
	}
	fill(image.Rect(24, button, 184, button+40), color.RGBA{26, 127, 55, 255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const (
	dir   = "r1--visual-qa-0/"
	shots = dir + "screenshots/"
)

// shown is a run whose browser stage passed one scenario, and failed one by a step and
// one by a baseline. It returns the files that it left.
func shown(t *testing.T) (ledger.History, map[string][]byte) {
	t.Helper()
	files := map[string][]byte{
		shots + "01-1280x720.png": sketch(t, 1280, 720, 640), shots + "01-after-1.png": sketch(t, 1280, 720, 600),
		shots + "02-390x844.png": sketch(t, 390, 844, 760), shots + "03-390x844.png": sketch(t, 390, 844, 700),
		shots + "03-390x844-baseline.png": sketch(t, 390, 844, 780), shots + "03-390x844-difference.png": sketch(t, 390, 844, 740),
		dir + "visual-qa.json": []byte(`{"scenarios":[
{"raw":"a","steps":[{"step":1,"matcher":"testid=save","assertion":"click","ok":true,"element":"button#save \"Save\"","screenshot_after":"01-after-1.png"},{"step":2,"matcher":"text=Saved","assertion":"visible","ok":true,"element":"p.note \"Saved <b>now</b>\"","waited_seconds":0.4}]},
{"raw":"b","steps":[{"step":1,"matcher":"css=.menu","assertion":"hidden","ok":false,"why":".menu is present and visible: nav.menu, 390 by 300"}],"console_errors":[{"text":"TypeError: x is <undefined>","source":"app.js:12"}]},
{"raw":"c","steps":[],"compared":[{"picture":"03-390x844.png","baseline":"baselines/home.png","baseline_picture":"03-390x844-baseline.png","difference":"03-390x844-difference.png","state":"differs","share":0.031,"text":"3.1 % of the pixels differ, within 160 by 80 at 24,700"},
 {"picture":"../../../etc/passwd","baseline":"baselines/x.png","baseline_picture":"../../secret.png","difference":"nowhere.png","state":"differs","text":"made up"}]}]}`),
	}
	rows := []ledger.VisualScenario{
		{Scenario: "testid=save click -> text=Saved visible", Viewport: "1280x720", OK: true, Pictures: []string{shots + "01-1280x720.png", shots + "01-after-1.png"}},
		{Scenario: "390x844mobile: css=.menu hidden", Viewport: "390x844 mobile", Why: ".menu is present and visible: nav.menu, 390 by 300", Pictures: []string{shots + "02-390x844.png"}},
		{Scenario: "390x844: no-console-errors", Viewport: "390x844", Why: "the picture is not the baseline", Pictures: []string{shots + "03-390x844.png"},
			Differences: []string{shots + "03-390x844-difference.png"}, Baselines: []string{shots + "03-390x844-baseline.png"}},
	}
	first := rows[1:]
	h := history(t, reserved(),
		event{ledger.TypeVisualRun, ledger.VisualRun{Stage: "browser", Label: "visual_qa", Code: outcome.VisualFailed, Message: "an earlier look", Scenarios: first}},
		event{ledger.TypeVisualRun, ledger.VisualRun{Stage: "browser", Label: "visual_qa", Attempt: 1, Code: outcome.VisualFailed, Message: "2 of 3 scenarios failed", Report: dir + "visual-qa.json", Scenarios: rows, DurationMillis: 4200}},
		stopped(outcome.VisualFailed))
	return h, files
}

func reader(files map[string][]byte) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if data, ok := files[path]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	}
}

// carried counts the pictures that stand in a page.
func carried(page []byte) int { return bytes.Count(page, []byte(`src="data:image/png;base64,`)) }

func TestAlbum(t *testing.T) {
	t.Parallel()
	t.Run("what_a_browser_saw", func(t *testing.T) {
		t.Parallel()
		h, files := shown(t)
		data, err := report.HTML(report.Build(h), "/runs", reader(files))
		if err != nil {
			t.Fatal(err)
		}
		page := string(data)
		if at := os.Getenv("WARDEN_TEST_PAGE"); at != "" {
			if err := os.WriteFile(at, data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for _, want := range []string{
			"browser: 1 of 3 scenarios passed", "testid=save click", "button#save", "after 0.4 s", "after step 1: testid=save click", "the page as it opened",
			"before: the baseline", "after: the candidate", "what differs", "baselines/home.png: 3.1 % of the pixels differ", "TypeError: x is &lt;undefined&gt;  (app.js:12)",
			"Saved &lt;b&gt;now&lt;/b&gt;", "390x844 mobile", "/runs/" + shots + "01-1280x720.png",
		} {
			if !strings.Contains(page, want) {
				t.Errorf("the page has no %q", want)
			}
		}
		if n := carried(data); n != 6 {
			t.Errorf("%d pictures on the page, want each of 6 once", n)
		}
		if before, after := strings.Index(page, "before: the baseline"), strings.Index(page, "after: the candidate"); before < 0 || after < before || strings.Index(page, "what differs") < after {
			t.Error("before, after and difference do not stand in this order")
		}
		for _, bad := range []string{"secret", "etc/passwd", "http://", "https://", "<script", "picture(s) are not on this page"} {
			if strings.Contains(page, bad) {
				t.Errorf("the page has %q", bad)
			}
		}
	})
	t.Run("as_text", func(t *testing.T) {
		t.Parallel()
		h, _ := shown(t)
		text := report.Text(report.Build(h), "/runs", nil)
		for _, want := range []string{"scenario  ", "390x844 mobile  no", "1280x720        ok"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in\n%s", want, text)
			}
		}
		if strings.Count(text, "testid=save click") != 1 {
			t.Errorf("the table shows what was seen before, too:\n%s", text)
		}
	})
	t.Run("bounded_and_said", func(t *testing.T) {
		t.Parallel()
		h, files := shown(t)
		large := append(sketch(t, 8, 8, 0), make([]byte, 10<<20)...)
		for name := range files {
			if strings.HasSuffix(name, ".png") {
				files[name] = large
			}
		}
		data, err := report.HTML(report.Build(h), "/runs", reader(files))
		if err != nil {
			t.Fatal(err)
		}
		const most = 24 << 20
		fit := most / len(large)
		if n := carried(data); n != fit || n >= 6 || len(data) > most*4/3*2 {
			t.Errorf("%d pictures of %d bytes on a page of %d bytes, want %d", n, len(large), len(data), fit)
		}
		page := string(data)
		if want := fmt.Sprintf("%d picture(s) are not on this page", 6-fit); !strings.Contains(page, want) || strings.Count(page, "no more than 24 MiB") != 6-fit {
			t.Errorf("the page does not say %q", want)
		}
		// What failed is there before what passed.
		if !strings.Contains(page, `alt="what differs"`) {
			t.Error("the difference gave way to other pictures")
		}
	})
	t.Run("what_is_gone_or_no_picture_is_said", func(t *testing.T) {
		t.Parallel()
		h, files := shown(t)
		delete(files, shots+"02-390x844.png")
		delete(files, dir+"visual-qa.json")
		files[shots+"01-1280x720.png"] = []byte("<svg onload=alert(1)>")
		data, err := report.HTML(report.Build(h), "/runs", reader(files))
		if err != nil {
			t.Fatal(err)
		}
		page := string(data)
		if !strings.Contains(page, "it is not here, or not what the ledger names") || !strings.Contains(page, "it is no PNG file") || strings.Contains(page, "svg") {
			t.Error("a picture that is gone, or none, is not told apart")
		}
		if !strings.Contains(page, "browser: 1 of 3 scenarios passed") {
			t.Error("without the report of the stage the verdicts are not shown")
		}
	})
	t.Run("pictures_that_a_role_took", func(t *testing.T) {
		t.Parallel()
		taken := "r1--visual-role-0/screenshots/taken-01.png"
		h := history(t, reserved(), event{ledger.TypeRoleRun, ledger.RoleRun{Stage: "look", Label: "visual_qa", Role: "visual_qa", OK: true, Code: outcome.OK, Verdict: "pass", Summary: "fine",
			Vision: &ledger.Vision{Channel: "acquires", Taken: []string{taken}}}})
		data, err := report.HTML(report.Build(h), "/runs", reader(map[string][]byte{taken: sketch(t, 200, 200, 100)}))
		if err != nil || carried(data) != 1 || !strings.Contains(string(data), "taken by the role, 1 of 1") {
			t.Errorf("the picture is not shown, %v", err)
		}
	})
}
