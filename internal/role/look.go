package role

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/sandbox"
	"github.com/tolboy/warden/internal/vendor"
	"github.com/tolboy/warden/internal/workflow"
)

// Bounds of what one call is shown.
const (
	maxPictures = 64
	maxMeasured = 96 << 10 // bytes of the harness's report
)

// The channels of pictures. The first two are the words of capabilities.vision.
const (
	byFlag   = "cli_attachment"
	byFile   = "workspace_file"
	byItself = "acquires"
)

// Look is what a role that judges pictures is given.
type Look struct {
	Pictures []ledger.File // of the browser stage; below the runs directory
	Report   ledger.File   // of that stage; without a path where there is none
	Acquire  bool          // the role takes the pictures itself, and there is no such stage
}

// gaze is how one call gets its pictures.
type gaze struct {
	channel  string
	pictures []ledger.File // that are offered
	left     int           // that are not, for their number
	files    []string      // of those that are offered, absolute
	dir      string        // where they lie, or where the role puts its own
	measured []byte        // what the browser stage reports
}

// gaze makes the pictures ready. False means that the dispatch has stopped: nobody is
// paid to look at nothing, or at something else than what was measured.
func (s *dispatch) gaze(p policy.Profile, prep *prepared) (bool, error) {
	look := s.req.Look
	switch {
	case look == nil && s.req.Role == workflow.VisualQA:
		look = &Look{} // nobody judges pictures without any
	case look == nil:
		return true, nil
	}
	if look.Acquire {
		dir, err := s.easel(prep.evidence)
		if err != nil {
			return false, err
		}
		prep.gaze = &gaze{channel: byItself, dir: dir}
		return true, nil
	}
	g := &gaze{channel: p.Vision.Delivery, pictures: look.Pictures}
	if n := len(g.pictures) - maxPictures; n > 0 {
		g.pictures, g.left = g.pictures[:maxPictures], n
	}
	if len(g.pictures) == 0 && !s.req.DryRun {
		s.stop(outcome.VisualNoEvidence, "the browser stage left no picture, so there is nothing to look at")
		return false, nil
	}
	for _, f := range g.pictures {
		g.files = append(g.files, filepath.Join(s.RunsDir, filepath.FromSlash(f.Path)))
		if code, why := s.intact(f); code != outcome.OK {
			s.stop(code, fmt.Sprintf("picture %s: %s", f.Path, why))
			return false, nil
		}
	}
	if len(g.pictures) > 0 {
		stage, _, _ := strings.Cut(g.pictures[0].Path, "/")
		g.dir = filepath.Join(s.RunsDir, stage)
	}
	if look.Report.Path != "" {
		var err error
		if g.measured, err = s.Evidence.ReadFile(look.Report); err != nil {
			s.stop(outcome.LedgerAltered, fmt.Sprintf("read %s: %v", look.Report.Path, err))
			return false, nil
		}
	}
	prep.gaze = g
	return true, nil
}

// intact holds a picture on disk against what the browser stage named.
func (s *dispatch) intact(f ledger.File) (outcome.Code, string) {
	if f.Bytes == 0 {
		return outcome.VisualNoEvidence, "it is empty"
	}
	switch _, err := s.Evidence.ReadFile(f); {
	case errors.Is(err, fs.ErrNotExist):
		return outcome.VisualNoEvidence, "it is gone"
	case err != nil:
		return outcome.LedgerAltered, err.Error()
	}
	return outcome.OK, ""
}

// easel is a directory outside the evidence into which a role puts pictures. What it
// leaves there becomes evidence only once it was looked at.
func (s *dispatch) easel(call string) (string, error) {
	if s.scratch == "" {
		dir, err := os.MkdirTemp("", "warden-pictures-")
		if err != nil {
			return "", fmt.Errorf("make a directory for pictures: %w", err)
		}
		s.scratch = dir
	}
	dir := filepath.Join(s.scratch, call)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("make a directory for pictures: %w", err)
	}
	return dir, nil
}

func (s *dispatch) sweep() error {
	if s.scratch == "" {
		return nil
	}
	return os.RemoveAll(s.scratch)
}

// equip gives the pictures to a call.
func (g *gaze) equip(c *vendor.Call) {
	if g == nil {
		return
	}
	c.Pictures = g.files
	if g.dir != "" {
		c.Values["evidence_dir"] = g.dir
	}
	if g.channel == byItself {
		c.Mounts = append(c.Mounts, sandbox.Mount{Source: g.dir, Target: g.dir, Writable: true})
	}
}

// record says what reached the vendor. What counts is what its command names.
func (g *gaze) record(argv []string) *ledger.Vision {
	if g == nil {
		return nil
	}
	v := &ledger.Vision{Channel: g.channel, LeftOut: g.left}
	for i, f := range g.pictures {
		v.Offered = append(v.Offered, f.Path)
		if slices.ContainsFunc(argv, func(arg string) bool { return arg == g.files[i] || strings.HasSuffix(arg, "="+g.files[i]) }) {
			v.Passed++
		}
	}
	return v
}

// fill tells the prompt which pictures there are, and by which way they came.
func (g *gaze) fill(values map[string]string) {
	if g == nil {
		return
	}
	var names []string
	for i, f := range g.pictures {
		if g.channel == byFile {
			names = append(names, g.files[i])
			continue
		}
		names = append(names, pictureName(f))
	}
	values["screenshots"], values["vision_note"] = bullets(names), g.note()
	if g.dir != "" {
		values["evidence_dir"] = inline(g.dir)
	}
	if n := len(g.measured); n > 0 {
		text, more := clip(string(g.measured), maxMeasured), ""
		if n > maxMeasured {
			more = fmt.Sprintf("\n\nThe report is cut after %d bytes.", maxMeasured)
		}
		values["harness_report"] = fence("json", text) + more
	}
}

func (g *gaze) note() string {
	n, more := len(g.pictures), ""
	if g.left > 0 {
		more = fmt.Sprintf(" %d more were taken and are not among them.", g.left)
	}
	switch {
	case g.channel == byItself:
		return "No pictures were made for you. Take them yourself with your own tools, as PNG files, and put them into " + inline(g.dir) +
			". Name each in `screenshots_taken`; an answer without one is no evidence and is discarded."
	case n == 0:
		return "No pictures exist yet; they are made before you are asked."
	case g.channel == byFlag:
		return fmt.Sprintf("%d pictures are attached to this message as image data, in the order of this list; their names are only names.%s", n, more)
	}
	return fmt.Sprintf("%d pictures lie on disk under the absolute paths of this list. Nothing is attached: open each with your own tool for images before you judge.%s", n, more)
}

// pictureName is what a picture is called towards a model and people: its place in
// the directory of its stage.
func pictureName(f ledger.File) string {
	_, name, _ := strings.Cut(f.Path, "/")
	return path.Clean(name)
}
