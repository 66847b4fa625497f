package runner

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// IS-06: that a worktree is set up is said when its commands have succeeded and
// before anybody is called in it, so that they never run where a vendor has been.
func TestSetUpIsTold_IS06(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		setup []string
		dry   bool
		want  string
	}{
		"IS-06 they succeed":  {[]string{"true"}, false, "set up\ncalled\n"},
		"IS-06 there is none": {nil, false, "set up\ncalled\n"},
		"IS-06 one fails":     {[]string{"true", "false"}, false, ""},
		"IS-06 a dry run":     {[]string{"true"}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			log := put(t, filepath.Join(t.TempDir(), "log"), "")
			m, o := ordered(t, put(t, filepath.Join(t.TempDir(), "writer"), "#!/bin/sh\necho called >> "+log+"\n"), "{{goal}}")
			o.Setup, o.DryRun = c.setup, c.dry
			o.SetUp = func() error {
				f, err := os.OpenFile(log, os.O_APPEND|os.O_WRONLY, 0)
				if err != nil {
					return err
				}
				_, err = f.WriteString("set up\n")
				return errors.Join(err, f.Close())
			}
			var failed *SetupError
			if _, err := m.Run(t.Context(), o); errors.As(err, &failed) != (c.want == "" && !c.dry) {
				t.Fatal(err)
			}
			got, err := os.ReadFile(log)
			if err != nil || string(got) != c.want {
				t.Errorf("in order: %q, %v; want %q", got, err, c.want)
			}
		})
	}
}
