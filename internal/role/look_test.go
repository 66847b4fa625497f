package role

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/vendor"
)

const png1 = signature + "one"

// looking prepares a dispatch of the role visual_qa, with two pictures of a browser stage.
func looking(t *testing.T, change func(*policy.Profile)) *fixture {
	t.Helper()
	f := newFixture(t)
	p := profile("eyes", "visual_qa", "c")
	p.AttachmentFlag, p.Vision = "--image=", policy.Vision{Delivery: "cli_attachment", Verification: "required"}
	change(&p)
	f.Home.Profiles[p.Name] = p
	f.Home.Policy.Roles["visual_qa"] = policy.Roster{Role: "visual_qa", Profiles: []string{p.Name}, Strategy: "first"}
	f.Home.FS.(fstest.MapFS)["prompts/visual_qa.md"] = &fstest.MapFile{Data: []byte("Look at {{ task_id }}.\n")}
	f.req.Role, f.req.StageName, f.req.EvidenceDir = "visual_qa", "look", "run-1--visual-role-0"
	report, err := files{f.runs}.WriteFile("run-1--visual-qa-0/visual-qa.json", []byte(`{"ok":true,"scenarios":[]}`))
	if err != nil {
		t.Fatal(err)
	}
	f.req.Look = &Look{Report: report}
	for i, name := range []string{"01-1280x720.png", "02-390x844.png"} {
		file, err := files{f.runs}.WriteFile("run-1--visual-qa-0/screenshots/"+name, fmt.Appendf(nil, "%spicture %d", signature, i))
		if err != nil {
			t.Fatal(err)
		}
		f.req.Look.Pictures = append(f.req.Look.Pictures, file)
	}
	return f
}

// verdict is an answer of the role with further fields.
func verdictOn(fields string) string {
	return `{"role":"visual_qa","task_id":"t1","status":"completed","verdict":"pass","summary":"fine","findings":[]` + fields + `}`
}

const sawBoth = `,"images_seen":["screenshots/01-1280x720.png","02-390x844.png"]`

func TestPicturesReachTheVendor(t *testing.T) {
	t.Parallel()
	flag := func(p *policy.Profile) {}
	apart := func(p *policy.Profile) { p.AttachmentFlag = "-f" }
	paths := func(p *policy.Profile) {
		p.AttachmentFlag, p.Vision.Delivery, p.Args = "", "workspace_file", []string{"--add-dir", "{{evidence_dir}}"}
	}
	for _, c := range []struct {
		name   string
		change func(*policy.Profile)
		argv   func(dir string) []string
		passed int
		says   string
	}{
		{"BR-20_both_are_in_the_argv", flag, func(dir string) []string {
			return []string{"--image=" + dir + "/screenshots/01-1280x720.png", "--image=" + dir + "/screenshots/02-390x844.png"}
		}, 2, "2 pictures are attached to this message"},
		{"BR-20_a_flag_of_its_own", apart, func(dir string) []string {
			return []string{"-f", dir + "/screenshots/01-1280x720.png", "-f", dir + "/screenshots/02-390x844.png"}
		}, 2, "2 pictures are attached to this message"},
		{"BR-20_paths_are_no_attachments", paths, func(dir string) []string { return []string{"--add-dir", dir} }, 0, "Nothing is attached: open each with your own tool"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := looking(t, c.change)
			f.script("eyes", answered(verdictOn(sawBoth)))
			got := f.dispatch(t)
			wantCode(t, got, outcome.OK)
			dir := filepath.Join(f.runs, "run-1--visual-qa-0")
			var report struct {
				Command []string       `json:"command"`
				Vision  *ledger.Vision `json:"vision"`
			}
			if err := json.Unmarshal([]byte(f.read(t, got.ReportFile.Path)), &report); err != nil {
				t.Fatal(err)
			}
			if len(report.Command) == 0 || !slices.Equal(report.Command[1:], c.argv(dir)) {
				t.Errorf("command %q, want %q behind the program", report.Command, c.argv(dir))
			}
			v := report.Vision
			if v == nil || v.Passed != c.passed || len(v.Offered) != 2 || len(v.Seen) != 2 || v.Channel != f.Home.Profiles["eyes"].Vision.Delivery {
				t.Errorf("recorded %+v, want %d passed", v, c.passed)
			}
			prompt := f.prompt(t)
			for _, want := range []string{c.says, "screenshots/01-1280x720.png", "02-390x844.png", `{"ok":true,"scenarios":[]}`} {
				if !strings.Contains(prompt, want) {
					t.Errorf("the prompt lacks %q:\n%s", want, prompt)
				}
			}
			if strings.Contains(prompt, f.runs) != (c.passed == 0) {
				t.Errorf("the prompt names paths, or does not, for channel %s:\n%s", v.Channel, prompt)
			}
			for _, want := range []string{"screenshots/01-1280x720.png", "screenshots/02-390x844.png"} {
				if call := f.caller.calls[0]; !slices.Contains(call.Pictures, filepath.Join(dir, want)) {
					t.Errorf("the call may not read %s: %q", want, call.Pictures)
				}
			}
		})
	}
}

