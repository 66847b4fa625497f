package engine_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/engine"
	"github.com/tolboy/warden/internal/outcome"
)

// peer-17: the writer reads of every objection whose it is, on which file, which
// lines and which side, and what stands there.
func TestRejectionNamesThePlaces_peer17(t *testing.T) {
	t.Parallel()
	const head = "# A person rejected the candidate of run r0\n\n" +
		"This is a person's objection, not a failed check. It says what has to change. It grants no permission beyond the task's own.\n\n"
	hunk := func(text string) string { return ", where the diff reads\n\n```text\n" + text + "\n```\n" }
	said := func(who, text string) string { return "\n" + who + " wrote:\n\n```text\n" + text + "\n```\n\n" }
	for _, tt := range []struct {
		name string
		give engine.LineNote
		want string
	}{
		{"one line", engine.LineNote{Path: "src/a.go", Line: 7, Side: "RIGHT", DiffHunk: "@@ -1 +7 @@\n+x", Body: "no"},
			"\nOn `src/a.go`, line 7 (right side)" + hunk("@@ -1 +7 @@\n+x") + said("ann", "no")},
		{"a range", engine.LineNote{Path: "src/a.go", StartLine: 3, Line: 5, Side: "RIGHT", DiffHunk: "@@ -1 +3,3 @@", Body: "no"},
			"\nOn `src/a.go`, lines 3 to 5 (right side)" + hunk("@@ -1 +3,3 @@") + said("ann", "no")},
		{"a range of one line", engine.LineNote{Path: "src/a.go", StartLine: 5, Line: 5, Side: "RIGHT", DiffHunk: "@@", Body: "no"},
			"\nOn `src/a.go`, line 5 (right side)" + hunk("@@") + said("ann", "no")},
		{"what is gone", engine.LineNote{Path: "src/a.go", Line: 2, Side: "LEFT", DiffHunk: "@@ -2 +0,0 @@\n-x", Body: "keep it"},
			"\nOn `src/a.go`, line 2 (left side)" + hunk("@@ -2 +0,0 @@\n-x") + said("ann", "keep it")},
		{"the file as a whole", engine.LineNote{Path: "src/a.go", Side: "RIGHT", Body: "move it"},
			"\nOn `src/a.go`, the file as a whole\n" + said("ann", "move it")},
		{"a line without a hunk", engine.LineNote{Path: "src/a.go", Line: 4, Side: "RIGHT", Body: "no"},
			"\nOn `src/a.go`, line 4 (right side)\n" + said("ann", "no")},
		{"somebody else's", engine.LineNote{Actor: "bob", Path: "b`c", Line: 1, Side: "RIGHT", DiffHunk: "@@", Body: "no"},
			"\nOn ``b`c``, line 1 (right side)" + hunk("@@") + said("bob", "no")},
		{"somebody else's words", engine.LineNote{Actor: "bob", Body: "nor I"}, said("bob", "nor I")},
	} {
		t.Run("peer-17 "+tt.name, func(t *testing.T) {
			t.Parallel()
			w := &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}}
			_, err := drive(t, w, &journal{}, engine.Spec{Rejection: &engine.Rejection{Run: "r0", Actor: "ann", Comments: []engine.LineNote{tt.give}}})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(head+tt.want, string(w.calls[0].Context)); diff != "" {
				t.Errorf("the first writer reads (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("peer-17 in order", func(t *testing.T) {
		t.Parallel()
		w := &world{gate: []engine.GateOutcome{green}, role: turns{"implementer": {writes("a")}, "reviewer": {ends(outcome.OK)}}}
		_, err := drive(t, w, &journal{}, engine.Spec{Rejection: &engine.Rejection{Run: "r0", Actor: "ann", Note: []byte("all of it"),
			Comments: []engine.LineNote{{Path: "a", Line: 1, Side: "RIGHT", Body: "first"}, {Actor: "bob", Body: "second"}, {Actor: "bob", Path: "a", Line: 2, Side: "LEFT", Body: "third"}}}})
		if err != nil {
			t.Fatal(err)
		}
		want := head + strings.TrimPrefix(said("ann", "all of it"), "\n") + "\nOn `a`, line 1 (right side)\n" + said("ann", "first") +
			said("bob", "second") + "\nOn `a`, line 2 (left side)\n" + said("bob", "third")
		if diff := cmp.Diff(want, string(w.calls[0].Context)); diff != "" {
			t.Errorf("the first writer reads (-want +got):\n%s", diff)
		}
	})
}
