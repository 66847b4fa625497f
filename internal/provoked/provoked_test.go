package provoked_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/tolboy/warden/internal/provoked"
)

func TestWhatWasSaidIsKept(t *testing.T) {
	dir, root := t.TempDir(), t.TempDir()
	t.Setenv(provoked.Env, dir)
	if err := provoked.Note([]byte(`{"code":"all_done","runs":[{"why":"role_not_configured:x"}]}` + "\n{\"next\":2}\nno JSON {\"lost\":1}")); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a/chain.jsonl": "{\"type\":\"run_reserved\"}\n{\"type\":\"A sentence.\"}\n", "a/notes.txt": `{"type":"text"}`} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := provoked.Tree(root); err != nil {
		t.Fatal(err)
	}
	said, err := provoked.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"key:code", "key:why", "key:next", "key:type", "word:all_done", "word:role_not_configured", "word:run_reserved"} {
		if !said[want] {
			t.Errorf("%s was not kept: %v", want, said)
		}
	}
	for _, not := range []string{"key:lost", "word:text", "word:code", "key:all_done"} {
		if said[not] {
			t.Errorf("%s was kept", not)
		}
	}
}
