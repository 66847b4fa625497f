package demo

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Script is what a scripted vendor does. It stands where an agent CLI stands: a
// process that reads a prompt, edits the worktree it was started in, and prints
// an envelope of its own kind.
type Script struct {
	Envelope string `json:"envelope"` // "result" prints one object with a price, "events" prints lines without one
	Model    string `json:"model"`
	Turns    []Turn `json:"turns"`
}

// Turn is taken when it is the first whose role fits and whose words all stand in
// the prompt.
type Turn struct {
	Role   string            `json:"role"`
	When   []string          `json:"when,omitempty"`
	Write  map[string]string `json:"write,omitempty"`  // files by path
	Remove []string          `json:"remove,omitempty"` // paths
	Answer map[string]any    `json:"answer,omitempty"` // the artifact
	Cost   float64           `json:"cost,omitempty"`
	Stdout string            `json:"stdout,omitempty"` // printed instead of an envelope
	Stderr string            `json:"stderr,omitempty"`
	Exit   int               `json:"exit,omitempty"`
	Hang   bool              `json:"hang,omitempty"` // never answers; ends only by a signal
}

// Play takes the turn that the prompt asks for in dir and returns the exit status.
func (s Script) Play(role, dir string, prompt io.Reader, stdout, stderr io.Writer) (int, error) {
	text, err := io.ReadAll(io.LimitReader(prompt, 16<<20))
	if err != nil {
		return 1, fmt.Errorf("read the prompt: %w", err)
	}
	turn, ok := s.turn(role, string(text))
	if !ok {
		return 1, fmt.Errorf("no turn of the script fits the role %q and this prompt", role)
	}
	if err := turn.edit(dir); err != nil {
		return 1, err
	}
	fmt.Fprint(stderr, turn.Stderr)
	if turn.Hang {
		select {}
	}
	if turn.Stdout != "" {
		fmt.Fprint(stdout, turn.Stdout)
		return turn.Exit, nil
	}
	if turn.Answer == nil {
		return turn.Exit, nil
	}
	return turn.Exit, s.print(turn, len(text), stdout)
}

func (s Script) turn(role, prompt string) (Turn, bool) {
	for _, t := range s.Turns {
		fits := t.Role == "" || t.Role == role
		for _, w := range t.When {
			fits = fits && strings.Contains(prompt, w)
		}
		if fits {
			return t, true
		}
	}
	return Turn{}, false
}

func (t Turn) edit(dir string) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	for path, text := range t.Write {
		if err := root.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := root.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, path := range t.Remove {
		if err := root.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (s Script) print(t Turn, read int, out io.Writer) error {
	answer, err := json.Marshal(t.Answer)
	if err != nil {
		return err
	}
	tokens := map[string]any{"input_tokens": read / 4, "output_tokens": len(answer) / 4}
	enc := json.NewEncoder(out)
	if s.Envelope == "events" {
		for _, e := range []map[string]any{
			{"type": "thread.started", "thread_id": "scripted"},
			{"type": "turn.started"},
			{"type": "item.completed", "item": map[string]any{"id": "item_0", "type": "agent_message", "text": string(answer)}},
			{"type": "turn.completed", "usage": tokens},
		} {
			if err := enc.Encode(e); err != nil {
				return err
			}
		}
		return nil
	}
	return enc.Encode(map[string]any{"type": "result", "subtype": "success", "is_error": false, "result": string(answer), "num_turns": 2,
		"session_id": "scripted", "stop_reason": "end_turn", "total_cost_usd": t.Cost, "usage": tokens,
		"modelUsage": map[string]any{s.Model: map[string]any{"costUSD": t.Cost}}})
}

// Load returns a script of the demonstration by its name, or reads a file.
func Load(name string) (Script, error) {
	data, err := story.ReadFile("story/scripts/" + name + ".json")
	if err != nil {
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return Script{}, fmt.Errorf("read the script: %w", err)
	}
	var s Script
	if err := json.Unmarshal(data, &s); err != nil {
		return Script{}, fmt.Errorf("read the script %s: %w", name, err)
	}
	return s, nil
}
