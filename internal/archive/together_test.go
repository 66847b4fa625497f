package archive_test

import (
	"errors"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/archive"
)

func TestSaveTogether(t *testing.T) {
	t.Parallel()
	const second, branch = "issue-7-2", "warden/issue-7-x"
	r := newRemote()
	a := worker(t, r)
	both := []archive.Entry{{RunID: run}, {RunID: second}}
	for _, id := range []string{run, second} {
		write(t, a, id+"/evidence.jsonl", "1\n")
	}
	apart := func(where string, entries []archive.Entry, b *archive.Branch) {
		t.Helper()
		before := maps.Clone(r.refs)
		if err := a.SaveTogether(t.Context(), entries, b); !errors.Is(err, archive.ErrApart) {
			t.Errorf("%s: %v", where, err)
		}
		if diff := cmp.Diff(before, r.refs); diff != "" {
			t.Errorf("%s moved refs all the same:\n%s", where, diff)
		}
	}
	apart("two claims", both, nil)
	for _, id := range []string{run, second} {
		if err := a.Save(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	claimed := maps.Clone(r.refs)
	for range 2 { // the tips of the first time are what the second expects
		if err := a.SaveTogether(t.Context(), both, &archive.Branch{Name: branch, Commit: "x", Expect: r.refs["refs/heads/"+branch]}); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range []string{run, second} {
		if r.refs[archive.Ref(id)] == claimed[archive.Ref(id)] {
			t.Errorf("the ledger of %s did not move", id)
		}
	}
	if r.refs["refs/heads/"+branch] != "x" {
		t.Errorf("the branch is at %q", r.refs["refs/heads/"+branch])
	}
	apart("a branch that somebody moved", both[:1], &archive.Branch{Name: branch, Commit: "z", Expect: "y"})
	if err := a.Save(t.Context(), run); err != nil {
		t.Errorf("by itself, after that: %v", err)
	}

	r.single, r.together = true, 0
	apart("a forge that moves one ref at a time", both, nil)
	apart("the same forge again", both, nil)
	if r.together != 1 {
		t.Errorf("it was asked %d times", r.together)
	}
}
