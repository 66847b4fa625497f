package spec_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/provoked"
)

// provokedTables are the sets of SPEC.md of which the tests of the real program
// must have brought about every member.
var provokedTables = []string{
	"codes: outcome", "codes: reasons", "codes: kinds", "codes: ledger-types", "codes: verify", "codes: decision",
	"codes: roster", "codes: independence", "codes: cli", "codes: land", "codes: profile-verify",
}

// TestEveryCodeIsProvoked counts what the real program printed and wrote in the
// tests before this one, never its source. scripts/test runs it last. What is
// missing must stand in testdata/unprovoked.txt, and nothing else may.
func TestEveryCodeIsProvoked(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("WARDEN_PROVOKED_COUNT")
	if dir == "" {
		t.Skip("scripts/test counts codes when every other test has run")
	}
	said, err := provoked.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("testdata/unprovoked.txt")
	if err != nil {
		t.Fatal(err)
	}
	var known, missing []string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			known = append(known, line)
		}
	}
	d, total := load(t), 0
	want := func(kind, table string, names []string) {
		for _, name := range names {
			total++
			if !said[kind+":"+name] {
				missing = append(missing, table+" "+name)
			}
		}
	}
	for _, table := range provokedTables {
		want("word", table, d.codes(t, table))
	}
	printed := jsonKeys(t) // the list behind the mark names commands and words too
	want("key", "json-keys", slices.DeleteFunc(unique(words(d.after(t, "json-keys"))), func(w string) bool { return !slices.Contains(printed, w) }))
	t.Logf("%d of %d codes and keys were brought about by the real program", total-len(missing), total)
	for _, m := range missing {
		if !slices.Contains(known, m) {
			t.Errorf("no test of the real program brings about %s", m)
		}
	}
	for _, k := range known {
		if !slices.Contains(missing, k) {
			t.Errorf("testdata/unprovoked.txt names %s, which is brought about, or is no code", k)
		}
	}
}
