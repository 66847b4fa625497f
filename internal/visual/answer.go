package visual

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/tolboy/warden/internal/proc"
)

// answer reads what the process that looked has said. A browser ran beside it, so
// it is not believed to be whole: what was cut, what has a field that no version of
// this program writes, more than one value, and a fault without a code are refused.
func answer(said proc.Output) (Seen, error) {
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
	case seen.Fault != nil && seen.Fault.Code == "":
		return Seen{}, errors.New("read what was seen of the page: its fault has no code")
	}
	return *seen, nil
}
