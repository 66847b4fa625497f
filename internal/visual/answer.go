package visual

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tolboy/warden/internal/browser"
	"github.com/tolboy/warden/internal/proc"
)

// answer reads what the process that looked has said of the scenarios that it was asked
// for. A browser ran beside it, so it is not believed to be whole: what was cut, what has
// a field that no version of this program writes, more than one value, a fault without a
// code or a word for it, and without a fault anything but every scenario are refused.
func answer(said proc.Output, asked []string) (Seen, error) {
	if said.Truncated {
		return Seen{}, fmt.Errorf("read what was seen of the page: it is over %d bytes", maxAnswer)
	}
	dec := json.NewDecoder(bytes.NewReader(said.Bytes))
	dec.DisallowUnknownFields()
	var seen *Seen
	if err := dec.Decode(&seen); err != nil {
		return Seen{}, fmt.Errorf("read what was seen of the page: %w", err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Seen{}, errors.New("read what was seen of the page: something follows it")
	}
	switch {
	case seen == nil:
		return Seen{}, errors.New("read what was seen of the page: it is null")
	case seen.Fault != nil && (seen.Fault.Code == "" || seen.Fault.Why == ""):
		return Seen{}, errors.New("read what was seen of the page: its fault has no code, or no word for it")
	case seen.Fault == nil:
		if err := whole(seen.Report.Scenarios, asked); err != nil {
			return Seen{}, fmt.Errorf("read what was seen of the page: %w", err)
		}
	}
	return *seen, nil
}

// whole reports whether every scenario that was asked for is told of, in its place, and
// with the reason where it failed.
func whole(told []browser.Scenario, asked []string) error {
	if len(told) != len(asked) || len(asked) == 0 {
		return fmt.Errorf("it tells of no fault and of %d scenarios, and %d were asked for", len(told), len(asked))
	}
	for i, s := range told {
		switch {
		case s.Raw != asked[i]:
			return fmt.Errorf("scenario %d is not the one that was asked for", i+1)
		case !s.OK && s.Why == "":
			return fmt.Errorf("scenario %d failed for no reason", i+1)
		}
	}
	return nil
}