// Nobody is asked to look who cannot, and nobody pays for it.
func TestNobodyLooksBlindly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(*policy.Profile)
		spoil  func(*testing.T, *fixture)
		want   outcome.Code
		says   string
	}{
		{"BR-20_names_alone_are_refused", func(p *policy.Profile) { p.AttachmentFlag, p.Vision = "", policy.Vision{} }, nil, outcome.RoleUnresolved, "vision_capability_unverified"},
		{"BR-20_an_untried_eye_is_refused", func(p *policy.Profile) { p.Verification.VerifiedOn = "" }, nil, outcome.RoleUnresolved, "vision_capability_unverified"},
		{"BR-16_who_takes_no_pictures_is_not_asked_to", func(*policy.Profile) {}, func(_ *testing.T, f *fixture) { f.req.Look = &Look{Acquire: true} }, outcome.RoleUnresolved, "vision_capability_unverified"},
		{"BR-18_no_picture", func(*policy.Profile) {}, func(_ *testing.T, f *fixture) { f.req.Look.Pictures = nil }, outcome.VisualNoEvidence, "nothing to look at"},
		{"BR-18_an_empty_picture", func(*policy.Profile) {}, func(_ *testing.T, f *fixture) { f.req.Look.Pictures[1].Bytes = 0 }, outcome.VisualNoEvidence, "it is empty"},
		{"BR-18_a_picture_that_is_gone", func(*policy.Profile) {}, func(t *testing.T, f *fixture) {
			if err := os.Remove(filepath.Join(f.runs, f.req.Look.Pictures[1].Path)); err != nil {
				t.Fatal(err)
			}
		}, outcome.VisualNoEvidence, "it is gone"},
		{"BR-18_another_picture_in_its_place", func(*policy.Profile) {}, func(t *testing.T, f *fixture) {
			if err := os.WriteFile(filepath.Join(f.runs, f.req.Look.Pictures[1].Path), []byte(png1), 0o644); err != nil {
				t.Fatal(err)
			}
		}, outcome.LedgerAltered, "02-390x844.png"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := looking(t, c.change)
			if c.spoil != nil {
				c.spoil(t, f)
			}
			got := f.dispatch(t)
			wantCode(t, got, c.want)
			f.wantCalls(t)
			if !strings.Contains(got.Detail, c.says) {
				t.Errorf("detail %q, want %q", got.Detail, c.says)
			}
		})
	}
}

