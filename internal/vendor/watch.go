package vendor

import (
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

var announced = regexp.MustCompile(`(?i)retrying after (\d{1,12}(?:\.\d{1,6})?) ?ms`)

// watch ends a call whose vendor has announced, on stderr, that it will now wait
// for longer than the call may last.
type watch struct {
	deadline time.Time
	now      func() time.Time
	stop     func()
	mu       sync.Mutex
	why      string
}

// line is given every line of a stream as it comes. It may be called from two
// goroutines at once.
func (w *watch) line(stream string, line []byte) {
	if stream != stderrName || len(line) > 64<<10 {
		return
	}
	m := announced.FindSubmatch(line)
	if m == nil {
		return
	}
	ms, err := strconv.ParseFloat(string(m[1]), 64)
	if err != nil || ms < float64(w.deadline.Sub(w.now()).Milliseconds()) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.why == "" {
		w.why = strings.TrimSpace(string(line))
		w.stop()
	}
}

// stopped returns the line for which the call was ended, or "".
func (w *watch) stopped() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.why
}
