package proc

import (
	"errors"
	"strings"
	"testing"
)

func TestDeliverable(t *testing.T) {
	t.Parallel()
	multi := "first line\nsecond line"
	for _, tc := range []struct {
		name string
		goos string
		argv []string
		bad  int // index of the refused argument, 0 for none
	}{
		{"PR-05 line break through a batch file", "windows", []string{`C:\npm\vendor.cmd`, "-p", multi}, 2},
		{"PR-05 carriage return, upper-case extension", "windows", []string{`C:\npm\VENDOR.BAT`, "a\rb"}, 1},
		{"PR-05 one line through a batch file", "windows", []string{`C:\npm\vendor.cmd`, "-p", "fix the bug", "100%"}, 0},
		{"PR-05 line break to a program", "windows", []string{`C:\npm\vendor.exe`, "-p", multi}, 0},
		{"PR-05 the same name is an ordinary file elsewhere", "linux", []string{"/opt/vendor.cmd", multi}, 0},
		{"PR-07 quotes and spaces to a program", "windows", []string{`C:\vendor.exe`, "-p", `say {"a": "b c"}`}, 0},
		{"PR-07 quotes without spaces to a program", "windows", []string{`C:\vendor.exe`, "-c", `key="high"`}, 0},
		{"PR-07 quotes without spaces to a batch file", "windows", []string{`C:\vendor.cmd`, "-c", `key="high"`}, 0},
		{"PR-07 quotes and spaces to a batch file", "windows", []string{`C:\vendor.cmd`, "-p", `say {"a": "b c"}`}, 2},
		{"a command behind a quote to a batch file", "windows", []string{`C:\vendor.cmd`, `"&calc.exe`}, 1},
		{"too long for one argument", "linux", []string{"/bin/vendor", strings.Repeat("x", 128<<10)}, 1},
		{"just fits", "linux", []string{"/bin/vendor", strings.Repeat("x", 128<<10-1)}, 0},
		{"too long a line", "windows", []string{`C:\vendor.exe`, strings.Repeat("x", 40<<10)}, 1},
		{"zero byte", "darwin", []string{"/bin/vendor", "a\x00"}, 1},
		{"nothing", "linux", nil, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			err := Deliverable(tc.argv, tc.goos)
			var bad *UndeliverableError
			switch {
			case tc.bad == 0 && err != nil:
				t.Errorf("refused: %v", err)
			case tc.bad > 0 && (!errors.As(err, &bad) || bad.Index != tc.bad):
				t.Errorf("got %v, want argument %d refused", err, tc.bad)
			case tc.bad > 0 && (!strings.Contains(err.Error(), "stdin or in a prompt file") || len(err.Error()) > 400):
				t.Errorf("no advice, or no end: %v", err)
			}
		})
	}
	err := Deliverable([]string{"vendor.cmd", multi}, "windows")
	if err == nil || !strings.Contains(err.Error(), "percent signs") {
		t.Errorf("PR-05: the refusal does not say what it leaves out: %v", err)
	}
}
