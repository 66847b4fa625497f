package pixel

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/color"
	"strings"
	"testing"
)

// promise is a PNG that says it is so large and holds nothing.
func promise(w, h uint32) []byte {
	var b bytes.Buffer
	b.WriteString("\x89PNG\r\n\x1a\n")
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), w)
	head = append(binary.BigEndian.AppendUint32(head, h), 8, 6, 0, 0, 0)
	b.Write(binary.BigEndian.AppendUint32(nil, 13))
	b.Write(head)
	b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(head)))
	return b.Bytes()
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	whole := encode(t, sheet(30, 30, image.Rect(3, 3, 9, 20), green))
	tests := []struct {
		name string
		data []byte
		want string
	}{
		{"empty", nil, "read picture: "},
		{"text", []byte("<html><body>Not found</body></html>"), "read picture: png: invalid format: not a PNG file"},
		{"cut", whole[:len(whole)/2], "read picture: "},
		{"side", promise(MaxSide+1, 1), "said to be 16385x1, the limit is 16777216 pixels and 16384 on a side"},
		{"area", promise(MaxSide, MaxSide), "said to be 16384x16384"},
		{"bomb", promise(1<<31-1, 1<<31-1), "read picture: "},
		{"no_pixel", promise(0, 7), "read picture: "},
		{"bytes", make([]byte, MaxBytes+1), "it has 67108865 bytes, the limit is 67108864"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := Decode(tt.data); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
			for _, pair := range [][2][]byte{{tt.data, whole}, {whole, tt.data}} {
				if r, err := CompareFiles(pair[0], pair[1], Options{}); err == nil {
					t.Errorf("compared: %+v", r)
				}
			}
		})
	}
	if _, err := CompareFiles(promise(MaxSide, MaxSide), promise(MaxSide, MaxSide), Options{}); err == nil {
		t.Error("two promises of the same bytes are pictures")
	}
}

// What shows through is as if on a white page, and a picture is the same however its
// colours are stored.
func TestDecodeColours(t *testing.T) {
	t.Parallel()
	want := sheet(8, 8, image.Rect(2, 2, 6, 6), black)
	through := image.NewNRGBA(image.Rect(0, 0, 8, 8))
	palette := image.NewPaletted(image.Rect(0, 0, 8, 8), color.Palette{white, black})
	deep := image.NewNRGBA64(image.Rect(0, 0, 8, 8))
	grey := image.NewGray(image.Rect(0, 0, 8, 8))
	for y := range 8 {
		for x := range 8 {
			c := want.RGBAAt(x, y)
			palette.Set(x, y, c)
			deep.Set(x, y, c)
			grey.Set(x, y, c)
			if c == black {
				through.Set(x, y, c)
			}
		}
	}
	for name, p := range map[string]image.Image{"transparent": through, "palette": palette, "sixteen_bits": deep, "grey": grey} {
		r, err := CompareFiles(encode(t, want), encode(t, p), Options{})
		if err != nil || r.Different != 0 || r.Compared != 64 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// FuzzDecode: what is decoded is within the bounds, is opaque, and equals itself;
// nothing is decoded that its header does not promise.
func FuzzDecode(f *testing.F) {
	f.Add([]byte{})
	f.Add(promise(MaxSide, MaxSide))
	f.Add(encode(f, sheet(9, 7, image.Rect(1, 1, 3, 3), green)))
	f.Add(encode(f, image.NewPaletted(image.Rect(0, 0, 5, 5), color.Palette{white, black})))
	f.Add(encode(f, image.NewNRGBA(image.Rect(0, 0, 5, 5))))
	f.Fuzz(func(t *testing.T, data []byte) {
		if promised, err := size(data); err == nil && promised.X*promised.Y > 1<<18 {
			return // within the bounds, and slow to try by the thousand
		}
		p, err := Decode(data)
		if err != nil {
			return
		}
		s := p.Size()
		if s.X < 1 || s.Y < 1 || s.X*s.Y > MaxPixels || !p.rgba.Opaque() || len(p.rgba.Pix) != 4*s.X*s.Y {
			t.Fatalf("picture of %v with %d bytes", s, len(p.rgba.Pix))
		}
		if r := Compare(p, p, Options{}); !r.Within(0) || r.Compared != s.X*s.Y {
			t.Fatalf("it differs from itself: %+v", r)
		}
	})
}
