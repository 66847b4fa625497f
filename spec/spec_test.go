package spec_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/draft"
	"github.com/tolboy/warden/internal/ledger"
	"github.com/tolboy/warden/internal/outcome"
	"github.com/tolboy/warden/spec"
)

func readFile(fsys fs.FS, name string) (string, error) {
	data, err := fs.ReadFile(fsys, name)
	return string(data), err
}

// document is SPEC.md with the tables and lists that are marked in it. A mark is
// an HTML comment; it stands for the first table, or the list, behind it.
type document struct{ text string }

func load(t *testing.T) document {
	t.Helper()
	s, err := readFile(os.DirFS("."), "SPEC.md")
	if err != nil {
		t.Fatal(err)
	}
	return document{s}
}

// after returns the text from a mark to the next heading or mark.
func (d document) after(t *testing.T, mark string) string {
	t.Helper()
	_, rest, found := strings.Cut(d.text, "<!-- "+mark+" -->\n")
	if !found || strings.Count(d.text, "<!-- "+mark+" -->") != 1 {
		t.Fatalf("SPEC.md does not hold the mark %q exactly once at the end of a line", mark)
	}
	end := regexp.MustCompile(`(?m)^#+ |<!-- \w[\w-]*(: \S+)? -->$`).FindStringIndex(rest)
	if end != nil {
		rest = rest[:end[0]]
	}
	return rest
}

// rows returns the cells of the table behind a mark.
func (d document) rows(t *testing.T, mark string) [][]string {
	t.Helper()
	var out [][]string
	for line := range strings.Lines(strings.TrimLeft(d.after(t, mark), "\n")) {
		if !strings.HasPrefix(line, "|") {
			break
		}
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = append(out, cells)
	}
	if len(out) < 3 {
		t.Fatalf("no table stands behind the mark %q", mark)
	}
	return out[2:]
}

var quoted = regexp.MustCompile("`([^`]+)`")

