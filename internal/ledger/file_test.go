package ledger_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/ledger"
)

func TestWriteFile(t *testing.T) {
	t.Parallel()
	t.Run("LR-01 two stages of one role keep their own files", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		r := create(t, dir, "r1")
		first, second := ledger.StageDir("r1", "review", 0), ledger.StageDir("r1", "review second!", 0)
		if first == second {
			t.Fatalf("one directory for both: %s", first)
		}
		for _, d := range []string{first, second} {
			if _, err := r.WriteFile(d+"/raw/reviewer.stdout.txt", []byte("by "+d)); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := r.WriteFile(first+"/raw/reviewer.stdout.txt", []byte("later")); !errors.Is(err, ledger.ErrExists) {
			t.Errorf("overwriting: got %v, want ErrExists", err)
		}
		if got := readFile(t, dir, first, "raw/reviewer.stdout.txt"); string(got) != "by "+first {
			t.Errorf("got %q", got)
		}
	})
	t.Run("a named file stays after a restart", func(t *testing.T) {
		t.Parallel()
		dir := t.TempDir()
		r := create(t, dir, "r1")
		play(t, r, sampleSteps()[:4])
		orphan := "r1--gates-0/machine-gate.json"
		if _, err := r.WriteFile(orphan, []byte("half a stage")); err != nil {
			t.Fatal(err)
		}
		r.Close()
		again, err := ledger.Open(dir, "r1", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer again.Close()
		if _, err := again.WriteFile("r1--implementer-0/artifacts/implementer.json", []byte("x")); !errors.Is(err, ledger.ErrExists) {
			t.Errorf("a named file: got %v, want ErrExists", err)
		}
		if v := mustVerify(t, dir, "r1", ""); len(v.Extra) != 1 || v.Extra[0] != orphan {
			t.Errorf("extra %v, want %s", v.Extra, orphan)
		}
		f, err := again.WriteFile(orphan, []byte("whole"))
		if err != nil || string(readFile(t, dir, orphan)) != "whole" {
			t.Errorf("an orphan was not replaced: %v", err)
		}
		if got, err := again.ReadFile(f); err != nil || string(got) != "whole" {
			t.Errorf("read back %q, %v", got, err)
		}
	})
	t.Run("SE-05 a name that leads elsewhere", func(t *testing.T) {
		t.Parallel()
		root := t.TempDir()
		dir := filepath.Join(root, "runs")
		r := create(t, dir, "r1")
		for _, rel := range []string{"", "r1", "r1/", "../x/y", "r1/../../x", "/r1/x", "r2/x", "r1-x/y", "r1--x/y", "r1--/y", "r1--x-y/z",
			`r1/a\b`, "r1/.hidden", "r1/a//b", "r1/run.json", "r1/evidence.jsonl", "r1/decision.json", "r1/decision.json.lock",
			"r1/a\nb", "r1/a b", "r1/-x", "r1--../x", "r1--A-0/x", "r1/" + strings.Repeat("a", 400)} {
			if _, err := r.WriteFile(rel, []byte("x")); !errors.Is(err, ledger.ErrUnsafePath) {
				t.Errorf("%q: got %v, want ErrUnsafePath", rel, err)
			}
		}
		for name := range files(t, root) {
			if !strings.HasPrefix(name, filepath.Join(dir, "r1")+"/") {
				t.Errorf("created %s", name)
			}
		}
	})
	t.Run("links are not followed", func(t *testing.T) {
		t.Parallel()
		dir, outside := t.TempDir(), t.TempDir()
		r := create(t, dir, "r1")
		for _, name := range []string{"r1/context", "r1--gates-0"} {
			if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
			if _, err := r.WriteFile(name+"/x.json", []byte("x")); err == nil {
				t.Errorf("wrote through %s", name)
			}
		}
		if got := files(t, outside); len(got) != 0 {
			t.Errorf("created %v", got)
		}
	})
}

func TestSecretsAreTakenOutBeforeHashing(t *testing.T) {
	t.Parallel()
	const secret = "tr0ub4dor&3-of-the-forge"
	dir := t.TempDir()
	h := head("r1")
	h.Branch = "warden/" + secret
	r, err := ledger.Create(dir, h, set(t, secret))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := r.WriteFile("r1--implementer-0/raw/implementer.stdout.txt", []byte("key="+secret+" and again "+secret))
	if err != nil || f.Redacted != 2 {
		t.Fatalf("redacted %d, %v", f.Redacted, err)
	}
	line, err := r.Append(ledger.TypeNote, newClock().tick(), ledger.Note{Text: `"` + secret + `" ghp_` + strings.Repeat("a1", 18)}, f)
	if err != nil || line.Redacted != 2 {
		t.Fatalf("redacted %d, %v", line.Redacted, err)
	}
	for name, content := range files(t, dir) {
		if set(t, secret).Find([]byte(content)) {
			t.Errorf("%s holds the secret", name)
		}
	}
	if v := mustVerify(t, dir, "r1", r.Head()); v.Redacted != 4 {
		t.Errorf("counted %d places, want 4", v.Redacted)
	}
	if err := r.WriteProjection("report.json", []byte("x "+secret)); err == nil {
		t.Error("a summary with a secret was written")
	}
	if !bytes.Contains(readFile(t, dir, "r1/run.json"), []byte("warden/[redacted]")) {
		t.Error("run.json was not redacted")
	}
}

func TestWriteProjection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := create(t, dir, "r1")
	for _, text := range []string{"one", "two"} {
		if err := r.WriteProjection("decision.json", []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if got := readFile(t, dir, "r1/decision.json"); string(got) != "two" {
		t.Errorf("got %q", got)
	}
	for _, name := range []string{"run.json", "evidence.jsonl", "../x", "other.json", ""} {
		if err := r.WriteProjection(name, []byte("x")); !errors.Is(err, ledger.ErrUnsafePath) {
			t.Errorf("%q: got %v, want ErrUnsafePath", name, err)
		}
	}
}
