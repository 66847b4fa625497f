// Command warden runs AI coding agents by role, checks the result mechanically,
// and stops in front of a human.
package main

import (
	"os"

	"github.com/tolboy/warden/internal/cli"
)

func main() {
	os.Exit(cli.Main(os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