func words(text string) []string {
	var out []string
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

// codes are the first cells of a table, each of which has a meaning beside it.
func (d document) codes(t *testing.T, mark string) []string {
	t.Helper()
	var out []string
	for _, cells := range d.rows(t, mark) {
		w := words(cells[0])
		if len(w) != 1 || cells[len(cells)-1] == "" {
			t.Errorf("table %q: row %q is not one code and its meaning", mark, cells)
			continue
		}
		if slices.Contains(out, w[0]) {
			t.Errorf("table %q lists %q twice", mark, w[0])
		}
		out = append(out, w[0])
	}
	return out
}

// same compares a table with the source, in both directions.
func same(t *testing.T, mark string, told, built []string) {
	t.Helper()
	if len(built) == 0 {
		t.Errorf("%s: nothing was found in the source: the comparison shows nothing", mark)
	}
	for _, s := range built {
		if !slices.Contains(told, s) {
			t.Errorf("%s: the code has %q, SPEC.md does not list it", mark, s)
		}
	}
	for _, s := range told {
		if !slices.Contains(built, s) {
			t.Errorf("%s: SPEC.md lists %q, the code does not have it", mark, s)
		}
	}
}

// TestSpecificationMatchesTheCode compares every table of codes with the constants
// it is about.
func TestSpecificationMatchesTheCode(t *testing.T) {
	t.Parallel()
	d := load(t)
	for _, c := range []struct{ mark, pkg, typ, name string }{
		{"codes: outcome", "internal/outcome", "Code", ""},
		{"codes: reasons", "internal/reconcile", "Reason", ""},
		{"codes: kinds", "internal/reconcile", "Kind", ""},
		{"codes: verbs", "internal/reconcile", "Verb", ""},
		{"codes: ledger-types", "internal/ledger", "", "^Type"},
		{"codes: verify", "internal/ledger", "", "^Code"},
		{"codes: decision", "internal/decision", "Code", ""},
		{"codes: clean", "internal/clean", "Reason", ""},
		{"codes: import", "internal/corpus", "", "^(Imported|Extended|Already|Diverged|NoRoom)$"},
		{"codes: land", "internal/land", "Code", ""},
		{"codes: roster", "internal/roster", "", "^(ProfileNotFound|ProfileInvalid|RoleMismatch|JudgeNotReadOnly|VisionUnverified|ProfileUnverified|QuotaExhausted|SameVendorAsWriter|WriterVendorUnknown|PeerPairInvalid|PeerNotAllowed|ExecutableNotFound|NotInRoster|CallImpossible)$"},
		{"codes: independence", "internal/roster", "", "^(Independent|SameVendorPeer|Coauthor|Unproven|None)$"},
		{"codes: profile-verify", "internal/setup", "", "^[A-Z]"},
	} {
		name := anyName
		if c.name != "" {
			name = regexp.MustCompile(c.name)
		}
		same(t, c.mark, d.codes(t, c.mark), constants(t, c.pkg, c.typ, name))
	}
	same(t, "roster", append(d.codes(t, "codes: roster"), d.codes(t, "codes: independence")...), constants(t, "internal/roster", "", anyName))
	if got := constants(t, "internal/ledger", "", regexp.MustCompile("^Type")); !slices.Equal(got, ledger.Types()) {
		t.Errorf("the source has the event types %q, ledger.Types has %q", got, ledger.Types())
	}
}

// TestCodesOfCommands holds the codes that package cli names itself.
func TestCodesOfCommands(t *testing.T) {
	t.Parallel()
	d := load(t)
	codes, all := cliCodes(t)
	told := d.codes(t, "codes: cli")
	known := slices.Concat(told, d.codes(t, "codes: outcome"), d.codes(t, "codes: decision"))
	for _, c := range codes {
		if !slices.Contains(known, c) {
			t.Errorf("internal/cli answers %q, SPEC.md does not list it", c)
		}
	}
	for _, c := range told {
		if !slices.Contains(all, c) && c != draft.MangledCode {
			t.Errorf("SPEC.md lists %q, internal/cli does not have it", c)
		}
	}
	if len(codes) < 20 {
		t.Errorf("found %d codes in internal/cli: the comparison shows nothing", len(codes))
	}
}

// TestCommandsAndFlags holds every command with its flags.
func TestCommandsAndFlags(t *testing.T) {
	t.Parallel()
	d, built := load(t), commands(t)
	told := map[string][]string{}
	for _, cells := range d.rows(t, "commands") {
		told[words(cells[0])[0]] = words(cells[1])
	}
	for word, flags := range built {
		have, ok := told[word]
		if !ok {
			t.Errorf("the program has the command %q, SPEC.md does not", word)
			continue
		}
		same(t, "command "+word, append(have, ""), append(flags, ""))
	}
	for word := range told {
		if _, ok := built[word]; !ok {
			t.Errorf("SPEC.md has the command %q, the program does not", word)
		}
	}
	if len(built) < 15 {
		t.Errorf("found %d commands: the comparison shows nothing", len(built))
	}
}

func TestKeysOfAnswers(t *testing.T) {
	t.Parallel()
	told, built := words(load(t).after(t, "json-keys")), jsonKeys(t)
	for _, key := range built {
		if !slices.Contains(told, key) {
			t.Errorf("a command prints the key %q, section 11 does not name it", key)
		}
	}
	if len(built) < 60 {
		t.Errorf("found %d keys: the comparison shows nothing", len(built))
	}
}

// schema is as much of a JSON Schema as names keys.
type schema struct {
	Properties map[string]schema `json:"properties"`
	Required   []string          `json:"required"`
	Additional json.RawMessage   `json:"additionalProperties"`
	Items      *schema           `json:"items"`
}

// keys adds the path of every key, and whether it must be there.
func (s schema) keys(prefix string, into map[string]bool) {
	for key, of := range s.Properties {
		into[prefix+key] = slices.Contains(s.Required, key)
		of.keys(prefix+key+".", into)
		if of.Items != nil {
			of.Items.keys(prefix+key+"[].", into)
		}
		var each schema
		if json.Unmarshal(of.Additional, &each) == nil {
			each.keys(prefix+key+".<name>.", into)
		}
	}
}

// TestKeysOfFiles holds every key of the YAML files, and which must be there, by
// the schemas that are made from the reader's tables.
func TestKeysOfFiles(t *testing.T) {
	t.Parallel()
	d := load(t)
	for _, file := range []string{"project", "task", "policy", "profile"} {
		name := file + ".schema.json"
		data, err := spec.Schemas.ReadFile("schemas/" + name)
		if err != nil {
			t.Fatal(err)
		}
		var s schema
		if err := json.Unmarshal(data, &s); err != nil {
			t.Fatal(err)
		}
		built := map[string]bool{}
		s.keys("", built)
		for _, cells := range d.rows(t, "keys: "+name) {
			key := words(cells[0])[0]
			must, ok := built[key]
			if !ok {
				t.Errorf("%s: SPEC.md lists %q, the schema does not have it", name, key)
			}
			if must != (cells[2] == "required") {
				t.Errorf("%s: %q is required: the schema says %v", name, key, must)
			}
			delete(built, key)
		}
		for key := range built {
			t.Errorf("%s: the schema has %q, SPEC.md does not list it once", name, key)
		}
	}
	var block []string
	for _, cells := range d.rows(t, "keys: issue") {
		block = append(block, words(cells[0])[0])
	}
	same(t, "issue block", block, issueKeys(t))
	for _, pkg := range []string{"internal/contract", "internal/policy"} {
		for _, key := range refusedKeys(t, pkg) {
			if !slices.ContainsFunc(words(d.text), func(w string) bool { return w == key || strings.HasSuffix(w, "."+key) }) {
				t.Errorf("%s refuses the key %q, SPEC.md does not say so", pkg, key)
			}
		}
	}
}

// TestAction holds the inputs and outputs of the action.
func TestAction(t *testing.T) {
	t.Parallel()
	text, err := readFile(os.DirFS(".."), "action.yml")
	if err != nil {
		t.Fatal(err)
	}
	d := load(t)
	for _, part := range []string{"inputs", "outputs"} {
		_, rest, _ := strings.Cut(text, "\n"+part+":\n")
		block := regexp.MustCompile(`(?m)^\S`).Split(rest, 2)[0]
		var built []string
		for _, m := range regexp.MustCompile(`(?m)^  ([a-z-]+):$`).FindAllStringSubmatch(block, -1) {
			built = append(built, m[1])
		}
		same(t, "action "+part, d.codes(t, "codes: action-"+part), built)
	}
}

// TestInvariantsAreHeld makes sure that the tests that are named exist.
func TestInvariantsAreHeld(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile("`((?:internal|forge|cmd)/[a-z]+|spec)\\.((?:Test|Fuzz)\\w+)`")
	text, all, n := load(t).after(t, "invariants"), tests(t), 0
	for line := range strings.Lines(text) {
		if !regexp.MustCompile(`^\d+\. `).MatchString(line) {
			continue
		}
		n++
		found := named.FindAllStringSubmatch(line, -1)
		if len(found) == 0 {
			t.Errorf("no test is named: %s", line)
		}
		for _, m := range found {
			if !slices.Contains(all, m[1]+"."+m[2]) {
				t.Errorf("there is no test %s.%s", m[1], m[2])
			}
		}
	}
	if n < 30 {
		t.Errorf("found %d invariants: the check shows nothing", n)
	}
}

// TestFindings holds what is said of a finding to the starter schema and to the
// categories that are known.
func TestFindings(t *testing.T) {
	t.Parallel()
	data, err := spec.Schemas.ReadFile("schemas/reviewer.json")
	if err != nil {
		t.Fatal(err)
	}
	var answer schema
	if err := json.Unmarshal(data, &answer); err != nil {
		t.Fatal(err)
	}
	text := load(t).text
	_, required, _ := strings.Cut(text, "<!-- finding-required -->")
	required, _, _ = strings.Cut(required, "an answer without")
	required = regexp.MustCompile(`(?s)\([^)]*\)`).ReplaceAllString(required, "")
	told := regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(required, -1)
	want := answer.Properties["findings"].Items.Required
	if len(told) != len(want) || len(want) < 5 {
		t.Errorf("SPEC.md requires %v, the schema %v", told, want)
	}
	for _, m := range told {
		if !slices.Contains(want, m[1]) {
			t.Errorf("SPEC.md requires %q of a finding, the schema does not", m[1])
		}
	}
	_, categories, _ := strings.Cut(text, "<!-- finding-categories -->")
	categories, _, _ = strings.Cut(categories, "Another word")
	known := outcome.Categories()
	for _, c := range known {
		if !strings.Contains(categories, "`"+c+"`") {
			t.Errorf("SPEC.md does not name the category %q", c)
		}
	}
	if len(known) != strings.Count(categories, "`")/2 || len(known) < 5 {
		t.Errorf("%d categories are known, SPEC.md names %d", len(known), strings.Count(categories, "`")/2)
	}
}
