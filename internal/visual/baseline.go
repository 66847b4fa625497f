package visual

import (
	"fmt"
	"image"
	"strings"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/pixel"
)

// Baselines are the pictures of the base commit that those of a look are held
// against.
type Baselines struct {
	// Name is the path, inside .warden, of the picture of a scenario, counted from
	// 0, after one of its steps.
	Name      func(scenario, step int) string
	Files     map[string][]byte // by that path
	Tolerance float64           // percent of the compared pixels that may differ
}

// compare holds one picture against its baseline. The image, where there is one,
// shows the difference and is named by the comparison.
func (b *Baselines) compare(scenario, step int, shot browser.Screenshot, data []byte) (Comparison, []byte) {
	c := Comparison{Picture: shot.Name, Baseline: b.Name(scenario, step), State: "same"}
	want, ok := b.Files[c.Baseline]
	if !ok {
		c.State, c.Text = "missing", "the base commit has no such baseline; warden visual-qa --propose-baseline writes one"
		return c, nil
	}
	options := pixel.Options{Threshold: pixel.Sensible, Ignore: ignored(shot)}
	result, err := pixel.CompareFiles(want, data, options)
	if err != nil {
		c.State, c.Text = "unreadable", err.Error()
		return c, nil
	}
	c.Pixels, c.Share = result.Different, result.Ratio()
	switch {
	case result.Within(b.Tolerance):
		return c, nil
	case result.Resized():
		c.State = "sizes_differ"
		c.Text = fmt.Sprintf("the picture %s has %dx%d pixels, its baseline %dx%d", shot.Name, result.After.X, result.After.Y, result.Before.X, result.Before.Y)
	default:
		c.State = "differs"
		c.Text = fmt.Sprintf("the picture %s differs from its baseline in %d pixels, %.3f percent, all within %v; at most %.3f percent may",
			shot.Name, result.Different, 100*result.Ratio(), result.Box, b.Tolerance)
	}
	image, err := draw(want, data, options)
	if err != nil {
		c.Text += "; the difference cannot be drawn: " + err.Error()
		return c, nil
	}
	c.Image = strings.TrimSuffix(shot.Name, ".png") + "-difference.png"
	return c, image
}

func draw(want, data []byte, o pixel.Options) ([]byte, error) {
	before, err := pixel.Decode(want)
	if err != nil {
		return nil, err
	}
	after, err := pixel.Decode(data)
	if err != nil {
		return nil, err
	}
	return pixel.Draw(before, after, o)
}

// ignored are the places of a picture that are not compared.
func ignored(shot browser.Screenshot) []image.Rectangle {
	var out []image.Rectangle
	for _, r := range shot.Ignored {
		out = append(out, image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height))
	}
	return out
}
