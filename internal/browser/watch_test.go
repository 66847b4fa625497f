package browser

import "testing"

// TestTimes holds that what a report says of where the time went adds up, and goes to
// the right places.
func TestTimes(t *testing.T) {
	t.Parallel()
	r := look(t, site(t, nil)+"/plain.html", "css=h1 visible -> wait 1 -> css=h1 visible")
	s := r.Scenarios[0]
	if !s.OK {
		t.Fatalf("%+v", s)
	}
	parts := s.Times
	sum := parts.Open + parts.Navigate + parts.Settle + parts.Steps + parts.Pictures + parts.Close
	if sum > s.Seconds+0.001 || sum < s.Seconds-0.05 { // each part is cut to the millisecond
		t.Errorf("%+v are %g of %g seconds", parts, sum, s.Seconds)
	}
	if parts.Steps < 1 || parts.Open == 0 || parts.Settle == 0 || parts.Pictures == 0 {
		t.Errorf("with a second's wait, a page, its settling and its pictures: %+v", parts)
	}
	if r.StartSeconds <= 0 || r.StartSeconds+s.Seconds+r.EndSeconds > r.Seconds+0.05 {
		t.Errorf("start %g, scenario %g, end %g of %g seconds", r.StartSeconds, s.Seconds, r.EndSeconds, r.Seconds)
	}
}
