package progress

import (
	"bytes"
	"strings"
	"testing"
)

// A timer can fire just before an event takes the lock; its beat then speaks of
// a silence that is over.
func TestLateBeat(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	n := New(&out, Options{})
	defer n.Close()
	n.Tell(StageStarted{Index: 1, Total: 1, Name: "gates", What: "x"})
	late := n.said
	n.beat(late)
	if !strings.Contains(out.String(), "still working") {
		t.Fatal("no beat in silence, so this test proves nothing")
	}
	n.Tell(Note{Text: "news"})
	n.beat(late)
	if !strings.HasSuffix(out.String(), "note  news\n") {
		t.Errorf("LR-12: a beat after the news: %q", out.String())
	}
}
