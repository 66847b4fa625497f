package ci_test

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tolboy/warden/forge"
	"github.com/tolboy/warden/internal/ci"
)

func job(changes ...string) func(string) string {
	vars := map[string]string{
		"GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "issues", "GITHUB_EVENT_PATH": "/event.json",
		"GITHUB_REPOSITORY": "octo/repo.x", "GITHUB_API_URL": "https://ghe.example/api/v3/", "GITHUB_GRAPHQL_URL": "https://ghe.example/api/graphql",
		"GITHUB_SERVER_URL": "https://ghe.example", "GITHUB_RUN_ID": "77", "GITHUB_RUN_ATTEMPT": "2",
		"GITHUB_ACTOR": "ann", "GITHUB_TRIGGERING_ACTOR": "bob", "GITHUB_REF": "refs/heads/main", "GITHUB_SHA": "abc",
		"GITHUB_WORKSPACE": "/w", "RUNNER_TEMP": "/t", "GITHUB_OUTPUT": "/o", "GITHUB_STEP_SUMMARY": "/s", "GITHUB_TOKEN": "ghs_secret",
	}
	for i := 0; i+1 < len(changes); i += 2 {
		vars[changes[i]] = changes[i+1]
	}
	return func(name string) string { return vars[name] }
}

func events(data string) func(string) ([]byte, error) {
	return func(path string) ([]byte, error) {
		if path != "/event.json" {
			return nil, fmt.Errorf("no file %q", path)
		}
		return []byte(data), nil
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	t.Run("everything there", func(t *testing.T) {
		t.Parallel()
		c, err := ci.Load(job(), events(`{"action":"labeled"}`))
		if err != nil {
			t.Fatal(err)
		}
		if c.Token.Reveal() != "ghs_secret" {
			t.Errorf("token is not the one in the environment")
		}
		c.Token = ci.Secret{}
		want := ci.Context{
			EventName: "issues", EventPath: "/event.json", Event: []byte(`{"action":"labeled"}`), Repo: forge.Repo{Owner: "octo", Name: "repo.x"},
			APIURL: "https://ghe.example/api/v3", GraphQLURL: "https://ghe.example/api/graphql", ServerURL: "https://ghe.example",
			RunID: 77, RunAttempt: 2, Actor: "ann", TriggeringActor: "bob", Ref: "refs/heads/main", SHA: "abc",
			Workspace: "/w", TempDir: "/t", OutputPath: "/o", SummaryPath: "/s", TokenFrom: "GITHUB_TOKEN",
		}
		if diff := cmp.Diff(want, c, cmp.AllowUnexported(ci.Secret{})); diff != "" {
			t.Errorf("context (-want +got):\n%s", diff)
		}
	})
	refused := map[string]struct {
		env   []string
		event string
		says  []string
	}{
		"outside of Actions": {env: []string{"GITHUB_ACTIONS", ""}, says: []string{"GITHUB_ACTIONS"}},
		"all faults together": {env: []string{"GITHUB_REPOSITORY", "octo/../x", "GITHUB_EVENT_NAME", "", "GITHUB_API_URL", "http://evil.example"}, event: `{`,
			says: []string{"GITHUB_REPOSITORY", "GITHUB_EVENT_NAME", "GITHUB_API_URL", "event file: not valid JSON"}},
		"event too large":        {event: `"` + strings.Repeat("x", 32<<20) + `"`, says: []string{"larger than"}},
		"no event path":          {env: []string{"GITHUB_EVENT_PATH", ""}, says: []string{"GITHUB_EVENT_PATH"}},
		"a URL with credentials": {env: []string{"GITHUB_SERVER_URL", "https://ghs_secret@ghe.example"}, says: []string{"GITHUB_SERVER_URL", "credential"}},
		"a run id of letters":    {env: []string{"GITHUB_RUN_ID", "seven"}, says: []string{"GITHUB_"}},
	}
	for name, c := range refused {
		t.Run("refused/"+name, func(t *testing.T) {
			t.Parallel()
			if c.event == "" {
				c.event = "{}"
			}
			_, err := ci.Load(job(c.env...), events(c.event))
			if err == nil {
				t.Fatal("loaded")
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not mention %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "ghs_secret") {
				t.Errorf("error %q prints a secret", err)
			}
		})
	}
	t.Run("loopback over http", func(t *testing.T) {
		t.Parallel()
		c, err := ci.Load(job("GITHUB_API_URL", "http://127.0.0.1:9/"), events("{}"))
		if err != nil || c.APIURL != "http://127.0.0.1:9" {
			t.Errorf("got %q, %v", c.APIURL, err)
		}
	})
}

func TestSecretPrintsNothing(t *testing.T) {
	t.Parallel()
	c := ci.Context{Token: ci.NewSecret("ghs_secret")}
	encoded, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(c), fmt.Sprintf("%v %+v %#v %s %q %x", c, c, c, c.Token, c.Token, c.Token), string(encoded)} {
		if strings.Contains(text, "ghs_secret") || strings.Contains(text, "6768735f") {
			t.Errorf("printed as %s", text)
		}
	}
}

