package scenario

import (
	"regexp"
	"strings"
	"testing"
)

var portable = regexp.MustCompile(`^[0-9][0-9a-z-]{1,90}\.png$`)

func TestPictureName(t *testing.T) {
	t.Parallel()
	name := func(address, text string, step int) string {
		t.Helper()
		s, faults := Parse(text)
		if len(faults) > 0 {
			t.Fatal(faults)
		}
		n := PictureName(address, s, step)
		if !portable.MatchString(n) {
			t.Errorf("%s is named %q", text, n)
		}
		return n
	}
	first := name("/", "390x844 mobile: testid=save click", 1)
	if !strings.HasPrefix(first, "390x844-mobile-testid-save-click-") || !strings.HasSuffix(first, "-1.png") {
		t.Errorf("name %q", first)
	}
	if same := name("/", "390×844mobile:testid=\"save\"  click@0.5,0.5", 1); same != first {
		t.Errorf("written another way it is %q, not %q", same, first)
	}
	seen := map[string]string{}
	for _, text := range []string{"390x844: testid=save click", "390x844 mobile: testid=Save click", "390x844 mobile: testid=save-click", "390x844 mobile: testid=save hidden", "text=שמור", "text=حفظ",
		"390x844: text=con", "text=" + strings.Repeat("long ", 300) + "a", "text=" + strings.Repeat("long ", 300) + "b"} {
		for _, address := range []string{"/", "/settings"} {
			for _, step := range []int{0, 1, 50} {
				n := name(address, text, step)
				if before, taken := seen[n]; taken {
					t.Errorf("%q is the name of both %s and %s", n, before, text)
				}
				seen[n] = text
			}
		}
	}
	if name("/", "open=/a -> testid=b", 1) != name("/settings", "open=/a -> testid=b", 1) {
		t.Error("a scenario that names its own start is named by the contract's")
	}
}
