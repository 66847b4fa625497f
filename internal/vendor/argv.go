package vendor

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"github.com/tolboy/warden/internal/policy"
	"github.com/tolboy/warden/internal/proc"
)

// placeholder matches what is filled in; the set of names is closed.
var placeholder = regexp.MustCompile(`\{\{\s*([A-Za-z0-9_]+)\s*\}\}`)

// Placeholders are the names that may stand in the arguments of a profile. All
// but the prompt may stand in its environment too.
func Placeholders() []string {
	return []string{"effort", "evidence_dir", "model", "prompt", "prompt_file", "repo_root", "run_id", "schema_file", "schema_json", "task_id", "tools"}
}

// shownPrompt stands for the prompt wherever a command is written down.
const shownPrompt = "<prompt>"

// command is the argument vector of one call.
type command struct {
	run   []string // as given to the process
	shown []string // as written down
	files []string // values of prompt_file and schema_file that were used, and pictures
	stdin bool     // the prompt goes to standard input
}

// attach puts each picture behind the profile's flag. A flag that ends in = is one
// argument with its file: some programs take every word that follows for a picture.
func (c command) attach(flag string, pictures []string) command {
	c.files = append(c.files, pictures...)
	if flag == "" {
		return c
	}
	for _, file := range pictures {
		words := []string{flag, file}
		if strings.HasSuffix(flag, "=") {
			words = []string{flag + file}
		}
		c.run, c.shown = append(c.run, words...), append(c.shown, words...)
	}
	return c
}

// build fills the profile's arguments. A prompt that no argument carries and
// that is not to go by stdin would reach nobody, which is an error.
func build(p policy.Profile, values map[string]string, prompt string) (command, error) {
	c := command{run: []string{p.Command}, shown: []string{p.Command}, stdin: p.PromptDelivery == "stdin"}
	carried := c.stdin
	for _, arg := range p.Args {
		for _, name := range namesIn(arg) {
			switch name {
			case "prompt":
				carried = true
			case "prompt_file":
				carried = true
				c.files = append(c.files, values[name])
			case "schema_file":
				c.files = append(c.files, values[name])
			}
		}
		run, err := fill(p.Name, arg, values, prompt)
		if err != nil {
			return command{}, err
		}
		shown, err := fill(p.Name, arg, values, shownPrompt)
		if err != nil {
			return command{}, err
		}
		c.run, c.shown = append(c.run, run), append(c.shown, shown)
	}
	if !carried {
		return command{}, fmt.Errorf("profile %q: no argument holds {{prompt}} or {{prompt_file}} and prompt_delivery is not stdin, so the prompt would reach nobody", p.Name)
	}
	return c, nil
}

// environment fills the profile's plain settings.
func environment(p policy.Profile, values map[string]string) (map[string]string, error) {
	out := make(map[string]string, len(p.Env))
	for name, text := range p.Env {
		if err := settable(name); err != nil {
			return nil, fmt.Errorf("profile %q: %w", p.Name, err)
		}
		for _, used := range namesIn(text) {
			if used == "prompt" {
				return nil, fmt.Errorf("profile %q: env %s: the prompt cannot go into the environment", p.Name, name)
			}
		}
		filled, err := fill(p.Name, text, values, "")
		if err != nil {
			return nil, err
		}
		out[name] = filled
	}
	return out, nil
}

func namesIn(text string) []string {
	var names []string
	for _, m := range placeholder.FindAllStringSubmatch(text, -1) {
		names = append(names, m[1])
	}
	return names
}

// fill replaces each placeholder once; what it puts in is not looked at again.
func fill(profile, text string, values map[string]string, prompt string) (string, error) {
	var missing []string
	out := placeholder.ReplaceAllStringFunc(text, func(m string) string {
		name := placeholder.FindStringSubmatch(m)[1]
		if name == "prompt" {
			return prompt
		}
		v, ok := values[name]
		if !ok || !isPlaceholder(name) {
			missing = append(missing, name)
			return m
		}
		return v
	})
	if len(missing) > 0 {
		sort.Strings(missing)
		return "", fmt.Errorf("profile %q: unknown or unset placeholder %s in %q; there are %s", profile, strings.Join(missing, ", "), cut(text, 120), strings.Join(Placeholders(), ", "))
	}
	return out, nil
}

func isPlaceholder(name string) bool {
	for _, known := range Placeholders() {
		if name == known {
			return true
		}
	}
	return false
}

// deliverable reports why an argument vector would not arrive whole on goos.
func deliverable(p policy.Profile, argv []string, goos string) error {
	if err := proc.Deliverable(argv, goos); err != nil {
		return fmt.Errorf("profile %q: %w", p.Name, err)
	}
	return nil
}

// modelPassed reports whether the declared model stands in what is run.
func modelPassed(p policy.Profile, argv []string, env map[string]string) bool {
	if p.Model == "" || len(argv) == 0 {
		return false
	}
	for _, arg := range argv[1:] {
		if strings.Contains(arg, p.Model) {
			return true
		}
	}
	for _, v := range env {
		if strings.Contains(v, p.Model) {
			return true
		}
	}
	return false
}
