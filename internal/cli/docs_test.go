package cli

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedCommands holds every command that the documents show to the
// program: the command exists, takes these flags and that many arguments.
func TestDocumentedCommands(t *testing.T) {
	t.Parallel()
	inline := regexp.MustCompile("`((?:[A-Z_]+=\\S+ )?warden [a-z][^`]*)`")
	shown := 0
	for _, name := range []string{"README.md", "SECURITY.md", "CONTRIBUTING.md", "docs/ARCHITECTURE.md", "docs/SETUP.md", "docs/SMOKE.md", "docs/WALKTHROUGH.md", "spec/SPEC.md"} {
		data, err := os.ReadFile("../../" + name)
		if err != nil {
			t.Fatal(err)
		}
		var lines []string
		for line := range strings.Lines(string(data)) {
			if code, ok := strings.CutPrefix(line, "    "); ok {
				lines = append(lines, strings.Replace(code, "go run ./cmd/warden", "warden", 1))
			}
			for _, m := range inline.FindAllStringSubmatch(line, -1) {
				lines = append(lines, m[1])
			}
		}
		for _, line := range lines {
			line, _, _ = strings.Cut(line, "#")
			if _, rest, ok := strings.Cut(line, "WARDEN_CONFIG_HOME="); ok {
				_, line, _ = strings.Cut(rest, " ")
			}
			words := split(line)
			if len(words) < 2 || words[0] != "warden" {
				continue
			}
			shown++
			check(t, name, words[1:])
		}
	}
	if shown < 12 {
		t.Fatalf("found %d commands in the documents: the check shows nothing", shown)
	}
}

func check(t *testing.T, name string, words []string) {
	t.Helper()
	root := (&app{}).root()
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	cmd, rest, err := root.Find(words)
	if err != nil || cmd == root && !strings.HasPrefix(words[0], "-") {
		t.Errorf("%s shows `warden %s`: no such command", name, strings.Join(words, " "))
		return
	}
	if err := cmd.ParseFlags(rest); err != nil {
		t.Errorf("%s shows `warden %s`: %v", name, strings.Join(words, " "), err)
	}
}

// split takes a command line apart at blanks outside double quotes.
func split(line string) []string {
	var out []string
	var word strings.Builder
	quoted, any := false, false
	for _, r := range strings.TrimSpace(line) + " " {
		switch {
		case r == '"':
			quoted, any = !quoted, true
		case r == ' ' && !quoted:
			if any {
				out = append(out, word.String())
			}
			word.Reset()
			any = false
		default:
			word.WriteRune(r)
			any = true
		}
	}
	return out
}
