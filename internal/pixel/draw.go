package pixel

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
)

// Draw makes a PNG that shows where two pictures differ: the second picture in a
// pale grey, red where it looks different, yellow where an edge is smoothed another
// way, and blue where nothing was compared. The same pictures give the same bytes.
func Draw(before, after Picture, o Options) ([]byte, error) {
	c := newComparison(before, after, o)
	if c.area.Empty() {
		return nil, fmt.Errorf("draw difference: both pictures are empty")
	}
	red, yellow, blue := color.RGBA{R: 0xd0, G: 0x10, B: 0x20, A: 0xff}, color.RGBA{R: 0xe8, G: 0xb0, B: 0x10, A: 0xff}, color.RGBA{R: 0xb8, G: 0xc8, B: 0xe8, A: 0xff}
	out := image.NewRGBA(c.area)
	for y := range c.area.Dy() {
		for x := range c.area.Dx() {
			shade := uint8(0xff)
			if (image.Point{X: x, Y: y}).In(c.after.Rect) {
				shade = pale(brightness(c.after.Pix[c.after.PixOffset(x, y):]))
			}
			ink := color.RGBA{R: shade, G: shade, B: shade, A: 0xff}
			if c.skips(x, y) {
				ink = blue
			}
			out.SetRGBA(x, y, ink)
		}
	}
	c.walk(func(x, y int, k kind) {
		if k == smoothed {
			out.SetRGBA(x, y, yellow)
		} else {
			out.SetRGBA(x, y, red)
		}
	})
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&b, out); err != nil {
		return nil, fmt.Errorf("draw difference: %w", err)
	}
	return b.Bytes(), nil
}

// pale is a brightness as a grey of which a quarter is left.
func pale(bright int32) uint8 { return uint8(0xff - (0xff-bright/scale)/4) }
