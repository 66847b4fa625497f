package mutants

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// timeLimit bounds one test run, compilation included.
const timeLimit = 10 * time.Minute

// result is what one run of `go test` showed.
type result struct {
	unbuilt bool // the package did not compile, so its test says nothing
	ran     int  // tests as deep as the pattern asked for
	skipped int  // of these
	green   bool
	output  string
}

// goTest runs one test. overlay is the name of an overlay file, or "".
func goTest(ctx context.Context, root, pkg, run, overlay string) (result, error) {
	ctx, cancel := context.WithTimeout(ctx, timeLimit)
	defer cancel()
	args := []string{"test", "-json", "-vet=off", "-timeout=3m", "-run=" + run, "./" + pkg}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	if overlay != "" {
		// By the environment, so that a test that builds the program builds this one; and
		// not from the cache, which does not know what such a test has built.
		cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -count=1 -overlay="+overlay)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if ctx.Err() != nil {
		return result{}, fmt.Errorf("run %s in %s: %w", run, pkg, ctx.Err())
	}
	res, readErr := read(out, strings.Count(run, "/"))
	if readErr != nil {
		return result{}, fmt.Errorf("run %s in %s: %w: %s", run, pkg, readErr, stderr.String())
	}
	res.green = err == nil
	return res, nil
}

// read folds the event stream of `go test -json`; depth is how many levels of
// subtests the pattern names.
func read(stream []byte, depth int) (result, error) {
	var res result
	var text strings.Builder
	for dec := json.NewDecoder(bytes.NewReader(stream)); dec.More(); {
		var e struct{ Action, Test, Output, FailedBuild string }
		if err := dec.Decode(&e); err != nil {
			return result{}, fmt.Errorf("read the events of go test: %w", err)
		}
		deep := e.Test != "" && strings.Count(e.Test, "/") >= depth
		switch {
		case e.Action == "build-fail" || e.FailedBuild != "":
			res.unbuilt = true
		case e.Action == "run" && deep:
			res.ran++
		case e.Action == "skip" && deep:
			res.skipped++
		}
		text.WriteString(e.Output)
	}
	res.output = text.String()
	return res, nil
}
