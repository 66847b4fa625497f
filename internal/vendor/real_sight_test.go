package vendor_test

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/fakemodel"
	"github.com/tolboy/warden/internal/outcome"
)

// still writes a picture outside of the worktree and returns its path and bytes.
func still(t *testing.T, dir, name string, side int) (string, []byte) {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "screenshots", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path, b.Bytes()
}

// BR-20: what the shipped profiles do brings the bytes of the pictures to the model,
// through the real CLIs and the sandbox: as attachments, or by the CLI's own tool. With
// them come their names and what the browser has measured.
func TestRealSight(t *testing.T) {
	t.Parallel()
	const measured = "h1 is visible at 1280x720, measurement 7261"
	const verdict = `{"role":"visual_qa","task_id":"t1","status":"completed","verdict":"pass","summary":"s","findings":[],"images_seen":["01.png","02.png"]}`
	each(t, func(t *testing.T, c cli) {
		shots := t.TempDir()
		one, first := still(t, shots, "01.png", 64)
		two, second := still(t, shots, "02.png", 96)
		var attached bool
		b := newBench(t, c, "visual", func(r fakemodel.Request) fakemodel.Turn {
			if attached {
				return fakemodel.Turn{Text: verdict}
			}
			return fakemodel.Script(fakemodel.Turn{Read: one}, fakemodel.Turn{Read: two}, fakemodel.Turn{Text: verdict})(r)
		})
		attached = b.profile.AttachmentFlag != ""
		b.pictures, b.shots = []string{one, two}, shots
		b.prompt = "Pictures 01.png and 02.png. What a machine measured is fact, and not argued with: " + measured + "\n"
		got := b.call(5 * time.Minute)
		if got.Code != outcome.OK {
			fail(t, got)
			t.Fatalf("code %s: %s", got.Code, got.Detail)
		}
		var seen [][]byte
		for _, r := range b.model.Turns() {
			if more := r.Pictures(); len(more) > len(seen) {
				seen = more
			}
		}
		if !slices.ContainsFunc(b.model.Turns(), func(r fakemodel.Request) bool {
			return bytes.Contains(r.Body, []byte("01.png and 02.png")) && bytes.Contains(r.Body, []byte(measured))
		}) {
			t.Error("which pictures there are, and what was measured, did not reach the model")
		}
		for i, want := range [][]byte{first, second} {
			if !slices.ContainsFunc(seen, func(have []byte) bool { return bytes.Equal(have, want) }) {
				fail(t, got)
				t.Errorf("picture %d did not reach the model; %d others did", i+1, len(seen))
			}
		}
		if len(seen) != 2 {
			t.Errorf("%d pictures reached the model", len(seen))
		}
		inArgv := slices.ContainsFunc(got.Argv, func(arg string) bool { return strings.HasSuffix(arg, one) })
		if inArgv != attached {
			t.Errorf("attached %t, command %q", attached, got.Argv)
		}
	})
}
