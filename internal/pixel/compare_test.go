package pixel

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"testing"
)

var (
	white = color.RGBA{0xff, 0xff, 0xff, 0xff}
	black = color.RGBA{0, 0, 0, 0xff}
	green = color.RGBA{0x10, 0x90, 0x30, 0xff}
)

// sheet is a white picture on which rectangles are painted.
func sheet(w, h int, paint ...any) *image.RGBA {
	p := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(p, p.Rect, image.NewUniform(white), image.Point{}, draw.Src)
	for i := 0; i+1 < len(paint); i += 2 {
		draw.Draw(p, paint[i].(image.Rectangle), image.NewUniform(paint[i+1].(color.RGBA)), image.Point{}, draw.Src)
	}
	return p
}

// speckled is a picture without a surface: every pixel has a colour of its own.
func speckled(w, h int) *image.RGBA {
	p := sheet(w, h)
	for y := range h {
		for x := range w {
			p.SetRGBA(x, y, color.RGBA{0x20, uint8(0x40 + x*8), uint8(0x40 + y*8), 0xff})
		}
	}
	return p
}

// disc is a black disc whose edge is smoothed by fine times fine samples of a pixel.
func disc(w, h int, cx, cy, radius float64, fine int) *image.RGBA {
	p := sheet(w, h)
	for y := range h {
		for x := range w {
			in := 0
			for s := range fine * fine {
				dx := float64(x) + (float64(s%fine)+0.5)/float64(fine) - cx
				dy := float64(y) + (float64(s/fine)+0.5)/float64(fine) - cy
				if math.Hypot(dx, dy) <= radius {
					in++
				}
			}
			shade := uint8(255 - 255*in/(fine*fine))
			p.SetRGBA(x, y, color.RGBA{shade, shade, shade, 0xff})
		}
	}
	return p
}

func encode(t testing.TB, p image.Image) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, p); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestCompare(t *testing.T) {
	t.Parallel()
	box := image.Rect(20, 20, 60, 40)
	button := sheet(100, 80, box, green)
	tests := []struct {
		name          string
		before, after *image.RGBA
		options       Options
		different     int
		box           image.Rectangle
	}{
		{"same", button, sheet(100, 80, box, green), Options{}, 0, image.Rectangle{}},
		{"moved_by_one", button, sheet(100, 80, box.Add(image.Pt(1, 0)), green), Options{Threshold: Sensible}, 40, image.Rect(20, 20, 61, 40)},
		{"gone", button, sheet(100, 80), Options{Threshold: Sensible}, 800, box},
		{"one_pixel", button, sheet(100, 80, box, green, image.Rect(70, 70, 71, 71), black), Options{Threshold: Sensible}, 1, image.Rect(70, 70, 71, 71)},
		{"line_of_one_pixel", button, sheet(100, 80, box, green, image.Rect(0, 50, 100, 51), black), Options{Threshold: Sensible}, 100, image.Rect(0, 50, 100, 51)},
		{"at_every_corner", sheet(9, 9), sheet(9, 9, image.Rect(0, 0, 1, 1), black, image.Rect(8, 8, 9, 9), black), Options{Threshold: Sensible}, 2, image.Rect(0, 0, 9, 9)},
		{"shade_that_nobody_sees", button, sheet(100, 80, box, color.RGBA{0x11, 0x91, 0x31, 0xff}), Options{Threshold: Sensible}, 0, image.Rectangle{}},
		{"shade_that_nobody_sees_at_0", button, sheet(100, 80, box, color.RGBA{0x11, 0x91, 0x31, 0xff}), Options{}, 800, box},
		{"hue_of_the_same_brightness", button, sheet(100, 80, box, color.RGBA{0xb0, 0x40, 0x40, 0xff}), Options{Threshold: Sensible}, 800, box},
		{"everything_at_1", sheet(4, 4), sheet(4, 4, image.Rect(0, 0, 4, 4), black), Options{Threshold: 1}, 0, image.Rectangle{}},
		{"threshold_beyond", sheet(4, 4), sheet(4, 4, image.Rect(0, 0, 4, 4), black), Options{Threshold: 7}, 0, image.Rectangle{}},
		{"threshold_of_no_number", sheet(4, 4), sheet(4, 4, image.Rect(0, 0, 4, 4), black), Options{Threshold: math.NaN()}, 16, image.Rect(0, 0, 4, 4)},
		{"ignored", button, sheet(100, 80), Options{Threshold: Sensible, Ignore: []image.Rectangle{box}}, 0, image.Rectangle{}},
		{"ignored_in_part", button, sheet(100, 80), Options{Threshold: Sensible, Ignore: []image.Rectangle{{image.Pt(-5, 0), image.Pt(40, 1000)}, image.Rect(200, 0, 300, 9)}}, 400, image.Rect(40, 20, 60, 40)},
		{"beside_what_is_ignored", button, sheet(100, 80, image.Rect(3, 25, 4, 26), black), Options{Threshold: Sensible, Ignore: []image.Rectangle{box}}, 1, image.Rect(3, 25, 4, 26)},
		{"edge_where_was_none", speckled(9, 9), sheet(9, 9, image.Rect(0, 0, 4, 9), black, image.Rect(4, 0, 5, 9), color.RGBA{0x60, 0x60, 0x60, 0xff}), Options{}, 81, image.Rect(0, 0, 9, 9)},
		{"wider", button, sheet(110, 80, box, green), Options{Threshold: Sensible}, 800, image.Rect(100, 0, 110, 80)},
		{"lower", button, sheet(100, 70, box, green), Options{Threshold: Sensible}, 1000, image.Rect(0, 70, 100, 80)},
		{"wider_and_lower", button, sheet(110, 70, box, green), Options{Threshold: Sensible}, 10*80 + 10*100, image.Rect(0, 0, 110, 80)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := CompareFiles(encode(t, tt.before), encode(t, tt.after), tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if r.Different != tt.different || r.Box != tt.box || r.Smoothed != 0 {
				t.Errorf("%+v, want %d different in %v", r, tt.different, tt.box)
			}
			if resized := tt.before.Rect != tt.after.Rect; r.Resized() != resized || r.Before != tt.before.Rect.Size() || r.After != tt.after.Rect.Size() {
				t.Errorf("sizes %v and %v, resized %v", r.Before, r.After, r.Resized())
			}
			back, err := CompareFiles(encode(t, tt.after), encode(t, tt.before), tt.options)
			if err != nil || back.Different != r.Different || back.Compared != r.Compared || back.Box != r.Box {
				t.Errorf("the other way round it is %+v, %v", back, err)
			}
		})
	}
}

