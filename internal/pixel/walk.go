package pixel

import (
	"bytes"
	"image"
)

// kind is what a pixel is that is not the same in both pictures.
type kind int

const (
	smoothed kind = iota + 1
	different
)

// comparison is two pictures over the area that holds both.
type comparison struct {
	before, after *image.RGBA
	area, both    image.Rectangle // that of either picture, and that of both
	threshold     int64           // distances beyond it are seen
	masked        []bool          // by pixel of area: not compared; nil when all are compared
	ignored       int             // how many are masked
}

func newComparison(before, after Picture, o Options) *comparison {
	if before.rgba == nil {
		before.rgba = image.NewRGBA(image.Rectangle{})
	}
	if after.rgba == nil {
		after.rgba = image.NewRGBA(image.Rectangle{})
	}
	c := &comparison{before: before.rgba, after: after.rgba, both: before.rgba.Rect.Intersect(after.rgba.Rect),
		area:      image.Rect(0, 0, max(before.Size().X, after.Size().X), max(before.Size().Y, after.Size().Y)),
		threshold: seen(o.Threshold)}
	c.ignore(o.Ignore)
	return c
}

// seen is the distance beyond which two colours look different.
func seen(threshold float64) int64 {
	if !(threshold > 0) {
		return 0
	}
	return int64(widest * scale * min(threshold, 1) * min(threshold, 1))
}

// ignore masks what is not compared.
func (c *comparison) ignore(list []image.Rectangle) {
	for _, r := range list {
		r = r.Canon().Intersect(c.area)
		if r.Empty() {
			continue
		}
		if c.masked == nil {
			c.masked = make([]bool, c.area.Dx()*c.area.Dy())
		}
		for y := r.Min.Y; y < r.Max.Y; y++ {
			row := c.masked[y*c.area.Dx():][r.Min.X:r.Max.X]
			for x := range row {
				if !row[x] {
					row[x] = true
					c.ignored++
				}
			}
		}
	}
}

// skips reports whether a pixel is not compared.
func (c *comparison) skips(x, y int) bool { return c.masked != nil && c.masked[y*c.area.Dx()+x] }

// walk tells every compared pixel that is not the same, row by row. Rows of the same
// bytes are passed over.
func (c *comparison) walk(tell func(x, y int, k kind)) {
	shared, width := c.both.Dx(), c.area.Dx()
	for y := range c.area.Dy() {
		from := 0
		if y < c.both.Dy() {
			a, b := c.before.Pix[y*c.before.Stride:][:shared*4], c.after.Pix[y*c.after.Stride:][:shared*4]
			if !bytes.Equal(a, b) {
				c.row(y, a, b, tell)
			}
			from = shared
		}
		for x := from; x < width; x++ {
			if !c.skips(x, y) {
				tell(x, y, different)
			}
		}
	}
}

// row compares the part of a row that both pictures have.
func (c *comparison) row(y int, a, b []byte, tell func(x, y int, k kind)) {
	for x := range len(a) / 4 {
		p, q := a[x*4:x*4+4], b[x*4:x*4+4]
		if [4]byte(p) == [4]byte(q) || distance(p, q) <= c.threshold || c.skips(x, y) {
			continue
		}
		if smooths(c.before, c.after, x, y) || smooths(c.after, c.before, x, y) {
			tell(x, y, smoothed)
			continue
		}
		tell(x, y, different)
	}
}
