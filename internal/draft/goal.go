package draft

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tolboy/warden/internal/plain"
)

// MangledCode is the code of a goal that lost its letters on the way.
const MangledCode = "goal_mangled_by_console_encoding"

// ErrMangled says that a goal arrived without its letters, and which channel
// keeps them.
var ErrMangled = errors.New("the goal lost its letters before it reached us; put it into a UTF-8 file and use --goal-file")

// CheckGoal refuses a goal whose letters a console turned into question marks or
// into bytes that are no text. Question marks in a sentence are left alone: it is
// refused only when words of nothing but question marks are no fewer than words
// with letters.
func CheckGoal(goal string) error {
	if plain.Blank(goal) {
		return errors.New("the goal is empty")
	}
	if strings.ContainsRune(goal, 0) {
		return errors.New("the goal holds a zero byte")
	}
	if !utf8.ValidString(goal) || strings.ContainsRune(goal, utf8.RuneError) {
		return ErrMangled
	}
	lost, kept := 0, 0
	for _, word := range strings.Fields(goal) {
		switch {
		case strings.HasPrefix(word, "??") && strings.Trim(word, "?.,:;!-") == "":
			lost++
		case strings.ContainsFunc(word, unicode.IsLetter):
			kept++
		}
	}
	if lost > 0 && lost >= kept {
		return ErrMangled
	}
	return nil
}
