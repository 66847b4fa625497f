package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Bounds of a viewport, in CSS pixels. A browser without a graphics card draws a
// picture of MaxPixels in about ten seconds, and 64 MiB hold it decoded.
const (
	MinSide   = 8 // of fewer a browser takes no picture
	MaxSide   = 8192
	MaxPixels = 1 << 24 // width times height
)

// Usual is the viewport of a scenario that names none.
func Usual() Viewport { return Viewport{Width: 1280, Height: 720} }

const sizeForm = "1280x720: or 390x844 mobile:"

// viewport reads the size before the steps, if there is one, and moves past it.
func (r *reader) viewport() Viewport {
	r.blanks()
	start := r.i
	width, i := r.digits(start)
	if width == "" {
		return r.noSize(start)
	}
	for r.blank(i) {
		i++
	}
	if i >= len(r.runes) || !strings.ContainsRune("x×X*хХ✕", r.runes[i]) {
		return Usual() // a label that begins with a number
	}
	sign := i
	i++
	for r.blank(i) {
		i++
	}
	heightAt := i
	height, i := r.digits(i)
	if height == "" {
		if i < len(r.runes) && r.runes[i] == ':' {
			r.fault(i, "the size has no height", "write "+sizeForm)
			r.i = i + 1
		}
		return Usual()
	}
	for r.blank(i) {
		i++
	}
	v := Viewport{}
	if strings.HasPrefix(string(r.runes[i:]), "mobile") {
		v.Mobile = true
		i += len("mobile")
		for r.blank(i) {
			i++
		}
	}
	switch {
	case r.runes[sign] != 'x' && r.runes[sign] != '×':
		r.fault(sign, "between width and height stands "+quoted(string(r.runes[sign]))+", and not the letter x", "write "+width+"x"+height+":")
	case i >= len(r.runes) || r.runes[i] != ':':
		r.fault(i, "the size is not followed by a colon", "write "+sizeForm)
	default:
		v.Width = r.side(start, "width", width)
		v.Height = r.side(heightAt, "height", height)
		if v.Width*v.Height > MaxPixels {
			r.fault(start, fmt.Sprintf("the viewport has %d pixels, the limit is %d", v.Width*v.Height, MaxPixels), "write "+sizeForm)
		}
	}
	if i < len(r.runes) && r.runes[i] == ':' {
		i++
	}
	r.i = i
	return v
}

// noSize refuses what was meant as a size, and is none: a sign before the number.
func (r *reader) noSize(start int) Viewport {
	if start+1 < len(r.runes) && strings.ContainsRune("-+", r.runes[start]) && unicode.IsDigit(r.runes[start+1]) {
		r.fault(start, "a size has no sign", "write "+sizeForm)
		if colon := slices.Index(r.runes, ':'); colon >= 0 {
			r.i = colon + 1
		}
	}
	return Usual()
}

// digits are the digits of a number at a place, and the place after them.
func (r *reader) digits(i int) (string, int) {
	j := i
	for j < len(r.runes) && r.runes[j] >= '0' && r.runes[j] <= '9' {
		j++
	}
	return string(r.runes[i:j]), j
}

// side is one side of the viewport, or 0 with a fault.
func (r *reader) side(at int, name, digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n < MinSide || n > MaxSide {
		r.fault(at, fmt.Sprintf("a viewport of %s %s cannot be pictured", name, quoted(digits)), fmt.Sprintf("%d to %d", MinSide, MaxSide))
		return 0
	}
	return n
}