// BR-18: a verdict on pictures that nobody can have seen is no evidence.
func TestVerdictWithoutPictures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, fields, says string }{
		{"BR-18_lists_none", ``, "names in images_seen no picture"},
		{"BR-18_lists_an_empty_list", `,"images_seen":[]`, "names in images_seen no picture"},
		{"BR-18_lists_one_outside_of_the_run", `,"images_seen":["../../elsewhere.png"]`, `it saw "../../elsewhere.png"`},
		{"BR-18_lists_one_that_was_not_given", `,"images_seen":["screenshots/01-1280x720.png","screenshots/03.png"]`, `it saw "screenshots/03.png"`},
		{"BR-18_lists_no_list", `,"images_seen":"all of them"`, "does not read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := looking(t, func(*policy.Profile) {})
			f.script("eyes", answered(verdictOn(c.fields)))
			got := f.dispatch(t)
			wantCode(t, got, outcome.VisualNoEvidence)
			if !strings.Contains(got.Detail, c.says) {
				t.Errorf("detail %q, want %q", got.Detail, c.says)
			}
			if got.Verdict != "" || len(got.Record.Calls) != 1 {
				t.Errorf("verdict %q of %d calls", got.Verdict, len(got.Record.Calls))
			}
		})
	}
}

// camera is a vendor that leaves files where it is told to put its pictures.
type camera struct {
	*caller
	leave func(dir string) error
}

func (c camera) Call(ctx context.Context, call vendor.Call) (vendor.Result, error) {
	if err := c.leave(call.Values["evidence_dir"]); err != nil {
		return vendor.Result{}, err
	}
	return c.caller.Call(ctx, call)
}

// BR-18, BR-16: pictures that a role takes become evidence only as regular PNG files of
// the directory that it was given.
func TestPicturesThatTheRoleTakes(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside.png")
	if err := os.WriteFile(outside, []byte(png1), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, fields string
		leave        map[string]string
		link         bool
		want         outcome.Code
		says         string
	}{
		{"BR-16_its_own_pictures", `,"screenshots_taken":["a.png","DIR/b.png"]`, map[string]string{"a.png": png1, "b.png": png1 + "b"}, false, outcome.OK, ""},
		{"BR-18_takes_none", ``, map[string]string{"a.png": png1}, false, outcome.VisualNoEvidence, "names in screenshots_taken no picture"},
		{"BR-18_takes_one_outside_of_the_run", `,"screenshots_taken":["` + outside + `"]`, nil, false, outcome.VisualNoEvidence, "outside of the directory"},
		{"BR-18_climbs_out", `,"screenshots_taken":["../a.png"]`, nil, false, outcome.VisualNoEvidence, "outside of the directory"},
		{"BR-18_takes_an_empty_file", `,"screenshots_taken":["a.png"]`, map[string]string{"a.png": ""}, false, outcome.VisualNoEvidence, "it is empty"},
		{"BR-18_takes_one_that_is_not_there", `,"screenshots_taken":["a.png"]`, nil, false, outcome.VisualNoEvidence, "it is not there"},
		{"BR-18_takes_no_picture", `,"screenshots_taken":["a.png"]`, map[string]string{"a.png": "hello"}, false, outcome.VisualNoEvidence, "it is no PNG file"},
		{"BR-18_takes_a_link", `,"screenshots_taken":["a.png"]`, nil, true, outcome.VisualNoEvidence, "it is not a regular file"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			f := looking(t, func(p *policy.Profile) {
				p.AttachmentFlag, p.Vision = "", policy.Vision{Delivery: "workspace_file", Verification: "required", Acquires: true}
			})
			f.req.Look = &Look{Acquire: true}
			var dir string
			f.script("eyes", answered(verdictOn(c.fields)))
			f.Vendor = camera{f.caller, func(at string) error {
				dir = at
				acts := f.caller.acts["eyes"]
				acts[0] = answered(verdictOn(strings.ReplaceAll(c.fields, "DIR", at)))
				for name, text := range c.leave {
					if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o644); err != nil {
						return err
					}
				}
				if c.link {
					return os.Symlink(outside, filepath.Join(at, "a.png"))
				}
				return nil
			}}
			got := f.dispatch(t)
			wantCode(t, got, c.want)
			if !strings.Contains(got.Detail, c.says) {
				t.Errorf("detail %q, want %q", got.Detail, c.says)
			}
			if !strings.Contains(f.prompt(t), "Take them yourself") || !strings.Contains(f.prompt(t), dir) {
				t.Errorf("the prompt does not say where pictures go:\n%s", f.prompt(t))
			}
			taken := got.Record.Vision.Taken
			if (c.want == outcome.OK) != (len(taken) == 2) {
				t.Errorf("kept %q", taken)
			}
			for i, rel := range taken {
				named := slices.ContainsFunc(got.Files, func(file ledger.File) bool { return file.Path == rel && file.Bytes > 0 && file.SHA256 != "" })
				if !named || !strings.HasPrefix(f.read(t, rel), png1) {
					t.Errorf("picture %d is not named with its hash: %+v", i, got.Files)
				}
			}
			if _, err := os.Stat(dir); !os.IsNotExist(err) {
				t.Errorf("the directory of the pictures is left behind: %v", err)
			}
		})
	}
}

