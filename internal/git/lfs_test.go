package git

import (
	"strings"
	"testing"
)

func TestParsePointer(t *testing.T) {
	t.Parallel()
	oid := strings.Repeat("a1", 32)
	good := "version https://git-lfs.github.com/spec/v1\noid sha256:" + oid + "\nsize 12345\n"
	if p, ok := ParsePointer([]byte(good)); !ok || p.SHA256 != oid || p.Size != 12345 {
		t.Errorf("read %+v, %v", p, ok)
	}
	if p, ok := ParsePointer([]byte(strings.Replace(good, "oid", "ext-0-foo sha256:"+oid+"\noid", 1))); !ok || p.SHA256 != oid {
		t.Errorf("with an extension: %+v, %v", p, ok)
	}
	for _, bad := range []string{
		"", good + "more\n", "\n" + good, strings.TrimSuffix(good, "\n"), strings.Replace(good, "12345", "-1", 1), strings.Replace(good, "12345", "012", 1),
		strings.Replace(good, "sha256:a1", "sha256:A1", 1), strings.Replace(good, "v1", "v2", 1), strings.Replace(good, "12345", strings.Repeat("9", 30), 1),
		good + strings.Repeat("x", maxPointer),
	} {
		if p, ok := ParsePointer([]byte(bad)); ok {
			t.Errorf("%q is taken for a pointer: %+v", bad, p)
		}
	}
}

// FuzzParsePointer: a pointer has a hash and a size, whatever the text is.
func FuzzParsePointer(f *testing.F) {
	f.Add([]byte("version https://git-lfs.github.com/spec/v1\noid sha256:" + strings.Repeat("0", 64) + "\nsize 1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if p, ok := ParsePointer(data); ok && (len(p.SHA256) != 64 || p.Size < 0) {
			t.Fatalf("%q is read as %+v", data, p)
		}
	})
}
