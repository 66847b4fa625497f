package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

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

// stated refuses a flag that is given and says nothing, as one is whose variable was
// not set: what it asks for would silently not be asked.
func stated(cmd *cobra.Command, names ...string) error {
	for _, name := range names {
		f := cmd.Flags().Lookup(name)
		if f.Changed && (f.Value.String() == "" || f.Value.String() == "0") {
			return usagef("--%s is given and says nothing (leave it out where nothing is meant)", name)
		}
	}
	return nil
}

// wholeHash reports whether s is the hash of a line or of a commit, in full.
func wholeHash(s string) bool {
	return (len(s) == 64 || len(s) == 40) && strings.Trim(s, "0123456789abcdef") == ""
}