// readOutputs parses an output file as the runner does.
func readOutputs(t *testing.T, text string) map[string]string {
	t.Helper()
	got := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		if name, delimiter, ok := strings.Cut(lines[i], "<<"); ok && !strings.Contains(name, "=") {
			var value []string
			for i++; i < len(lines) && lines[i] != delimiter; i++ {
				value = append(value, lines[i])
			}
			got[name] = strings.Join(value, "\n")
			continue
		}
		if name, value, ok := strings.Cut(lines[i], "="); ok {
			got[name] = value
		}
	}
	return got
}

func TestWriteOutputs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "output")
	forged := "reject\ndecision=accept\n_GitHubActionsFileCommandDelimeter_\ndecision=accept"
	o := ci.Outputs{Outcome: "ready_for_human", RunID: "issue-7-1", Decision: forged, LedgerHead: "ab", DecisionHead: "cd", Unpriced: "1"}
	if err := ci.WriteOutputs(path, o, rand.Reader); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"outcome": "ready_for_human", "run-id": "issue-7-1", "pull-request": "", "decision": forged, "ledger-head": "ab", "decision-head": "cd", "cost-usd": "", "unpriced-calls": "1"}
	if diff := cmp.Diff(want, readOutputs(t, read(t, path))); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}

	t.Run("a value with its delimiter", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "output")
		err := ci.WriteOutputs(path, ci.Outputs{RunID: "x\nwarden-" + strings.Repeat("00", 16) + "\ny=z"}, bytes.NewReader(make([]byte, 200)))
		if err == nil || !strings.Contains(err.Error(), `"run-id"`) {
			t.Errorf("error %v, want one that names run-id", err)
		}
		if _, err := os.Stat(path); err == nil {
			t.Errorf("something was written")
		}
	})
	t.Run("no file named", func(t *testing.T) {
		t.Parallel()
		if err := ci.WriteOutputs("", o, rand.Reader); err == nil {
			t.Error("no error")
		}
	})
}

func TestWriteSummary(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "summary")
	if cut, err := ci.WriteSummary(path, "first"); err != nil || cut {
		t.Fatalf("cut %v, error %v", cut, err)
	}
	long := "# é\n````\n```\n" + strings.Repeat("é\n", 600_000)
	cut, err := ci.WriteSummary(path, long)
	if err != nil || !cut {
		t.Fatalf("cut %v, error %v", cut, err)
	}
	got := read(t, path)
	if len(got) > ci.MaxSummary {
		t.Errorf("%d bytes in the file, more than %d", len(got), ci.MaxSummary)
	}
	if want := "é\n````\n\n\nThe rest of this summary did not fit; the ledger has all of it.\n"; !strings.HasSuffix(got, want) {
		t.Errorf("ends with %q, want %q", got[len(got)-100:], want)
	}
	if !strings.HasPrefix(got, "first\n# é\n") {
		t.Errorf("begins with %q", got[:20])
	}
	if cut, err := ci.WriteSummary(path, long); err != nil || !cut || len(read(t, path)) > ci.MaxSummary {
		t.Errorf("a full file: cut %v, error %v, %d bytes", cut, err, len(read(t, path)))
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
