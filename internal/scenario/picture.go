package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// PictureName is the name of the file that holds the picture of a scenario after
// one of its steps, 0 being the page before the first. address is where the
// contract starts, from its first slash; it does not matter to a scenario that
// names its own. The name depends on nothing else: not on the other scenarios, nor
// on how this one is written. It is of small letters, digits and dashes, such as
// 1280x720-testid-save-click-5f0c5e6b8f1d2a30-1.png, and never begins with a letter.
func PictureName(address string, s Scenario, step int) string {
	if start, named := s.Start(); named {
		address = start
	}
	text := s.String()
	sum := sha256.Sum256([]byte(address + "\x00" + text))
	size, steps, _ := strings.Cut(text, ": ")
	return fmt.Sprintf("%s-%s%s-%d.png", strings.ReplaceAll(size, " ", "-"), slug(steps), hex.EncodeToString(sum[:8]), step)
}

// slug is the beginning of a text in letters that every file system takes, with a
// dash behind it, or "".
func slug(text string) string {
	const most = 32
	var b strings.Builder
	for _, c := range strings.ToLower(text) {
		if b.Len() >= most {
			break
		}
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	if s := strings.TrimSuffix(b.String(), "-"); s != "" {
		return s + "-"
	}
	return ""
}
