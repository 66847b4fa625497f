package git

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// forge swaps one object id for another in an index and signs it again.
func forge(t *testing.T, r *repo, index []byte, from, to string) {
	t.Helper()
	a, err := hex.DecodeString(from)
	if err != nil {
		t.Fatal(err)
	}
	b, err := hex.DecodeString(to)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Count(index, a) != 1 {
		t.Fatalf("the index holds %s %d times", from, bytes.Count(index, a))
	}
	body := bytes.Replace(index[:len(index)-20], a, b, 1)
	if err := os.WriteFile(r.path(".git/index"), appendSHA1(body), 0o644); err != nil {
		t.Fatal(err)
	}
}

var (
	idA = strings.Repeat("a", 40)
	id0 = strings.Repeat("0", 40)
)

// FuzzParseStatus writes what git prints of two hostile paths and reads it back.
func FuzzParseStatus(f *testing.F) {
	f.Add("a.txt", "new")
	f.Add("with space", "? 1 .M N...")
	f.Add("new\nline\t\"", "# branch.oid")
	f.Add("\xff", "dir/")
	f.Fuzz(func(t *testing.T, changed, other string) {
		if strings.ContainsRune(changed+other, 0) || changed == "" || other == "" || other == "/" {
			return
		}
		out := "1 .M N... 100644 100644 100755 " + idA + " " + idA + " " + changed + "\x00? " + other + "\x00"
		s, err := parseStatus(out)
		if err != nil {
			t.Fatal(err)
		}
		want := status{tracked: []Change{{Path: changed, OldMode: regular, Mode: executable, Before: idA}}}
		if dir, ok := strings.CutSuffix(other, "/"); ok {
			want.nested = []string{dir}
		} else {
			want.others = []string{other}
		}
		if diff := cmp.Diff(want, s, cmp.AllowUnexported(status{})); diff != "" {
			t.Error(diff)
		}
	})
}

func TestParseStatusRefusesWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	for _, record := range []string{
		"u UU N... 100644 100644 100644 100644 a b c path", "2 R. N... 100644 100644 100644 " + idA + " " + idA + " R100 a",
		"1 M. N... 100644 100644 100644 " + idA + " " + idA + " a", "1 .M N... 100644", "! ignored", "garbage", "? ",
		"1 .M N... 10064x 100644 100644 " + idA + " " + idA + " a", "1 .M N... 100644 100644 100644 short " + idA + " a",
	} {
		if s, err := parseStatus(record + "\x00"); err == nil {
			t.Errorf("%q gave %+v", record, s)
		}
	}
}

// FuzzParseRaw holds that every record that is read is written back the same.
func FuzzParseRaw(f *testing.F) {
	f.Add([]byte(":100644 100755 " + idA + " " + id0 + " M\x00a\x00"))
	f.Add([]byte(":000000 120000 " + id0 + " " + idA + " A\x00a\nb\x00:100644 000000 " + idA + " " + id0 + " D\x00c\x00"))
	f.Add([]byte(":100644 100644 " + idA + " " + idA + " U\x00a\x00"))
	f.Add([]byte(":100644 100755"))
	f.Fuzz(func(t *testing.T, out []byte) {
		changes, err := parseRaw(out)
		if err != nil {
			return
		}
		if got := bytes.Count(out, []byte{0}); got != 2*len(changes) {
			t.Errorf("%d changes from %d NULs in %q", len(changes), got, out)
		}
		for _, c := range changes {
			if !bytes.Contains(out, []byte("\x00"+c.Path+"\x00")) || !strings.ContainsRune("AMDT", rune(c.Kind)) {
				t.Errorf("%+v from %q", c, out)
			}
		}
	})
}

// FuzzParseBatch reads what git prints of two contents back, and any garbage without a panic.
func FuzzParseBatch(f *testing.F) {
	f.Add([]byte("one\n"), []byte(""))
	f.Add([]byte(idA+" blob 3\nxyz\n"), []byte("\x00\xff"))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		entries := []TreeEntry{{Path: "a", ID: idA, Size: int64(len(a))}, {Path: "b", ID: id0, Size: int64(len(b))}}
		out := fmt.Appendf(nil, "%s blob %d\n%s\n%s blob %d\n%s\n", idA, len(a), a, id0, len(b), b)
		blobs, err := parseBatch(out, entries)
		if err != nil || !bytes.Equal(blobs[0], a) || !bytes.Equal(blobs[1], b) {
			t.Errorf("parseBatch = %q, %v", blobs, err)
		}
		if _, err := parseBatch(a, entries); err == nil {
			t.Errorf("%q was read as two contents", a)
		}
	})
}

func TestParseTreeEntry(t *testing.T) {
	t.Parallel()
	got, ok := parseTreeEntry("100644 blob " + idA + "      12\ta\tb c")
	if want := (TreeEntry{Path: "a\tb c", Mode: "100644", ID: idA, Size: 12}); !ok || got != want {
		t.Errorf("= %+v, %t", got, ok)
	}
	if got, ok := parseTreeEntry("160000 commit " + idA + "       -\tm"); !ok || got.Size != -1 || got.Regular() {
		t.Errorf("= %+v, %t", got, ok)
	}
	for _, bad := range []string{"", "100644 blob " + idA + " 12", "100644 blob x 12\ta", "100644 blob " + idA + " -1\ta", "100644 blob " + idA + "\ta"} {
		if got, ok := parseTreeEntry(bad); ok {
			t.Errorf("%q = %+v", bad, got)
		}
	}
}

func TestParseSettings(t *testing.T) {
	t.Parallel()
	got := parseSettings([]byte("core.autocrlf\ntrue\x00core.filemode\nFalse\x00core.autocrlf\ninput\x00core.excludesfile\n~/x\x00core.ignorecase\x00filter.B.x.clean\ncat\x00filter.a.smudge\ncat\x00filter.a.clean\ncat\x00filter.none\x00"))
	want := Settings{
		Core: []string{"core.autocrlf=input", "core.filemode=False", "core.ignorecase=true"}, ExcludesFile: "~/x", ObjectFormat: "sha1",
		filters: []string{"B.x", "a"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Settings{})); diff != "" {
		t.Error(diff)
	}
	if s := parseSettings(nil); !s.FileMode || s.ObjectFormat != "sha1" {
		t.Errorf("nothing set: %+v", s)
	}
}

// FuzzLineEnds holds the streaming conversion against the simple one, at every cut.
func FuzzLineEnds(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\n\r\r\n"), 3)
	f.Add([]byte("\r"), 0)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		cut = max(0, min(cut, len(data)))
		var out bytes.Buffer
		l := &lineEnds{to: &out}
		s := (&Judge{}).newSums(0)
		for _, part := range [][]byte{data[:cut], data[cut:]} {
			l.Write(part)
			s.Write(part)
		}
		l.flush()
		want := bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
		if !bytes.Equal(out.Bytes(), want) || s.crlf != int64(len(data)-len(want)) {
			t.Errorf("%q cut at %d: %q, %d CRLF", data, cut, out.Bytes(), s.crlf)
		}
	})
}

func appendSHA1(body []byte) []byte {
	sum := sha1.Sum(body)
	return append(body, sum[:]...)
}
