package browser

import "time"

// Times are the seconds of one scenario by what they went to. They add up to its
// Seconds, differ from run to run, and no verdict is taken from them. Scenarios run
// side by side: their sum is more than the time that the whole took.
type Times struct {
	Open     float64 `json:"open_seconds"`     // a context, a blank page and its size
	Navigate float64 `json:"navigate_seconds"` // until the document was committed
	Settle   float64 `json:"settle_seconds"`   // until it was quiet, after navigation and after each act
	Steps    float64 `json:"steps_seconds"`    // acts, checks, and what the scenario waits for itself
	Pictures float64 `json:"pictures_seconds"` // taken, hashed and written
	Close    float64 `json:"close_seconds"`    // the context given back
}

// watch sums up where time goes: at any moment to one place only. It belongs to one
// goroutine.
type watch struct {
	place *time.Duration
	since time.Time
	open, navigate, settle, steps,
	pictures, close time.Duration
}

// at lets the time from now on go to place. The function that it returns lets it go
// where it went before.
func (w *watch) at(place *time.Duration) (back func()) {
	before := w.place
	w.turn(place)
	return func() { w.turn(before) }
}

func (w *watch) turn(place *time.Duration) {
	now := time.Now()
	if w.place != nil {
		*w.place += now.Sub(w.since)
	}
	w.place, w.since = place, now
}

// times ends the watch.
func (w *watch) times() Times {
	w.turn(nil)
	return Times{Open: rounded(w.open), Navigate: rounded(w.navigate), Settle: rounded(w.settle),
		Steps: rounded(w.steps), Pictures: rounded(w.pictures), Close: rounded(w.close)}
}

// rounded is d in seconds, to the millisecond.
func rounded(d time.Duration) float64 { return float64(d.Milliseconds()) / 1000 }
