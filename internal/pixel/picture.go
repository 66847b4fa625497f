// Package pixel says whether two pictures of a page look the same: by how colours
// are seen, with smoothed edges set aside, outside what may differ. It knows nothing
// of browsers, files or contracts.
package pixel

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
)

// Bounds of one picture. They are checked before a pixel is unpacked: a few
// kilobytes can promise a picture that no memory holds.
const (
	MaxBytes  = 64 << 20
	MaxSide   = 16_384
	MaxPixels = 1 << 24 // width times height; 64 MiB unpacked
)

// Picture is a picture without transparency. It does not change, and may be shared.
type Picture struct {
	rgba *image.RGBA // opaque, its bounds begin at 0,0
}

// Size is the width and the height.
func (p Picture) Size() image.Point {
	if p.rgba == nil {
		return image.Point{}
	}
	return p.rgba.Rect.Size()
}

// Decode reads a PNG. What shows through becomes white, as the page behind it. An
// error means that it is no PNG, is damaged, or is beyond the bounds.
func Decode(data []byte) (Picture, error) {
	if _, err := size(data); err != nil {
		return Picture{}, err
	}
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return Picture{}, fmt.Errorf("read picture: %w", err)
	}
	switch p := decoded.(type) { // without transparency both are stored alike
	case *image.RGBA:
		if p.Opaque() {
			return Picture{p}, nil
		}
	case *image.NRGBA:
		if p.Opaque() {
			return Picture{&image.RGBA{Pix: p.Pix, Stride: p.Stride, Rect: p.Rect}}, nil
		}
	}
	out := image.NewRGBA(image.Rectangle{Max: decoded.Bounds().Size()})
	draw.Draw(out, out.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, decoded, decoded.Bounds().Min, draw.Over)
	return Picture{out}, nil
}

// size reads what a PNG says of its size, and holds it to the bounds.
func size(data []byte) (image.Point, error) {
	if len(data) > MaxBytes {
		return image.Point{}, fmt.Errorf("read picture: it has %d bytes, the limit is %d", len(data), MaxBytes)
	}
	head, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return image.Point{}, fmt.Errorf("read picture: %w", err)
	}
	switch w, h := head.Width, head.Height; {
	case w < 1 || h < 1:
		return image.Point{}, errors.New("read picture: it has no pixel")
	case w > MaxSide || h > MaxSide || w*h > MaxPixels:
		return image.Point{}, fmt.Errorf("read picture: it is said to be %dx%d, the limit is %d pixels and %d on a side", w, h, MaxPixels, MaxSide)
	}
	return image.Pt(head.Width, head.Height), nil
}
