package forgetest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var hunkHeader = regexp.MustCompile(`^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@`)

// hunk cuts the piece of the diff that a remark is shown with: from the hunk's
// header to the remark's line. A line outside the diff cannot be remarked on.
func (s *Server) hunk(base, head string, c InlineComment) (string, error) {
	out, err := s.diff("--no-color", "--no-ext-diff", base+"..."+head, "--", c.Path)
	if err != nil {
		return "", fmt.Errorf("diff %s: %w", c.Path, err)
	}
	var shown []string
	oldLine, newLine := 0, 0
	for line := range strings.SplitSeq(out, "\n") {
		if m := hunkHeader.FindStringSubmatch(line); m != nil {
			// Both are digits by the pattern; an absurd number matches no line.
			oldLine, _ = strconv.Atoi(m[1])
			newLine, _ = strconv.Atoi(m[2])
			shown = []string{line}
			continue
		}
		if shown == nil || line == "" {
			continue
		}
		shown = append(shown, line)
		if line[0] == '\\' { // no newline at end of file
			continue
		}
		atOld, atNew := line[0] != '+', line[0] != '-'
		if c.Side == "LEFT" && atOld && oldLine == c.Line || c.Side == "RIGHT" && atNew && newLine == c.Line {
			return strings.Join(shown, "\n"), nil
		}
		if atOld {
			oldLine++
		}
		if atNew {
			newLine++
		}
	}
	return "", fmt.Errorf("comment on %s:%d: the line must be part of the diff", c.Path, c.Line)
}
