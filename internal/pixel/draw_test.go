package pixel

import (
	"bytes"
	"image"
	"image/color"
	"testing"
)

func decode(t *testing.T, p image.Image) Picture {
	t.Helper()
	out, err := Decode(encode(t, p))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestDraw(t *testing.T) {
	t.Parallel()
	before := decode(t, sheet(40, 30, image.Rect(5, 5, 10, 10), black))
	after := decode(t, sheet(42, 30, image.Rect(20, 5, 25, 10), black))
	o := Options{Threshold: Sensible, Ignore: []image.Rectangle{image.Rect(0, 20, 40, 30)}}
	data, err := Draw(before, after, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Draw(before, after, o)
	if err != nil || !bytes.Equal(data, again) {
		t.Errorf("the second time it has other bytes: %v", err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if got.Size() != image.Pt(42, 30) {
		t.Fatalf("size %v", got.Size())
	}
	red, blue := color.RGBA{0xd0, 0x10, 0x20, 0xff}, color.RGBA{0xb8, 0xc8, 0xe8, 0xff}
	for at, want := range map[image.Point]color.RGBA{{7, 7}: red, {22, 7}: red, {41, 3}: red, {3, 25}: blue, {30, 15}: white} {
		if c := got.rgba.RGBAAt(at.X, at.Y); c != want {
			t.Errorf("at %v it is %v, want %v", at, c, want)
		}
	}
	inked := 0
	for y := range 30 {
		for x := range 42 {
			if got.rgba.RGBAAt(x, y) == red {
				inked++
			}
		}
	}
	if r := Compare(before, after, o); r.Different != inked {
		t.Errorf("%d are red, and %d are different", inked, r.Different)
	}
	if _, err := Draw(Picture{}, Picture{}, o); err == nil {
		t.Error("two empty pictures are drawn")
	}
	if data, err := Draw(before, Picture{}, Options{}); err != nil || len(data) == 0 {
		t.Errorf("a picture beside an empty one: %v", err)
	}
}
