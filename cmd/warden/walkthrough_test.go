package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/cli"
)

// verified is what `warden verify` says of a ledger, with its exit status.
func verified(t *testing.T, args ...string) (status int, code, sealed string) {
	t.Helper()
	var out, said bytes.Buffer
	status = cli.Main(append([]string{"verify"}, args...), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, strings.NewReader(""), &out, &said)
	var v struct {
		Code   string `json:"code"`
		Sealed string `json:"sealed_head"`
	}
	if err := json.Unmarshal(out.Bytes(), &v); err != nil {
		t.Fatalf("verify %v: %v: %s%s", args, err, out.Bytes(), said.Bytes())
	}
	return status, v.Code, v.Sealed
}

// TestWalkthrough holds the page that a script makes to the ledgers that it was
// made from: they verify, their heads are the ones that the page shows, and a letter
// that is changed is seen.
func TestWalkthrough(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/WALKTHROUGH.md")
	if err != nil {
		t.Fatal(err)
	}
	runs := "../../examples/demo/runs"
	for _, id := range []string{"issue-1-1", "issue-1-2"} {
		shown := regexp.MustCompile(`"run_id":"` + id + `"[^}]*"ledger_head":"([0-9a-f]{64})"`).FindSubmatch(page)
		if shown == nil {
			t.Fatalf("the page shows no head of %s", id)
		}
		status, code, sealed := verified(t, id, "--runs-dir", runs, "--published", "--against", string(shown[1]))
		if status != 0 || code != "verified_to_anchor" || sealed != string(shown[1]) {
			t.Errorf("%s: status %d, %s, sealed at %s, the page shows %s", id, status, code, sealed, shown[1])
		}
	}
	copied := t.TempDir()
	if out, err := exec.Command("cp", "-R", runs+"/.", copied).CombinedOutput(); err != nil {
		t.Fatalf("copy: %v: %s", err, out)
	}
	file := filepath.Join(copied, "issue-1-1--reviewer-1", "role-reviewer.json")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.Replace(text, []byte("pass"), []byte("fail"), 1), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, code, _ := verified(t, "issue-1-1", "--runs-dir", copied, "--published"); status != 1 || code != "ledger_altered" {
		t.Errorf("a changed verdict: status %d, %s", status, code)
	}
}
