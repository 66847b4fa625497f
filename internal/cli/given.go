package cli

import (
	"fmt"
	"io"

	"github.com/tolboy/warden/internal/durable"
)

// maxGiven bounds a text that is given in a file.
const maxGiven = 4 << 20

// given reads what a flag names: a regular file, or /dev/stdin for what is piped
// in. Other pipes and devices are refused, since they may never end.
func (a *app) given(what, path string) ([]byte, error) {
	if path != "/dev/stdin" {
		data, err := durable.ReadGiven(path, maxGiven)
		if err != nil {
			return nil, usagef("read the %s: %v", what, err)
		}
		return data, nil
	}
	data, err := io.ReadAll(io.LimitReader(a.stdin, maxGiven+1))
	if err == nil && len(data) > maxGiven {
		err = fmt.Errorf("larger than %d bytes", maxGiven)
	}
	if err != nil {
		return nil, usagef("read the %s: %v", what, err)
	}
	return data, nil
}
