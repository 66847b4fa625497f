package durable_test

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"testing"

	"github.com/tolboy/warden/internal/durable"
)

// holdDir names the directory in which the child process of TestHold holds.
const holdDir = "WARDEN_TEST_HOLD_DIR"

// A holder is named to whoever comes second, and its death lets go.
func TestHold(t *testing.T) {
	if dir := os.Getenv(holdDir); dir != "" {
		d, err := durable.OpenDir(dir)
		must(t, err)
		_, err = d.Hold("tree", "the child")
		must(t, err)
		os.Stdout.WriteString("held\n")
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n') // until it is killed
		return
	}
	t.Parallel()
	d, path := open(t)
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHold$")
	child.Env = append(os.Environ(), holdDir+"="+path)
	stdin, err := child.StdinPipe()
	must(t, err)
	defer stdin.Close()
	stdout, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	if line, err := bufio.NewReader(stdout).ReadString('\n'); line != "held\n" {
		t.Fatalf("the child says %q, %v", line, err)
	}
	var busy *durable.BusyError
	if _, err := d.Hold("tree", "us"); !errors.As(err, &busy) || busy.Holder != "the child" {
		t.Errorf("beside the child: %v", err)
	}
	must(t, child.Process.Kill())
	_ = child.Wait()
	release, err := d.Hold("tree", "us")
	must(t, err)
	if _, err := d.Hold("tree", "us again"); !errors.As(err, &busy) || busy.Holder != "us" {
		t.Errorf("after the child: %v", err)
	}
	must(t, release())
	again, err := d.Hold("tree", "us again")
	must(t, err)
	must(t, again())
}
