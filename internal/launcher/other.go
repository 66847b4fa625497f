//go:build !linux

package launcher

import (
	"fmt"
	"io"

	"github.com/tolboy/warden/internal/sandbox"
)

func enter(sandbox.Rules, []string) int { return statusFailed }

func keep(_ []string, _ sandbox.Rules, stderr io.Writer) int {
	fmt.Fprintln(stderr, "warden: landlock needs linux")
	return statusFailed
}
