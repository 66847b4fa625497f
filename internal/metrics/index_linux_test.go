package metrics_test

import (
	"crypto/sha256"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/metrics"
	"github.com/tolboy/warden/internal/outcome"
)

// shelf is a directory of runs of every kind, with an index that remembers them, as of
// an hour from now.
func shelf(t testing.TB) (runs string, x metrics.Index) {
	t.Helper()
	runs, x = t.TempDir(), metrics.Index{Dir: filepath.Join(t.TempDir(), "counted"), Maker: "this", Now: time.Now().Add(time.Hour)}
	zero := priced("z", 0, 0, 0, 0)
	lay(t, runs, "r1", ordinary("r1")...)
	lay(t, runs, "r2", start, dispatch("reviewer", silent("a"), zero), event{ledger.TypeRoleFailover, ledger.RoleFailover{}}, stopped(outcome.QuotaExhausted),
		event{ledger.TypeDecisionPending, ledger.DecisionPending{Kind: "failure", Options: []string{"retry", "abort"}}})
	lay(t, runs, "r3", start, calling("b", "implementer"), event{"a_new_event", map[string]string{}})
	lay(t, runs, "r4", event{ledger.TypeRunReserved, ledger.RunReserved{Preparation: true}}, event{ledger.TypeStopped, ledger.Ending{OK: true, Code: outcome.Prepared}})
	lay(t, runs, "torn", start)
	spoil(t, "}\n", "}\n{\"seq\"", runs, "torn", "evidence.jsonl")
	put(t, nil, runs, "gates-1", "raw", "out.txt")
	return runs, x
}

func indexed(t testing.TB, runs string, x metrics.Index) metrics.Ledger {
	t.Helper()
	l, err := metrics.ReadAll([]metrics.Source{{RunsDir: runs, Index: x}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestIndex holds what is remembered to what the ledgers say.
func TestIndex(t *testing.T) {
	t.Parallel()
	t.Run("the numbers are those without it", func(t *testing.T) {
		t.Parallel()
		runs, x := shelf(t)
		want := readAll(t, runs)
		for _, when := range []string{"when it is written", "when it is read"} {
			same(t, when, want, indexed(t, runs, x))
		}
		if want.Metrics.Telemetry.CostUSD.Known == 0 || want.Metrics.Telemetry.CostUSD.Unknown == 0 || want.Metrics.Iterations.Failovers != 1 {
			t.Fatalf("these runs show too little: %+v", want.Metrics)
		}
	})
	t.Run("it is used, for the runs that verified", func(t *testing.T) {
		t.Parallel()
		runs, x := shelf(t)
		indexed(t, runs, x)
		if n := metrics.Forge(x, runs); n != 4 {
			t.Fatalf("%d runs are remembered, want 4: neither one that is torn nor one without a ledger", n)
		}
		if got := indexed(t, runs, x).Metrics.Iterations.Failovers; got != 4*90 {
			t.Errorf("%d failovers: a run of which nothing changed was read again", got)
		}
	})
	for name, change := range map[string]func(t *testing.T, runs string, x *metrics.Index){
		"another line": func(t *testing.T, runs string, _ *metrics.Index) {
			lay(t, runs, "r1", start, dispatch("reviewer", priced("n", 9, 9, 9, 9)), ready)
		},
		"a byte, in a file as old and as long as before": func(t *testing.T, runs string, _ *metrics.Index) {
			name := filepath.Join(runs, "r1", "evidence.jsonl")
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			spoil(t, `"cost_usd":0.25`, `"cost_usd":0.75`, name)
			if err := os.Chtimes(name, info.ModTime(), info.ModTime()); err != nil {
				t.Fatal(err)
			}
		},
		"another head": func(t *testing.T, runs string, _ *metrics.Index) {
			spoil(t, `"task_id":"t"`, `"task_id":"u"`, runs, "r1", "run.json")
		},
		"a run that is gone": func(t *testing.T, runs string, _ *metrics.Index) {
			if err := os.RemoveAll(filepath.Join(runs, "r1")); err != nil {
				t.Fatal(err)
			}
		},
		"a link in the place of a run": func(t *testing.T, runs string, _ *metrics.Index) {
			away := filepath.Join(t.TempDir(), "r1")
			if err := os.Rename(filepath.Join(runs, "r1"), away); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(away, filepath.Join(runs, "r1")); err != nil {
				t.Fatal(err)
			}
		},
		"another run under the name": func(t *testing.T, runs string, _ *metrics.Index) {
			for _, step := range [][2]string{{"r1", "r9"}, {"r2", "r1"}} {
				if err := os.Rename(filepath.Join(runs, step[0]), filepath.Join(runs, step[1])); err != nil {
					t.Fatal(err)
				}
			}
		},
	} {
		t.Run("what changed is read again: "+name, func(t *testing.T) {
			t.Parallel()
			runs, x := shelf(t)
			before := indexed(t, runs, x)
			change(t, runs, &x)
			want := readAll(t, runs)
			if cmp.Equal(string(encode(t, before)), string(encode(t, want))) {
				t.Fatal("nothing changed")
			}
			same(t, "numbers", want, indexed(t, runs, x))
			same(t, "numbers, once more", want, indexed(t, runs, x))
		})
	}
	t.Run("another program, a moment too early, and a broken index remember nothing", func(t *testing.T) {
		t.Parallel()
		runs, x := shelf(t)
		want := readAll(t, runs)
		early := x
		early.Now = time.Now()
		indexed(t, runs, early)
		if n := metrics.Forge(x, runs); n != 0 {
			t.Errorf("%d runs were remembered that could have changed in the same moment", n)
		}
		indexed(t, runs, x)
		metrics.Forge(x, runs)
		name := filepath.Join(x.Dir, metrics.IndexName(runs))
		good := []byte(content(t, name)) // before another program writes its own
		other := x
		other.Maker = "another"
		same(t, "of another program", want, indexed(t, runs, other))
		for at := 0; at < len(good); at += 7 {
			bad := append([]byte{}, good...)
			bad[at] ^= 0x41
			put(t, bad, name)
			same(t, "broken", want, indexed(t, runs, x))
		}
		put(t, good[:len(good)/2], name)
		same(t, "cut off", want, indexed(t, runs, x))
	})
	t.Run("where it cannot be kept the numbers are the same", func(t *testing.T) {
		t.Parallel()
		runs, x := shelf(t)
		put(t, []byte("a file"), x.Dir)
		same(t, "numbers", readAll(t, runs), indexed(t, runs, x))
	})
}

// FuzzIndex holds reading an index to what it may not do: fail in another way than by
// remembering nothing, or take what it would not write.
func FuzzIndex(f *testing.F) {
	runs, x := shelf(f)
	indexed(f, runs, x)
	whole := []byte(content(f, x.Dir, metrics.IndexName(runs)))
	f.Add(whole[sha256.Size:])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		sum := sha256.Sum256(data)
		n, again := metrics.Unpacked(append(sum[:], data...), x.Maker, runs)
		if m, _ := metrics.Unpacked(again, x.Maker, runs); m != n {
			t.Errorf("%d runs became %d", n, m)
		}
	})
}
