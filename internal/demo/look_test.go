package demo

import (
	"encoding/json"
	"testing"
)

// TestRepaired holds what the story takes for a page that a browser had repaired.
func TestRepaired(t *testing.T) {
	t.Parallel()
	const red, green = `{"ok":false,"scenarios":[{"why":"x"}]}`, `{"ok":true,"scenarios":[{}]}`
	tests := []struct {
		name, looks string
		want        bool
	}{
		{"red and then green", "[" + red + "," + green + "]", true},
		{"never red", "[" + green + "," + green + "]", false},
		{"never green", "[" + red + "," + red + "]", false},
		{"one look", "[" + green + "]", false},
		{"no look", "[]", false},
		{"nothing was seen", `[{"ok":false,"scenarios":[]},` + green + "]", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var looks []look
			if err := json.Unmarshal([]byte(tt.looks), &looks); err != nil {
				t.Fatal(err)
			}
			if got := repaired(looks); got != tt.want {
				t.Errorf("repaired is %v", got)
			}
		})
	}
}
