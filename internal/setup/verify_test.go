package setup

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tolboy/warden/internal/policy"
)

const proven = `# why this profile is as it is
version: 1
profile: p
role: reviewer
vendor: v
command: sh   # a comment behind
verification:
    # the probe costs nothing
    probe: PROBE
    expect: "391"
    what_to_check: [x]
notes: kept
`

// verified runs a profile whose probe is a shell line.
func verified(t *testing.T, home, probe string) Verification {
	t.Helper()
	file := filepath.Join(home, "profiles", "p.yaml")
	if _, err := os.Stat(file); err != nil {
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(strings.Replace(proven, "PROBE", "'"+probe+"'", 1)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.ParseProfile(file, "p", data)
	if err != nil {
		t.Fatal(err)
	}
	v, err := Verify(t.Context(), VerifyRequest{Home: home, Profile: p, Environ: os.Environ(), Now: time.Unix(1_800_000_000, 0), Limit: 3 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// CF-14, CF-15: a probe that fails is told apart by what to do about it, its
// transcript is kept, and nothing is stamped.
func TestFailedProbes(t *testing.T) {
	t.Parallel()
	advised := map[string]string{}
	for name, c := range map[string]struct{ probe, want string }{
		"CF-15 the CLI is too old":            {`echo "this model requires a newer version of the CLI" >&2; exit 1`, "newer version of the CLI"},
		"CF-15 not logged in":                 {`echo "Not logged in. Please run login." >&2; exit 1`, "not logged in"},
		"CF-15 ended by the time limit":       {`exec sleep 60`, "time limit"},
		"CF-15 anything else":                 {`echo "unknown option --frobnicate" >&2; exit 2`, "correct the profile"},
		"CF-14 an end without an answer":      {`true`, "did not print the expected"},
		"CF-14 a refused tool and no answer":  {`echo "{\"type\":\"result\",\"is_error\":false,\"result\":\"\"}"`, "did not print the expected"},
		"CF-14 the answer and a failing exit": {`echo 391; exit 1`, "correct the profile"},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			v := verified(t, home, c.probe)
			if v.OK || v.Code != ProbeFailed || v.ProbeOK || v.Stamped || !strings.Contains(v.Message, c.want) {
				t.Errorf("verification %+v, want advice with %q", v, c.want)
			}
			kept, err := os.ReadFile(filepath.Join(home, "verification", "p.txt"))
			if err != nil || !strings.Contains(string(kept), "exit status") || v.Transcript != filepath.Join(home, "verification", "p.txt") {
				t.Errorf("transcript %q, %v", kept, err)
			}
			data, err := os.ReadFile(filepath.Join(home, "profiles", "p.yaml"))
			if err != nil || strings.Contains(string(data), "verified_on") {
				t.Errorf("stamped: %s, %v", data, err)
			}
			if strings.HasPrefix(name, "CF-15") {
				advised[c.want] = v.Message
			}
		})
	}
	seen := map[string]bool{}
	for _, message := range advised {
		seen[message] = true
	}
	if len(seen) != 4 {
		t.Errorf("four failures get %d pieces of advice: %v", len(seen), advised)
	}
}

// CF-15: the stamp is one line in a file that is otherwise as it was, and proving
// again puts no second one.
func TestStamp(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	v := verified(t, home, "echo 391")
	if !v.OK || v.Code != Verified || !v.Stamped || v.VerifiedOn != "2027-01-15" {
		t.Fatalf("verification %+v", v)
	}
	file := filepath.Join(home, "profiles", "p.yaml")
	once, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before := strings.Replace(proven, "PROBE", "'echo 391'", 1)
	if got := strings.Replace(string(once), "    verified_on: \"2027-01-15\"\n", "", 1); got != before || string(once) == before {
		t.Errorf("the file became\n%s", once)
	}
	again := verified(t, home, "echo 391")
	twice, err := os.ReadFile(file)
	if err != nil || again.OK || again.Code != AlreadyVerified || again.Stamped || string(twice) != string(once) {
		t.Errorf("proven again: %+v, %v\n%s", again, err, twice)
	}
}
