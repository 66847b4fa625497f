package visual

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/outcome"
)

// MaxPicture bounds one picture, in bytes.
const MaxPicture = 32 << 20

// Keep writes a file of the evidence, named below the stage's directory, and
// returns how the evidence names it.
type Keep func(name string, data []byte) (Picture, error)

// Settle makes the report of what was seen and keeps every picture. Pictures are
// read from dir, where only this program writes, and must be the very ones that
// were told. The error is Keep's.
func Settle(r Report, seen Seen, dir string, b *Baselines, keep Keep) (Report, error) {
	r.PreviewLog, r.PreviewDropped, r.PreviewEnded = seen.Lines, seen.Dropped, seen.Exited
	r.Browser, r.Unboxed, r.Seconds = seen.Report.Browser, seen.Report.Unboxed, seen.Report.Seconds
	r.ServeSeconds, r.StartSeconds, r.EndSeconds, r.UnserveSeconds = seen.Serve, seen.Report.StartSeconds, seen.Report.EndSeconds, seen.Unserve
	r.Origins, r.Scenarios, r.Pictures = append([]string{}, seen.Report.Origins...), []Scenario{}, []Picture{}
	lost := ""
	for i, s := range seen.Report.Scenarios {
		row := Scenario{Scenario: s}
		if len(s.Screenshots) == 0 && lost == "" {
			lost = fmt.Sprintf("scenario %d left no picture", i+1)
		}
		for _, shot := range s.Screenshots {
			data, err := read(dir, shot)
			if err != nil {
				if lost == "" {
					lost = err.Error()
				}
				continue
			}
			step := after(s, shot.Name)
			kept, err := keep(PictureDir+"/"+shot.Name, data)
			if err != nil {
				return r, err
			}
			kept.Scenario, kept.Step = i+1, step
			r.Pictures = append(r.Pictures, kept)
			if b == nil {
				continue
			}
			c, image := b.compare(i, step, shot, data)
			if image != nil {
				if kept, err = keep(PictureDir+"/"+c.Image, image); err != nil {
					return r, err
				}
				kept.Scenario, kept.Step, kept.Difference = i+1, step, true
				r.Pictures = append(r.Pictures, kept)
			}
			if want := b.Files[c.Baseline]; c.State == "differs" || c.State == "sizes_differ" {
				c.Before = strings.TrimSuffix(shot.Name, ".png") + "-baseline.png"
				if kept, err = keep(PictureDir+"/"+c.Before, want); err != nil {
					return r, err
				}
				kept.Scenario, kept.Step, kept.Baseline = i+1, step, true
				r.Pictures = append(r.Pictures, kept)
			}
			row.Compared = append(row.Compared, c)
			if !c.held() && row.OK {
				row.OK, row.Why = false, c.Text
			}
		}
		r.Scenarios = append(r.Scenarios, row)
	}
	r.judge(seen, lost)
	return r, nil
}

// judge gives the report its code. What kept us from seeing outranks what was seen.
func (r *Report) judge(seen Seen, lost string) {
	red := r.red()
	switch {
	case seen.Fault != nil:
		r.Code, r.Why, r.Message = seen.Fault.Code, seen.Fault.Why, seen.Fault.Text
	case len(red) > 0:
		r.Code, r.Message = outcome.VisualFailed, fmt.Sprintf("%d of %d scenarios failed: %s", len(red), len(r.Scenarios), strings.Join(red, "; "))
	case r.PreviewEnded != "":
		r.Code, r.Message = outcome.VisualFailed, r.PreviewEnded
	case len(r.Scenarios) == 0:
		r.Code, r.Message = outcome.VisualNoEvidence, "no scenario was run"
	case lost != "":
		r.Code, r.Message = outcome.VisualNoEvidence, lost
	default:
		r.OK, r.Code = true, outcome.Passed
		r.Message = fmt.Sprintf("%d scenarios, %d pictures", len(r.Scenarios), len(r.Pictures))
	}
}

// red says of each scenario that failed why.
func (r *Report) red() []string {
	var out []string
	for _, s := range r.Scenarios {
		if !s.OK {
			out = append(out, fmt.Sprintf("%s: %s", s.Raw, s.Why))
		}
	}
	return out
}

// read returns a picture, which must be the one that was told.
func read(dir string, shot browser.Screenshot) ([]byte, error) {
	if shot.Name == "" || shot.Name != filepath.Base(shot.Name) || strings.HasPrefix(shot.Name, ".") {
		return nil, fmt.Errorf("picture %q has no name that a file can have", shot.Name)
	}
	if shot.Bytes <= 0 || shot.Bytes > MaxPicture {
		return nil, fmt.Errorf("picture %s of %d bytes is empty or over %d", shot.Name, shot.Bytes, MaxPicture)
	}
	path := filepath.Join(dir, shot.Name)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || info.Size() != int64(shot.Bytes) {
		return nil, fmt.Errorf("picture %s is not there as it was told", shot.Name)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read picture %s: %w", shot.Name, err)
	}
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != shot.SHA256 {
		return nil, fmt.Errorf("picture %s is not the one that was told", shot.Name)
	}
	return data, nil
}

// after is the step after which a picture was taken; 0 is the page before the first.
func after(s browser.Scenario, name string) int {
	for _, step := range s.Steps {
		if step.Screenshot == name {
			return step.Step
		}
	}
	return 0
}
