package pixel

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"
)

// page is a picture like one of a page: blocks, and lines of something like text.
func page(w, h int) *image.RGBA {
	p := sheet(w, h)
	r := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		at := image.Pt(r.IntN(w), r.IntN(h))
		for y := at.Y; y < min(at.Y+60, h); y++ {
			for x := at.X; x < min(at.X+200, w); x++ {
				if y%18 < 9 && r.IntN(3) == 0 {
					p.SetRGBA(x, y, color.RGBA{uint8(r.IntN(90)), 40, 60, 0xff})
				}
			}
		}
	}
	return p
}

func BenchmarkCompareFiles(b *testing.B) {
	sizes := map[string][]image.Point{"1280x720": {{1280, 720}}, "three_viewports": {{1280, 720}, {700, 400}, {390, 844}}}
	for name, list := range sizes {
		for _, changed := range []string{"same_bytes", "same_pixels", "changed"} {
			b.Run(name+"/"+changed, func(b *testing.B) {
				var before, after [][]byte
				for _, s := range list {
					p := page(s.X, s.Y)
					before = append(before, encode(b, p))
					switch changed {
					case "same_pixels":
						n := image.NewNRGBA(p.Rect)
						copy(n.Pix, p.Pix)
						n.Pix[3] = 0xfe // stored with transparency, and so in other bytes
						after = append(after, encode(b, n))
						continue
					case "changed":
						for y := 100; y < 300; y++ {
							for x := 100; x < 300; x++ {
								p.SetRGBA(x, y, color.RGBA{uint8(x), uint8(y), 9, 0xff})
							}
						}
					}
					after = append(after, encode(b, p))
				}
				b.ResetTimer()
				for range b.N {
					for i := range before {
						if _, err := CompareFiles(before[i], after[i], Options{Threshold: Sensible}); err != nil {
							b.Fatal(err)
						}
					}
				}
			})
		}
	}
}