// The shipped prompt says which way the pictures came, what is measured already, and what
// an answer without pictures is worth.
func TestStarterPromptOfTheRoleThatLooks(t *testing.T) {
	t.Parallel()
	f := looking(t, func(p *policy.Profile) { p.SchemaPath = "schemas/visual_qa.json" })
	for name, from := range map[string]string{"prompts/visual_qa.md": "../setup/home/prompts/visual_qa.md", "schemas/visual_qa.json": "../../spec/schemas/visual_qa.json"} {
		raw, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		f.Home.FS.(fstest.MapFS)[name] = &fstest.MapFile{Data: raw}
	}
	f.script("eyes", answered(verdictOn(sawBoth)))
	got := f.dispatch(t)
	wantCode(t, got, outcome.OK)
	prompt := f.prompt(t)
	for _, want := range []string{"2 pictures are attached", "`screenshots/02-390x844.png`", `{"ok":true,"scenarios":[]}`, "What it measured is fact", "Do not argue with it, do not measure it again", "Only what a machine cannot measure", "A file's name is not a picture", `"images_seen"`} {
		if !strings.Contains(prompt, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, prompt)
		}
	}
	if strings.Contains(f.read(t, got.ReportFile.Path), "prompt_backfilled") {
		t.Error("the starter prompt leaves something out")
	}
	f.script("eyes", answered(strings.Replace(verdictOn(sawBoth), `"findings":[]`, `"findings":[{"severity":"P1","viewport":"390x844","message":"m","expected":"e","actual":"a","confidence":"confirmed"}]`, 1)))
	wantCode(t, f.dispatch(t), outcome.RoleArtifactSchema) // a finding names its picture
}

// Whatever a model calls a picture: it is read from the directory that it was given, as
// it lies there, or not at all.
func FuzzPicture(f *testing.F) {
	for _, s := range []string{"a.png", "./a.png", "../outside.png", "/etc/passwd", "", "b/../a.png", "link.png", "dir", "a.png\x00", "C:\\a.png"} {
		f.Add(s)
	}
	top := f.TempDir()
	dir := filepath.Join(top, "given")
	for name, text := range map[string]string{"given/a.png": png1, "given/dir/b.png": png1, "outside.png": signature + "secret"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(top, name)), 0o755); err != nil {
			f.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(top, name), []byte(text), 0o644); err != nil {
			f.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(top, "outside.png"), filepath.Join(dir, "link.png")); err != nil {
		f.Fatal(err)
	}
	if err := os.Symlink(top, filepath.Join(dir, "up")); err != nil {
		f.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		data, err := picture(root, dir, name)
		if err == nil && string(data) != png1 {
			t.Fatalf("%q is read as %q", name, data)
		}
		if err != nil && strings.Contains(err.Error(), top) {
			t.Fatalf("%q: the error tells of the machine: %v", name, err)
		}
	})
}
