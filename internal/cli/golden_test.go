package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/corpus"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/plain"
	"github.com/tolboy/warden/internal/report"
)

// TestGoldenLedgers: what earlier versions wrote verifies, is reported and is counted
// as it was. The ledgers are in testdata/ledgers, a corpus for each version, with what
// was counted in them beside it; scripts/golden writes those of a version once.
func TestGoldenLedgers(t *testing.T) {
	t.Parallel()
	versions, err := filepath.Glob("testdata/ledgers/*.json")
	if err != nil || len(versions) == 0 {
		t.Fatalf("no ledgers: %v", err)
	}
	for _, name := range versions {
		dir := strings.TrimSuffix(name, ".json")
		t.Run(filepath.Base(dir), func(t *testing.T) {
			t.Parallel()
			addsUp(t, dir, name)
			endings := map[string]bool{}
			for _, shelf := range shelves(t, dir) {
				ids, err := ledger.Runs(shelf)
				if err != nil {
					t.Fatal(err)
				}
				for _, id := range ids {
					endings[golden1(t, shelf, id)] = true
				}
			}
			if len(endings) < 40 {
				t.Errorf("%d kinds of ending: %v", len(endings), endings)
			}
		})
	}
}

// addsUp compares the sums with what they were.
func addsUp(t *testing.T, dir, expected string) {
	t.Helper()
	n, err := corpus.At(dir).Read("", metrics.Index{})
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(n)
	if err != nil {
		t.Fatal(err)
	}
	want := decoded(t, content(t, expected))
	delete(want.(map[string]any), "corpus") // where it lay
	holds(t, "sums", want, decoded(t, got))
	if !n.Complete || n.RunCount < 40 || n.Copies != 0 {
		t.Errorf("%d runs, complete %v, %d copies, unverified %v", n.RunCount, n.Complete, n.Copies, n.Unverified)
	}
}

func shelves(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no runs in %s: %v", dir, err)
	}
	return found
}

// golden1 verifies and reports one run, and returns how it ended.
func golden1(t *testing.T, shelf, id string) string {
	t.Helper()
	h, err := ledger.Read(shelf, id)
	if err != nil {
		t.Fatal(err)
	}
	v, err := ledger.Verify(shelf, id, h.Head(), ledger.VerifyOptions{Published: true, Projections: report.Projections()})
	if err != nil || !v.OK || len(v.Newer) > 0 {
		t.Errorf("%s/%s: %s: %s: %v", shelf, id, v.Code, v.First, err)
	}
	r := report.Build(h)
	if r.Incomplete != "" {
		t.Errorf("%s/%s: the report is not complete: %s", shelf, id, r.Incomplete)
	}
	raw, err := report.Projection(h)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(shelf, id, report.FileName)); err == nil { // a run that a job made has none
		holds(t, id+"/report.json", decoded(t, content(t, shelf, id, report.FileName)), decoded(t, raw))
	}
	page, err := report.HTML(r, shelf, nil)
	if err != nil || len(page) == 0 || !strings.Contains(report.Text(r, shelf, plain.Terminal), id) || !strings.Contains(string(page), id) {
		t.Errorf("%s/%s: the report cannot be shown: %v", shelf, id, err)
	}
	return string(r.Reason)
}

// TestGoldenLedgersAreCompared: one that says something else is not taken for what it
// was.
func TestGoldenLedgersAreCompared(t *testing.T) {
	t.Parallel()
	versions, _ := filepath.Glob("testdata/ledgers/*.json")
	if len(versions) == 0 {
		t.Fatal("no ledgers")
	}
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(strings.TrimSuffix(versions[0], ".json"))); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, shelf := range shelves(t, dir) {
		ids, err := ledger.Runs(shelf)
		if err != nil {
			t.Fatal(err)
		}
		for _, id := range ids {
			name := filepath.Join(shelf, id, "evidence.jsonl")
			data := content(t, name)
			data[len(data)/2] ^= 1
			if err := os.WriteFile(name, data, 0o644); err != nil {
				t.Fatal(err)
			}
			if v, err := ledger.Verify(shelf, id, "", ledger.VerifyOptions{Published: true}); err != nil || v.OK {
				t.Errorf("%s: %s, %v", name, v.Code, err)
			}
			n++
		}
	}
	if sums, err := corpus.At(dir).Read("", metrics.Index{}); err != nil || len(sums.Unverified) != n || sums.Complete {
		t.Errorf("%d of %d are in no sum: %v", len(sums.Unverified), n, err)
	}
}

func content(t *testing.T, parts ...string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func decoded(t *testing.T, data []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// holds asserts that got has every key of want, with its value. New ones may be there.
func holds(t *testing.T, where string, want, got any) {
	t.Helper()
	switch want := want.(type) {
	case map[string]any:
		have, _ := got.(map[string]any)
		for key, v := range want {
			if _, there := have[key]; !there {
				t.Errorf("%s: the key %q is gone", where, key)
				continue
			}
			holds(t, where+"."+key, v, have[key])
		}
	case []any:
		have, _ := got.([]any)
		if len(have) != len(want) {
			t.Errorf("%s: %d entries, want %d", where, len(have), len(want))
			return
		}
		for i, v := range want {
			holds(t, fmt.Sprintf("%s.%d", where, i), v, have[i])
		}
	default:
		if !reflect.DeepEqual(want, got) && !strings.HasSuffix(where, ".from") {
			t.Errorf("%s: %v, want %v", where, got, want)
		}
	}
}
