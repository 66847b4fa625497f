package pixel

import (
	"bytes"
	"image"
)

// Sensible is the Threshold that a person sees from.
const Sensible = 0.1

// Options say what is a difference.
type Options struct {
	Threshold float64           // from 0, every difference, to 1: how far apart two colours must look
	Ignore    []image.Rectangle // in pixels, of both pictures: what is not compared
}

// Result is what a comparison found. Pixels that only one of two pictures has, since
// their sizes differ, count as different.
type Result struct {
	Before, After image.Point     // the sizes
	Compared      int             // pixels, without those that are ignored
	Different     int             // pixels that look different
	Smoothed      int             // pixels that look different as the edge that they smooth is drawn, which is no difference
	Box           image.Rectangle // the smallest that holds all that are different; empty when none is
}

// Resized reports whether the pictures have different sizes.
func (r Result) Resized() bool { return r.Before != r.After }

// Ratio is the part of the compared pixels that are different, from 0 to 1. It is 1
// when nothing was compared: that shows nothing.
func (r Result) Ratio() float64 {
	if r.Compared == 0 {
		return 1
	}
	return float64(r.Different) / float64(r.Compared)
}

// Within reports whether the pictures are of one size, something was compared, and
// at most so many percent of it are different.
func (r Result) Within(percent float64) bool {
	return !r.Resized() && r.Compared > 0 && float64(r.Different)*100 <= percent*float64(r.Compared)
}

// Compare compares two pictures pixel by pixel.
func Compare(before, after Picture, o Options) Result {
	r := Result{Before: before.Size(), After: after.Size()}
	c := newComparison(before, after, o)
	r.Compared = c.area.Dx()*c.area.Dy() - c.ignored
	c.walk(func(x, y int, k kind) {
		if k == smoothed {
			r.Smoothed++
			return
		}
		r.Different++
		r.Box = r.Box.Union(image.Rect(x, y, x+1, y+1))
	})
	return r
}

// CompareFiles compares two pictures as they lie in files. Files of the same bytes
// are not unpacked. An error means that one of them is no picture that can be read.
func CompareFiles(before, after []byte, o Options) (Result, error) {
	if bytes.Equal(before, after) {
		s, err := size(before)
		if err != nil {
			return Result{}, err
		}
		c := comparison{area: image.Rectangle{Max: s}}
		c.ignore(o.Ignore)
		return Result{Before: s, After: s, Compared: s.X*s.Y - c.ignored}, nil
	}
	a, err := Decode(before)
	if err != nil {
		return Result{}, err
	}
	b, err := Decode(after)
	if err != nil {
		return Result{}, err
	}
	return Compare(a, b, o), nil
}
