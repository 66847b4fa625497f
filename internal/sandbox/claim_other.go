//go:build !unix || solaris || illumos || aix

package sandbox

import (
	"errors"
	"os"
)

func share(string) (*os.File, error) {
	return nil, errors.New("no directory locks on this system")
}

func alone(*os.File) bool { return false }
