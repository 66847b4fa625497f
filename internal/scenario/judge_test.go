package scenario

import (
	"strings"
	"testing"
	"time"
)

func TestScenarioFaults(t *testing.T) {
	t.Parallel()
	const waits, nothing, copied = "only waits", "asserts nothing", "named by its text"
	tests := []struct{ name, text, want string }{
		{"BR-04_only_a_pause", "1280x720: wait 8", waits},
		{"BR-04_two_pauses", "wait 8 -> wait 9", waits},
		{"BR-04_acts_without_an_assertion", "testid=a fill=x -> testid=b hover -> open=/x -> press=Enter -> testid=c select=y -> wait 1", nothing},
		{"BR-04_pause_and_assertion", "wait 8 -> testid=a", ""},
		{"BR-11_text_alone", "text=Save visible", copied},
		{"BR-11_bare_label", "Save click", copied},
		{"BR-11_wait_for_text", "wait-for=text=Saved", copied},
		{"BR-11_control", "testid=save click -> text=Saved visible", ""},
		{"BR-11_console_alone", "no-console-errors", ""},
		{"click_proves", "testid=save click", ""},
		{"wait_for_proves", "wait-for=css=.a", ""},
		{"count_proves", "css=.a count=0", ""},
		{"text_equals_proves", "css=.a text-equals=x", ""},
		{"url_proves", "url=/a", ""},
		{"at_the_longest", "testid=a" + strings.Repeat(" -> wait 120", 7) + " -> wait 60", ""},
		{"too_long", "testid=a" + strings.Repeat(" -> wait 120", 7) + " -> wait 60.001", "waits for 15m0.001s, the limit is 15m0s"},
		{"unreadable", "wait 0", "a wait of"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, faults := Read(tt.text)
			if got := faults.Error(); (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%s: got %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestLimit(t *testing.T) {
	t.Parallel()
	const base = 120 * time.Second
	many := make([]string, 400)
	for i := range many {
		many[i] = "wait 100 -> testid=a"
	}
	tests := []struct {
		name string
		list []string
		want time.Duration
	}{
		{"none", nil, base},
		{"BR-08_honest_waits", []string{"wait 30 -> testid=a", "testid=a click -> wait 45 -> testid=b"}, 195 * time.Second},
		{"BR-09_one_wait_for", []string{"wait-for=testid=a"}, base + 15*time.Second},
		{"BR-09_four_hundred", many, base + 15*time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var list []Scenario
			for _, text := range tt.list {
				s, faults := Read(text)
				if len(faults) > 0 {
					t.Fatal(faults)
				}
				list = append(list, s)
			}
			if got := Limit(base, list); got != tt.want {
				t.Errorf("limit %s, want %s", got, tt.want)
			}
		})
	}
}
