package usage_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/tolboy/warden/internal/usage"
)

// LR-03 and BU-05: a total that nobody contributed to is null, and a total that
// somebody stayed silent about says how many did.
func TestTotal(t *testing.T) {
	t.Parallel()
	silent := usage.Call{}
	priced := usage.Call{CostUSD: usage.Known(0.25), Input: usage.Known(10), Output: usage.Known(2)}
	tests := []struct {
		name  string
		calls []usage.Call
		want  string
	}{
		{"nobody called", nil, `{"calls":0,"cost_usd":null,"unpriced_calls":0,"input_tokens":null,"output_tokens":null,"tokens_unknown_calls":0}`},
		{"LR-03 all silent", []usage.Call{silent, silent}, `{"calls":2,"cost_usd":null,"unpriced_calls":2,"input_tokens":null,"output_tokens":null,"tokens_unknown_calls":2}`},
		{"BU-05 one silent", []usage.Call{priced, silent, priced}, `{"calls":3,"cost_usd":0.5,"unpriced_calls":1,"input_tokens":20,"output_tokens":4,"tokens_unknown_calls":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var total usage.Total
			for _, c := range tt.calls {
				total = total.Add(c)
			}
			got, err := json.Marshal(total)
			if err != nil || string(got) != tt.want {
				t.Errorf("total = %s, %v\n   want %s", got, err, tt.want)
			}
			var back usage.Total
			if err := json.Unmarshal(got, &back); err != nil || back != total {
				t.Errorf("read back %+v, %v, want %+v", back, err, total)
			}
		})
	}
}

// TestReported: what can be no amount is unknown, and nothing makes a sum that no file
// could hold.
func TestReported(t *testing.T) {
	t.Parallel()
	for _, v := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1), 1.1e15} {
		if got, known := usage.Reported(v).Get(); known {
			t.Errorf("Reported(%v) = %v, want unknown", v, got)
		}
	}
	for _, v := range []float64{0, 0.25, usage.Most} {
		if got, known := usage.Reported(v).Get(); !known || got != v {
			t.Errorf("Reported(%v) = %v, %v", v, got, known)
		}
	}
	huge := usage.Call{CostUSD: usage.Known(1.7e308), Input: usage.Known(1.7e308), Output: usage.Known(1.7e308)}
	sum, err := json.Marshal(usage.Total{}.Add(huge).Add(huge))
	if err != nil {
		t.Error(err)
	}
	if got := string(sum); !strings.Contains(got, `"cost_usd":1.79`) {
		t.Errorf("the sum is %s", got)
	}
}
