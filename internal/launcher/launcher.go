// Package launcher is this program in the service of package sandbox: started with
// a command line of Spec.Wrap, it keeps one command. It starts itself a second
// time; that process restricts itself by Landlock and becomes the command, while
// the first, which is not restricted and out of its reach, takes in what the
// command leaves behind and ends it.
package launcher

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/tolboy/warden/internal/sandbox"
)

// enterWord is the first argument of the process that restricts itself.
const enterWord = sandbox.LaunchWord + "-enter"

// Exit statuses of a launcher that could not do its work.
const (
	statusUsage  = 2
	statusFailed = 126
)

// Run does what a command line of a launcher asks and returns the exit status; own
// is false when args is no such command line. It is called before anything else in
// a process, since it changes what the process may do, and it may not return.
func Run(args []string, stderr io.Writer) (status int, own bool) {
	if len(args) == 0 || args[0] != sandbox.LaunchWord && args[0] != enterWord {
		return 0, false
	}
	rules, argv, err := parse(args[1:])
	if err != nil {
		fmt.Fprintln(stderr, "warden:", err)
		return statusUsage, true
	}
	if args[0] == enterWord {
		return enter(rules, argv), true
	}
	return keep(args, rules, stderr), true
}

// parse reads the rules and the command behind them.
func parse(args []string) (sandbox.Rules, []string, error) {
	if len(args) < 3 || args[1] != "--" || args[2] == "" {
		return sandbox.Rules{}, nil, fmt.Errorf("%s is how warden confines what it starts, and no command", sandbox.LaunchWord)
	}
	rules, err := sandbox.ParseRules(args[0])
	return rules, args[2:], err
}

// Self is the path of this program when it is one that calls Run, else "".
func Self() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || strings.TrimSuffix(info.Path, ".test") != info.Main.Path+"/cmd/warden" {
		return ""
	}
	self, err := os.Executable()
	if err != nil || strings.HasSuffix(info.Path, ".test") && filepath.Base(self) != "warden" {
		return "" // a test of the program is one only under its name
	}
	return self
}
