package sandbox

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestSecurityTable holds the table of SECURITY.md to what the backends are tested
// for, in its order.
func TestSecurityTable(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	var want strings.Builder
	want.WriteString("| a child | bubblewrap | Landlock |\n| --- | --- | --- |\n")
	for _, p := range Properties() {
		held := func(ok bool, word string) string {
			if ok {
				return word
			}
			return "no"
		}
		word := "yes"
		if p.Landlock > minABI {
			word = fmt.Sprintf("from version %d", p.Landlock)
		}
		fmt.Fprintf(&want, "| %s | %s | %s |\n", p.Says, held(p.Bubblewrap, "yes"), held(p.Landlock > 0, word))
	}
	if !strings.Contains(string(text), want.String()) {
		t.Errorf("SECURITY.md has not this table:\n%s", want.String())
	}
}
