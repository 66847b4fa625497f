package pixel

import "image"

// smooths reports whether a pixel only smooths an edge of a picture: it lies between
// a darker and a brighter neighbour, few of its neighbours are as bright as it is,
// and the darkest or the brightest of them belongs to a flat surface in both
// pictures. A surface that changed itself is flat in one of them alone.
func smooths(p, other *image.RGBA, x, y int) bool {
	at := brightness(p.Pix[p.PixOffset(x, y):])
	var darkest, brightest image.Point
	var down, up int32
	alike := 0
	around := neighbours(p, x, y)
	if around.Dx() < 3 || around.Dy() < 3 {
		alike = 1 // beyond the border it would go on
	}
	for ny := around.Min.Y; ny < around.Max.Y; ny++ {
		for nx := around.Min.X; nx < around.Max.X; nx++ {
			if nx == x && ny == y {
				continue
			}
			switch d := brightness(p.Pix[p.PixOffset(nx, ny):]) - at; {
			case d == 0:
				if alike++; alike > 2 {
					return false
				}
			case d < down:
				down, darkest = d, image.Pt(nx, ny)
			case d > up:
				up, brightest = d, image.Pt(nx, ny)
			}
		}
	}
	if down == 0 || up == 0 {
		return false
	}
	return flat(p, darkest) && flat(other, darkest) || flat(p, brightest) && flat(other, brightest)
}

// flat reports whether a pixel has at least three neighbours of its own colour.
func flat(p *image.RGBA, at image.Point) bool {
	if !at.In(p.Rect) {
		return false
	}
	own := [4]byte(p.Pix[p.PixOffset(at.X, at.Y):])
	around := neighbours(p, at.X, at.Y)
	alike := 0
	if around.Dx() < 3 || around.Dy() < 3 {
		alike = 1
	}
	for y := around.Min.Y; y < around.Max.Y; y++ {
		for x := around.Min.X; x < around.Max.X; x++ {
			if (x != at.X || y != at.Y) && [4]byte(p.Pix[p.PixOffset(x, y):]) == own {
				alike++
			}
		}
	}
	return alike >= 3
}

// neighbours is the square of a pixel and those around it, inside the picture.
func neighbours(p *image.RGBA, x, y int) image.Rectangle {
	return image.Rect(x-1, y-1, x+2, y+2).Intersect(p.Rect)
}
