package report

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"
	"path"
	"strings"

	"github.com/tolboy/warden/internal/ledger"
)

// maxAlbum bounds the pictures that a page carries, in bytes of their files: a page is
// opened as one text.
const maxAlbum = 24 << 20

// signature is how a PNG file begins. What is shown as a picture is one.
const signature = "\x89PNG\r\n\x1a\n"

// picture is one picture of a page.
type picture struct {
	Title string
	Path  string
	URI   template.URL // with the picture in it; "" where it is left out
	Left  string       // why it is
}

// trio is a picture beside the baseline that it was held against.
type trio struct {
	Before, After, Difference *picture
	Text                      string
}

// frame is one scenario of a page.
type frame struct {
	ledger.VisualScenario
	Steps   []seenStep
	Console []string
	Trios   []trio
	Shots   []picture
}

// reel is what one browser stage saw last.
type reel struct {
	Stage  Stage
	Frames []frame
	Passed int
}

// album loads the pictures of a page, as many as it may carry.
type album struct {
	read      func(path string) ([]byte, error)
	room      int
	Left      int // pictures that are not on the page
	LeftBytes int // of those that were too many
}

// show loads one picture.
func (a *album) show(file, title string) picture {
	p := picture{Title: title, Path: file}
	data, err := a.read(file)
	switch {
	case err != nil:
		p.Left = "it is not here, or not what the ledger names"
	case !bytes.HasPrefix(data, []byte(signature)):
		p.Left = "it is no PNG file"
	case len(data) > a.room:
		p.Left = fmt.Sprintf("the page carries no more than %d MiB of pictures", maxAlbum>>20)
		a.LeftBytes += len(data)
	default:
		a.room -= len(data)
		p.URI = template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(data))
		return p
	}
	a.Left++
	return p
}

// reels are the browser stages of a run, each as it was the last time. The pictures that
// matter most are loaded first: where a baseline was not met, then those of failures.
func (a *album) reels(r Report) []reel {
	last := map[string]int{}
	for i, s := range r.Stages {
		if s.Kind == "visual_harness" {
			last[s.Stage] = i
		}
	}
	var out []reel
	for i, s := range r.Stages {
		if at, ok := last[s.Stage]; ok && at == i && len(s.Scenarios) > 0 {
			out = append(out, a.reel(s))
		}
	}
	for _, pass := range []func(*frame){a.compare, func(f *frame) {
		if !f.OK {
			a.fill(f)
		}
	}, func(f *frame) {
		if f.OK {
			a.fill(f)
		}
	}} {
		for _, reel := range out {
			for k := range reel.Frames {
				pass(&reel.Frames[k])
			}
		}
	}
	return out
}

// reel is one stage without its pictures.
func (a *album) reel(s Stage) reel {
	out := reel{Stage: s}
	rows := a.rows(s.Report)
	for i, v := range s.Scenarios {
		f := frame{VisualScenario: v}
		if i < len(rows) {
			f.Steps, f.Console, f.Trios = rows[i].Steps, rows[i].console(), rows[i].trios(v)
		}
		if v.OK {
			out.Passed++
		}
		out.Frames = append(out.Frames, f)
	}
	return out
}

// compare loads what was held against a baseline and did not meet it.
func (a *album) compare(f *frame) {
	for _, t := range f.Trios {
		for _, p := range []*picture{t.Difference, t.Before, t.After} {
			if p != nil {
				*p = a.show(p.Path, p.Title)
			}
		}
	}
}

// fill loads the other pictures of a scenario.
func (a *album) fill(f *frame) {
	shown := map[string]bool{}
	for _, t := range f.Trios {
		for _, p := range []*picture{t.Difference, t.Before, t.After} {
			if p != nil {
				shown[p.Path] = true
			}
		}
	}
	for _, file := range append(append([]string{}, f.Differences...), f.Pictures...) {
		if !shown[file] {
			f.Shots = append(f.Shots, a.show(file, f.title(file)))
		}
	}
}

// title says after which step a picture was taken.
func (f frame) title(file string) string {
	for _, s := range f.Steps {
		if s.Screenshot != "" && path.Base(file) == path.Base(s.Screenshot) {
			return fmt.Sprintf("after step %d: %s", s.Step, s.what())
		}
	}
	if len(f.Pictures) > 0 && file == f.Pictures[0] {
		return "the page as it opened"
	}
	return strings.TrimSuffix(path.Base(file), ".png")
}

// taken are the pictures that a role took for itself.
func (a *album) taken(s Stage) []picture {
	var out []picture
	for i, file := range s.Taken {
		out = append(out, a.show(file, fmt.Sprintf("taken by the role, %d of %d", i+1, len(s.Taken))))
	}
	return out
}
