package setup

import (
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// pictureVariable is the variable in which a probe finds the path of the picture that
// it has to show.
const pictureVariable = "PROBE_PICTURE"

// riddle is what only somebody who sees the picture can say: a number, and in which
// colour it is written.
type riddle struct {
	number int // of four digits
	colour int // index of colours
}

// shade is a colour with the names by which people call it.
type shade struct {
	names []string
	rgb   color.RGBA
}

func colours() []shade {
	return []shade{
		{[]string{"red", "crimson"}, color.RGBA{200, 20, 20, 255}},
		{[]string{"green"}, color.RGBA{0, 130, 30, 255}},
		{[]string{"blue"}, color.RGBA{20, 50, 220, 255}},
		{[]string{"orange"}, color.RGBA{245, 130, 0, 255}},
		{[]string{"purple", "violet"}, color.RGBA{120, 20, 160, 255}},
		{[]string{"black"}, color.RGBA{0, 0, 0, 255}},
	}
}

// pose makes a riddle that nobody can know beforehand.
func pose() (riddle, error) {
	var b [8]byte
	if _, err := rand.Read(b[:]); err != nil {
		return riddle{}, fmt.Errorf("make a picture to try with: %w", err)
	}
	n := binary.LittleEndian.Uint64(b[:])
	return riddle{number: 1000 + int(n%9000), colour: int(n / 9000 % uint64(len(colours())))}, nil
}

// solved reports whether a text says both what is written and in which colour.
func (r riddle) solved(said string) bool {
	said = strings.ToLower(said)
	for _, name := range colours()[r.colour].names {
		if strings.Contains(said, strconv.Itoa(r.number)) && strings.Contains(said, name) {
			return true
		}
	}
	return false
}

// String is the answer, for a person who looks at a probe that failed.
func (r riddle) String() string {
	return fmt.Sprintf("%d in %s", r.number, colours()[r.colour].names[0])
}

// digits are drawn on a grid of 5 by 7, one byte for each row.
var digits = [10][7]byte{
	{0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e}, {0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e},
	{0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f}, {0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e},
	{0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02}, {0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e},
	{0x06, 0x08, 0x10, 0x1e, 0x11, 0x11, 0x0e}, {0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08},
	{0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e}, {0x0e, 0x11, 0x11, 0x0f, 0x01, 0x02, 0x0c},
}

// dot is the side of one point of the grid, in pixels. The picture is large: some
// models drop small ones without a word.
const dot = 24

// picture draws the riddle on white, as a PNG file.
func (r riddle) picture() ([]byte, error) {
	text := strconv.Itoa(r.number)
	img := image.NewPaletted(image.Rect(0, 0, (6*len(text)+1)*dot, 9*dot), color.Palette{color.White, colours()[r.colour].rgb})
	for i, c := range text {
		for y, row := range digits[c-'0'] {
			for x := range 5 {
				if row&(0x10>>x) == 0 {
					continue
				}
				left, top := (1+6*i+x)*dot, (1+y)*dot
				for p := range dot * dot {
					img.SetColorIndex(left+p%dot, top+p/dot, 1)
				}
			}
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("draw a picture to try with: %w", err)
	}
	return b.Bytes(), nil
}

// hang draws the riddle where the probe of a profile can find it. The name of the file
// says nothing of what is in it.
func (r riddle) hang(home, profile string) (string, error) {
	data, err := r.picture()
	if err != nil {
		return "", err
	}
	path := filepath.Join(home, "verification", profile+".png")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", fmt.Errorf("write a picture to try with: %w", err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return "", fmt.Errorf("write a picture to try with: %w", err)
	}
	return path, nil
}
