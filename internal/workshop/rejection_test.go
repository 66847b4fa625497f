package workshop

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/bot"
	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/reconcile"
)

// peer-17: nothing of where people pointed is lost between the forge and the
// engine, of the one who refused first and of those who did so too.
func TestRejection_peer17(t *testing.T) {
	t.Parallel()
	inline := func(path string) []forge.ReviewComment {
		return []forge.ReviewComment{
			{ID: 1, Path: path, StartLine: 3, Line: 5, Side: "LEFT", DiffHunk: "@@ -3,3 @@", Body: "on " + path, CommitID: "c1"},
			{ID: 2, Path: path, Side: "RIGHT", Body: "all of " + path},
		}
	}
	noted := func(actor, path string) []engine.LineNote {
		return []engine.LineNote{
			{Actor: actor, Path: path, StartLine: 3, Line: 5, Side: "LEFT", DiffHunk: "@@ -3,3 @@", Body: "on " + path},
			{Actor: actor, Path: path, Side: "RIGHT", Body: "all of " + path},
		}
	}
	if got := rejection(bot.Order{}); got != nil {
		t.Errorf("a rejection of nobody: %+v", got)
	}
	got := rejection(bot.Order{Rejected: "r1", Rejection: &reconcile.Decision{
		Actor: forge.User{Login: "ann"}, Note: []byte("no\r\n"), Inline: inline("a"),
		Others: []reconcile.Voice{
			{Actor: forge.User{Login: "bob"}, Note: []byte("nor I"), Inline: inline("b")},
			{Actor: forge.User{Login: "eve"}, Inline: inline("e")},
		},
	}})
	want := &engine.Rejection{Run: "r1", Actor: "ann", Note: []byte("no\r\n")}
	want.Comments = append(want.Comments, noted("", "a")...)
	want.Comments = append(want.Comments, engine.LineNote{Actor: "bob", Body: "nor I"})
	want.Comments = append(want.Comments, noted("bob", "b")...)
	want.Comments = append(want.Comments, engine.LineNote{Actor: "eve"})
	want.Comments = append(want.Comments, noted("eve", "e")...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the engine is given (-want +got):\n%s", diff)
	}
}
