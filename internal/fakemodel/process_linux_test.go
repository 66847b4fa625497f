package fakemodel

import (
	"io"
	"os/exec"
	"slices"
	"testing"
)

// A process is seen by its directory, by an argument and by its environment.
func TestRunning(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(c *exec.Cmd, dir string){
		"directory":   func(c *exec.Cmd, dir string) { c.Dir = dir },
		"argument":    func(c *exec.Cmd, dir string) { c.Args = append(c.Args, "-", dir+"/none") },
		"environment": func(c *exec.Cmd, dir string) { c.Env = []string{"KEY=value", "PLACE=" + dir} },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			cmd := exec.Command("cat") // ends with its input
			set(cmd, dir)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// What it answers shows that it is cat by now.
			if _, err := io.WriteString(in, "x"); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
				t.Fatal(err)
			}
			got, err := Running(dir)
			if err != nil || len(got) != 1 || got[0].Command == "" {
				t.Errorf("running: %+v, %v", got, err)
			}
			if name == "environment" && len(got) == 1 && !slices.Contains(got[0].Environ, "KEY=value") {
				t.Errorf("environment: %q", got[0].Environ)
			}
			in.Close()
			_ = cmd.Wait() // cat minds the file that is not there
			if got, err := Running(dir); err != nil || len(got) != 0 {
				t.Errorf("after its end: %+v, %v", got, err)
			}
		})
	}
}

func TestPrinted(t *testing.T) {
	t.Parallel()
	for cli, c := range map[string]struct {
		out  string
		want Use
	}{
		"codex":    {`{"type":"turn.completed","usage":{"input_tokens":3,"output_tokens":2}}`, Use{Input: 3, Output: 2}},
		"gemini":   {`{"type":"result","stats":{"input_tokens":3,"output_tokens":2}}`, Use{Input: 3, Output: 2}},
		"opencode": {`{"type":"step_finish","part":{"tokens":{"input":3,"output":2},"cost":0.5}}`, Use{3, 2, 0.5}},
	} {
		want := Use{2 * c.want.Input, 2 * c.want.Output, 2 * c.want.CostUSD}
		if got := Printed(cli, []byte(c.out+"\nprose\n"+c.out)); got != want {
			t.Errorf("%s: %+v, want %+v", cli, got, want)
		}
	}
}