// What is drawn by another smoothing of the same edge is no difference; the same
// edge somewhere else is one.
func TestSmoothing(t *testing.T) {
	t.Parallel()
	round := disc(100, 100, 50, 50, 33.3, 8)
	tests := []struct {
		name  string
		after *image.RGBA
		want  bool // a difference
	}{
		{"other_samples", disc(100, 100, 50, 50, 33.3, 2), false},
		{"part_of_a_pixel", disc(100, 100, 50.3, 50, 33.3, 8), false},
		{"three_pixels_aside", disc(100, 100, 53, 50, 33.3, 8), true},
		{"larger", disc(100, 100, 50, 50, 36, 8), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := CompareFiles(encode(t, round), encode(t, tt.after), Options{Threshold: Sensible})
			if err != nil {
				t.Fatal(err)
			}
			if r.Smoothed == 0 {
				t.Errorf("no edge is drawn another way: the test shows nothing: %+v", r)
			}
			if (r.Different > 0) != tt.want {
				t.Errorf("%+v, want a difference %v", r, tt.want)
			}
		})
	}
}

func TestResult(t *testing.T) {
	t.Parallel()
	size := image.Pt(10, 10)
	tests := []struct {
		name    string
		r       Result
		percent float64
		within  bool
		ratio   float64
	}{
		{"none", Result{Before: size, After: size, Compared: 100}, 0, true, 0},
		{"one_of_none_allowed", Result{Before: size, After: size, Compared: 100, Different: 1}, 0, false, 0.01},
		{"as_many_as_allowed", Result{Before: size, After: size, Compared: 100, Different: 1}, 1, true, 0.01},
		{"one_more", Result{Before: size, After: size, Compared: 100, Different: 2}, 1, false, 0.02},
		{"resized", Result{Before: size, After: image.Pt(10, 9), Compared: 100}, 100, false, 0},
		{"nothing_compared", Result{Before: size, After: size}, 100, false, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.r.Within(tt.percent) != tt.within || tt.r.Ratio() != tt.ratio {
				t.Errorf("within %v and ratio %v, want %v and %v", tt.r.Within(tt.percent), tt.r.Ratio(), tt.within, tt.ratio)
			}
		})
	}
	all := Options{Ignore: []image.Rectangle{image.Rect(0, 0, 10, 10), image.Rect(2, 2, 4, 4)}}
	for _, after := range []*image.RGBA{sheet(10, 10), sheet(10, 10, image.Rect(0, 0, 1, 1), black)} {
		r, err := CompareFiles(encode(t, sheet(10, 10)), encode(t, after), all)
		if err != nil || r.Compared != 0 || r.Within(100) {
			t.Errorf("all is ignored: %+v, %v", r, err)
		}
	}
}
