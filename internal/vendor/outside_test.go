package vendor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/outcome"
)

// What a vendor's program starts by a name is not what the candidate brought: not
// its interpreter in any role, and nothing at all for one that judges.
func TestNamesAreNotFoundInTheTree(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, dir := range []string{".git", "bin"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	marker := filepath.Join(t.TempDir(), "marker")
	for _, name := range []string{"tr", "runtime"} {
		body := "#!/bin/sh\ntouch " + marker + "\nprintf '%s\\n' '" + reviewerAnswer + "'\n"
		if err := os.WriteFile(filepath.Join(root, "bin", name), []byte(body), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	with := func(first string) []string {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "stub"), []byte(first+"\nprintf '%s\\n' '"+reviewerAnswer+"' | tr -d '\\0'\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		return []string{"PATH=" + filepath.Join(root, "bin") + ":" + dir + ":/usr/bin:/bin"}
	}
	wantCode(t, call(t, Call{Profile: stubProfile(), Dir: root, Env: with("#!/bin/sh")}), outcome.OK)
	got := call(t, Call{Profile: stubProfile(), Dir: root, Env: with("#!/usr/bin/env runtime")})
	wantCode(t, got, outcome.RoleCommandFailed)
	if !strings.Contains(got.Detail, "interpreter") {
		t.Errorf("the refusal says %q", got.Detail)
	}
	if _, err := os.Stat(marker); !os.IsNotExist(err) {
		t.Error("a program of the tree ran")
	}
	// The control: elsewhere the same PATH is used as it is.
	call(t, Call{Profile: stubProfile(), Dir: t.TempDir(), Env: with("#!/bin/sh")})
	if _, err := os.Stat(marker); err != nil {
		t.Errorf("the control did not run: %v", err)
	}
}
