package setup

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"
	"log"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/policy"
)

// sees makes the test program read a picture and say what is in it, as a model would.
const sees = "SETUP_TEST_SEES"

func TestMain(m *testing.M) {
	if os.Getenv(sees) == "" {
		os.Exit(m.Run())
	}
	data, err := os.ReadFile(os.Getenv(pictureVariable))
	if err != nil {
		log.Fatal(err)
	}
	r, err := seen(data)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r)
}

// seen reads the number and the colour back out of a picture, from its pixels alone.
func seen(data []byte) (riddle, error) {
	img, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return riddle{}, err
	}
	var text strings.Builder
	ink := color.RGBA{}
	for i := range (img.Bounds().Dx()/dot - 1) / 6 {
		var got [7]byte
		for y := range got {
			for x := range 5 {
				r, g, b, _ := img.At((1+6*i+x)*dot+dot/2, (1+y)*dot+dot/2).RGBA()
				if r+g+b != 3*0xffff {
					got[y] |= 0x10 >> x
					ink = color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}
				}
			}
		}
		for d, want := range digits {
			if got == want {
				text.WriteString(strconv.Itoa(d))
			}
		}
	}
	n, err := strconv.Atoi(text.String())
	if err != nil {
		return riddle{}, fmt.Errorf("the picture holds no number: %w", err)
	}
	for i, c := range colours() {
		if c.rgb == ink {
			return riddle{number: n, colour: i}, nil
		}
	}
	return riddle{}, fmt.Errorf("the picture is written in %v", ink)
}

// What is drawn is what is asked for, for every digit and every colour.
func TestPictureShowsTheRiddle(t *testing.T) {
	t.Parallel()
	for i, n := range []int{1023, 4567, 8901, 9999, 1000, 2468} {
		asked := riddle{number: n, colour: i}
		data, err := asked.picture()
		if err != nil {
			t.Fatal(err)
		}
		if got, err := seen(data); err != nil || got != asked {
			t.Errorf("%v was drawn as %v, %v", asked, got, err)
		}
		if !asked.solved("It says " + asked.String()) {
			t.Errorf("%v does not solve itself", asked)
		}
		for _, wrong := range []string{"", strconv.Itoa(n), colours()[i].names[0], "1 in " + colours()[i].names[0], strconv.Itoa(n) + " in yellow"} {
			if asked.solved(wrong) {
				t.Errorf("%q solves %v", wrong, asked)
			}
		}
	}
}

const eyes = `version: 1
profile: p
role: visual_qa
vendor: v
command: v
capabilities: {vision: {delivery: workspace_file, verification: required}}
verification:
  probe: 'PROBE'
`

// BR-20: a profile that declares vision is proven by sight. One that cannot see, and
// one whose probe shows nothing, is not stamped, whatever it prints.
func TestVisionIsProvenByAPicture(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		probe, want string
		ok          bool
	}{
		"BR-20 it says what the picture shows":    {`SEE`, "read the transcript", true},
		"BR-20 it says the name of the file":      {`echo "$PROBE_PICTURE"`, "nothing proves that pictures reach the model", false},
		"BR-20 it guesses":                        {`echo "$PROBE_PICTURE" >/dev/null; echo 1234 in red`, "nothing proves that pictures reach the model", false},
		"BR-20 the probe shows no picture":        {`echo 1234 in red`, "its probe shows no picture", false},
		"BR-20 it sees and ends with another end": {`SEE; exit 3`, "correct the profile", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			program, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			probe := strings.ReplaceAll(c.probe, "SEE", sees+`=1 PROBE_PICTURE="$PROBE_PICTURE" `+program)
			if err := os.MkdirAll(filepath.Join(home, "profiles"), 0o700); err != nil {
				t.Fatal(err)
			}
			text := strings.Replace(eyes, "PROBE", strings.ReplaceAll(probe, "'", "''"), 1)
			file := filepath.Join(home, "profiles", "p.yaml")
			if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			p, err := policy.ParseProfile(file, "p", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			v, err := Verify(t.Context(), VerifyRequest{Home: home, Profile: p, Environ: os.Environ(), Now: time.Unix(1_800_000_000, 0), Limit: 20 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			if v.OK != c.ok || v.Stamped != c.ok || v.ProbeOK != c.ok || !strings.Contains(v.Message, c.want) {
				t.Errorf("verification %+v, want ok %t and %q", v, c.ok, c.want)
			}
			data, err := os.ReadFile(file)
			if err != nil || strings.Contains(string(data), "verified_on") != c.ok {
				t.Errorf("the profile reads %s, %v", data, err)
			}
		})
	}
}
